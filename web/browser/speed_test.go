package browser

import (
	"flag"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var speed = flag.Bool("speed", false, "measure how fast the page answers a key, with the database of -db")

// From a key to what it brings, painted: the list of ids, and the table below the slider.
//
//	go test -run KeyToAnswer -v -speed -db DB .
func TestKeyToAnswer(t *testing.T) {
	if !*speed {
		t.Skip("nothing is measured; -speed -db DB does")
	}
	b := open(t, stored(t, *from), nil, "#find?how=measure", nil)
	b.do(evaluate(`
		var took = [], key = 0;
		addEventListener("keydown", () => { key = performance.now(); }, true);
		for (const id of ["list-1", "find-rows", "find-empty"]) {
			new MutationObserver(() => { requestAnimationFrame(() => { if (key) took.push(performance.now() - key); key = 0; }); })
				.observe(document.getElementById(id), {childList: true});
		}`))
	b.do(evaluate(`fetch("api/v1/documents?limit=1").then((a) => a.json()).then((a) => { window.first = a.documents[0].id; })`))
	b.until("window.first")
	id := get[string](b, "window.first")
	b.do(chromedp.Focus(chromedp.CSS("#find-id")))
	press := func(what string, keys ...string) {
		b.do(evaluate("took = []"))
		for _, k := range keys {
			b.keys(k)
			b.until("key === 0")
		}
		all := get[[]float64](b, "took")
		slices.Sort(all)
		t.Logf("%s: %d keys, median %.1f ms, most %.1f ms", what, len(all), all[len(all)/2], all[len(all)-1])
	}
	var typed []string
	for _, r := range id {
		typed = append(typed, string(r))
	}
	press("a letter of an id", typed...)
	b.keys(kb.ArrowDown, kb.Enter)
	b.until(`document.querySelector("#find-plan").checkVisibility()`)
	b.do(chromedp.Focus(chromedp.CSS("#find-min")))
	press("a step of the threshold", slices.Repeat([]string{kb.ArrowLeft, kb.ArrowRight}, 20)...)
}
