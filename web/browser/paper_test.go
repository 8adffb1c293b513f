package browser

// Texts in narrow panes, and on paper.

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Lines of code of 80 columns have room in a pane of a desk, and flow on a phone instead of breaking twice.
func TestLinesOfEighty(t *testing.T) {
	line := strings.Repeat("0123456 ", 9) + "01234567"
	text := strings.Repeat(line+"\n", 3) + "\n* an item\n"
	b := open(t, store(t, map[string]string{"a": text, "b": text + "more"}), nil, "#compare?a=a&b=b", nil)
	b.says("#compare-at", "Passage 1 of 1")
	b.do(evaluate(`document.querySelector("#pane-a").classList.add("mono")`)) // as for a collection of code
	lines := `(() => { const r = document.createRange(), tops = new Set(), walk = document.createTreeWalker(document.querySelector("#pane-a"), NodeFilter.SHOW_TEXT);
		while (walk.nextNode()) { r.selectNodeContents(walk.currentNode); for (const c of r.getClientRects()) if (c.width > 0) tops.add(Math.round(c.top)); }
		return tops.size; })()`
	for _, width := range []int64{1280, 1440, 1920} {
		b.do(chromedp.EmulateViewport(width, 900))
		b.until(lines + " === 4")
	}
	b.do(chromedp.EmulateViewport(390, 860))
	b.until(`document.querySelector("#pane-a").textContent.startsWith(` + quote(line+" "+line+" "+line+"\n\n* an item") + `)`)
}

// What is printed is the evidence, whole, without the means to find it.
func TestPrint(t *testing.T) {
	db := store(t, map[string]string{"a": strings.Repeat("Shingles overlap like those on a roof.\n", 200), "b": "Shingles overlap like those on a roof. Nothing else."})
	b := open(t, db, nil, "#compare?a=a&b=b", nil)
	b.says("#compare-at", "Passage 1 of")
	seen := func(selector string) bool {
		return get[bool](b, `document.querySelector(`+quote(selector)+`).checkVisibility()`)
	}
	if seen("#compare-list") || seen("#compare-form") {
		t.Error("the screen shows what is for paper")
	}
	b.do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}), evaluate(`dispatchEvent(new Event("beforeprint"))`))
	b.says("#printed", "simdb")
	b.says("#compare-list", "passage")
	b.says("#compare-list li", " of the first text and 1 of the second: Shingles overlap like those on a roof.")
	b.says("#compare-scores", "Shared shingles")
	for selector, want := range map[string]bool{"#compare-form": false, ".top": false, "#compare-jump": false, "#compare-list": true, "#pane-a": true, "#compare-scores": true} {
		if seen(selector) != want {
			t.Errorf("%s is printed: %v, want %v", selector, !want, want)
		}
	}
	if get[bool](b, `document.querySelector("#pane-a").scrollHeight > document.querySelector("#pane-a").clientHeight + 1`) {
		t.Error("the text is cut")
	}
	b.do(evaluate(`location.hash = "#find?id=b"`))
	b.says("#about-sources", "of it is in 1 stored document")
	if seen("#find-form") || !seen("#about-sources") || !seen("#about-related") {
		t.Error("the report of a document shows the form, or lacks its evidence")
	}
}
