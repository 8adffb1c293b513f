package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// What everybody quotes is left out where one asks for it, on the way from the list of pairs to the
// two texts, and the report says so.
func TestLeaveOut(t *testing.T) {
	task := "Describe a project in your own words, say what is known of it already, and name what each method cannot show."
	copied := " A strip of paper with a hole three words wide is moved along the lines, and what can be read through it at any one time is a shingle."
	texts := map[string]string{}
	for i := range 8 {
		texts[fmt.Sprint("e", i)] = task + strings.Repeat(fmt.Sprintf(" only%d words%d of%d one%d", i, i, i, i), 4)
	}
	texts["e0"], texts["e1"] = texts["e0"]+copied, texts["e1"]+copied
	b := open(t, store(t, texts), nil, "#find?id=e0", nil)
	b.says("#about-sources", "in 2 passages")
	b.do(evaluate(`(() => { const s = document.querySelector("#find-ignoring"); s.value = ">5"; s.dispatchEvent(new Event("change")); })()`))
	b.says("#about-sources", "in 1 passage,")
	b.do(evaluate(`location.hash = "#ask?q=SIMILAR+PAIRS+IGNORING+MORE+THAN+5+DOCUMENTS+WHERE+sim+%3E%3D+10%25"`))
	b.until(`document.querySelectorAll("#ask-rows tbody tr").length === 1`)
	b.click(`#ask-rows a[href^="#compare"]`)
	b.says("#compare-at", "Passage 1 of 1")
	b.do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}), evaluate(`dispatchEvent(new Event("beforeprint"))`))
	b.says("#printed", "what more than 5 texts have")
}

// What a statement leaves out goes with its links if they can say it: one thing.
func TestIgnoringOfStatements(t *testing.T) {
	b := open(t, store(t, map[string]string{"a": "one two three"}), nil, "#find", nil)
	b.do(evaluate(`import("./ask.js").then((m) => { window.ignoringOf = (s) => String(m.ignoringOf(s)); })`))
	b.until(`window.ignoringOf !== undefined`)
	for statement, want := range map[string]string{
		"SIMILAR PAIRS": "undefined",
		"SIMILAR PAIRS IGNORING heads WHERE sim >= 0.5":       "heads",
		`SIMILAR PAIRS ignoring "MORE"`:                       "MORE",
		"SIMILAR PAIRS IGNORING more than 20 documents":       ">20",
		"SIMILAR PAIRS IGNORING heads, MORE THAN 2 DOCUMENTS": "undefined",
		"SIMILAR PAIRS IGNORING MORE THAN 2 DOCUMENTS, heads": "undefined",
		"SIMILAR PAIRS IGNORING MORE THAN ? DOCUMENTS":        "undefined",
	} {
		if got := get[string](b, "ignoringOf("+quote(statement)+")"); got != want {
			t.Errorf("%s: %s, want %s", statement, got, want)
		}
	}
}
