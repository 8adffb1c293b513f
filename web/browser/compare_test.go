package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The passages that two texts share are marked in both, and one leads to the other.
func TestFollowAHighlight(t *testing.T) {
	filler := strings.Repeat("Nothing of this is anywhere else, and it goes on for a while. ", 80)
	other := strings.Repeat("Quite different words fill the second text for as long as that. ", 80)
	first, second := "Shingles overlap like those on a roof.", "The trick is to look at many small pieces <b>&amp;</b>."
	db := store(t, map[string]string{
		"a": first + "\n" + filler + "\n" + second,
		"b": second + "\n" + other + "\n" + first,
	})
	b := open(t, db, nil, "#compare?a=a&b=b", nil)
	b.says("#compare-at", "Passage 1 of 2")
	marked := func(side string) string {
		return get[string](b, `[...document.querySelectorAll("#pane-`+side+` mark.here")].map((m) => m.textContent).join("")`)
	}
	seen := func(side string) string {
		return `(() => { const m = document.querySelector("#pane-` + side + ` mark.here").getBoundingClientRect(),
			p = document.querySelector("#pane-` + side + `").getBoundingClientRect(); return m.top >= p.top && m.bottom <= p.bottom; })()`
	}
	for _, side := range []string{"a", "b"} {
		if !strings.Contains(first, strings.TrimSpace(marked(side))) {
			t.Errorf("in %s %q is marked first", side, marked(side))
		}
		b.until(seen(side))
	}
	b.click("#compare-next")
	b.says("#compare-at", "Passage 2 of 2")
	b.until(seen("a") + "&&" + seen("b"))
	if !strings.Contains(marked("b"), "<b>&amp;</b>") {
		t.Errorf("markup does not stand as text in %q", marked("b"))
	}
	// A click on the first mark of b, which is the second passage, and back by one on the other.
	b.click("#compare-prev")
	b.until(seen("b"))
	b.do(evaluate(`document.querySelector("#pane-b").scrollTop = 0`))
	b.click("#pane-b mark")
	b.says("#compare-at", "Passage 2 of 2")
	b.until(seen("a"))
	if got := get[string](b, "location.hash"); !strings.Contains(got, "at=2") {
		t.Errorf("the address ends in %s", got)
	}
}

// Sentences that versions links stand side by side, also if they are not equal.
func TestSentences(t *testing.T) {
	db := store(t, map[string]string{
		"a": "At last! Shingles overlap like tiles on a roof, which is where the name comes from.",
		"b": "Something else stands here. Shingles overlap like those on a roof, which is where the name comes from.",
	})
	b := open(t, db, nil, "#compare?a=a&b=b", nil)
	b.says("#compare-at", "Passage 1")
	b.do(chromedp.Click(chromedp.CSS(`#compare [value="sentences"]`)))
	b.says("#compare-at", "Sentence 1 of 1, 2 bits apart")
	b.says("#pane-a mark.here", "like tiles on a roof")
	b.says("#pane-b mark.here", "like those on a roof")
	b.until(`location.hash.includes("show=sentences")`)
}

// A pasted text is compared with what was found.
func TestCompareAText(t *testing.T) {
	b := open(t, demo(t), nil, "#find?min=5&text=Shingles+overlap+like+those+on+a+roof%2C+which+is+where+the+name+comes+from.", nil)
	b.says(rows, "shingles.txt")
	b.click(rows + " th a")
	b.says("#compare-at", "Passage 1 of")
	b.says("#pane-a-title", "The text of the search")
	b.says("#pane-b-title", "shingles.txt")
	b.says("#compare-score", "100 % of the smaller text is found in the other")
}
