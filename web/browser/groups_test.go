package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/simdb/simdb/web"
)

// Groups say who stays and who goes. Where writing is off the button says so.
func TestDuplicates(t *testing.T) {
	db := demo(t)
	b := open(t, db, nil, "#groups", nil)
	b.says("#groups", "Find duplicates")
	b.do(chromedp.SetValue(chromedp.CSS("#groups-keep"), "longest"))
	b.click("#groups-form button")
	b.says("#groups-status", "1 group: 1 document stays, 1 goes")
	b.says("#groups-body .stays", "backup")
	b.says("#groups-body .goes", "100 % · 72 of 72 shared · like backup")
	b.says("#groups-why", "This server is read-only.")
	if !get[bool](b, `document.querySelector("#groups-delete").disabled`) {
		t.Error("the button can be pressed where writing is off")
	}
	b.until(`location.hash.includes("keep=longest")`)
}

// Where writing is on, what goes is deleted after a question, and nothing else.
func TestDeleteWhatGoes(t *testing.T) {
	db := demo(t)
	b := open(t, db, &web.Options{Writable: true}, "#groups?min=65", nil)
	b.says("#groups-status", "2 groups")
	b.click("#groups-delete")
	b.says("#groups-sure", "cannot be undone")
	b.click("#groups-sure [value=no]")
	if n := documents(t, db); n != 8 {
		t.Fatalf("%d documents are left after No", n)
	}
	b.click("#groups-delete")
	b.click("#groups-sure [value=yes]")
	b.says("#groups-status", "deleted")
	if n := documents(t, db); n != 5 && n != 6 {
		t.Errorf("%d documents are left", n)
	}
	b.click("#groups-form button")
	b.says("#groups-status", "No duplicates")
}

// Groups of duplicates begin with the largest, each with the beginning of its text.
func TestGroupsBySize(t *testing.T) {
	documents := map[string]string{}
	for i, n := range []int{2, 4, 3} {
		for j := range n {
			documents[fmt.Sprint(i, j)] = fmt.Sprintf("<i>group %[1]d</i> has these words%[1]d and%[1]d no%[1]d others%[1]d", i)
		}
	}
	b := open(t, store(t, documents), &web.Options{}, "#groups?min=90", nil)
	b.says("#groups-status", "3 groups")
	if got := get[[]string](b, `[...document.querySelectorAll("#groups-body h2")].map((h) => h.textContent)`); fmt.Sprint(got) != "[4 documents 3 documents 2 documents]" {
		t.Errorf("the groups are %v", got)
	}
	b.says("#groups-body .group", "<i>group 1</i> has these")
}

// Groups that are kept open to their documents, and what these share leads on to the two texts.
func TestKeptGroups(t *testing.T) {
	b := open(t, demo(t), nil, "#kept", nil)
	b.says("nav", "Groups")
	b.says("#kept-status", "2 groups")
	b.says("#kept-body details:first-of-type summary", "3 documents release-1.0.txt")
	b.click("#kept-body details:first-of-type summary")
	b.says("#kept-body li:nth-of-type(2)", "85.98 % · 135 of 157 shared")
	b.says("#kept-body li:nth-of-type(2) .preview", "Release 1.1 This is the second release")
	b.until(`location.hash.includes("open=")`)
	b.do(chromedp.Reload())
	b.says("#kept-body li.stays", "release-1.0.txt")
	b.click("#kept-body li:nth-of-type(2) .num")
	b.says("#compare-at", "Passage 1 of 2")
	b.do(evaluate(`location.hash = "#kept?least=1"`))
	b.says("#kept-status", "5 groups")
	b.do(evaluate(`location.hash = "#kept?in=nosuch"`))
	b.says("#kept-body", "there is no grouping")
}

// Where no groups are kept the view says how to make them, and once they are made it has them.
func TestNoKeptGroups(t *testing.T) {
	db := store(t, map[string]string{"a": "one two three four", "b": "one two three four"})
	b := open(t, db, &web.Options{Writable: true}, "#groups", nil)
	if get[bool](b, `document.querySelector("nav [data-view=kept]").checkVisibility()`) {
		t.Error("the view is named where there are no groups")
	}
	b.click("#groups .lead a")
	b.says("#kept-status", "No groups are kept")
	b.click("#kept-body a")
	b.until(`document.querySelector("#ask-text").value === "CREATE GROUPS g ON docs WHERE sim >= 0.8"`)
	b.click("#ask-form .main")
	b.says("#ask-status", "1 row")
	b.do(evaluate(`location.hash = "#kept"`))
	b.says("#kept-status", "1 group")
}

// The histograms count what there is.
func TestSpread(t *testing.T) {
	b := open(t, demo(t), nil, "#spread", nil)
	b.says("#spread-status", "7 of 8 documents") // two are equal, and count once
	b.until(`document.querySelectorAll("#spread-body figure").length === 3`)
	if n := get[int](b, `document.querySelectorAll("#spread-body svg rect").length`); n < 10 {
		t.Errorf("the charts have %d bars", n)
	}
	b.until(`[...document.querySelectorAll("#spread-body svg")].every((s) => s.getAttribute("aria-label").includes("Most:"))`)
	total := get[int](b, `[...document.querySelectorAll("#spread-body figure:last-of-type td")].reduce((n, td) => n + Number(td.textContent), 0)`)
	if total != 7 {
		t.Errorf("the sizes count %d documents, want 7", total)
	}
}

// Errors of statements stand under their place; a link that writes does not run by itself.
func TestAsk(t *testing.T) {
	db := demo(t)
	b := open(t, db, &web.Options{Writable: true}, "#ask", nil)
	b.click("#ask-text")
	b.keys(strings.Split("SIMILAR TO 'x' WHERE sim >= high", "")...)
	b.click("#ask-form .main")
	b.says("#ask-error p", `want a number after ">="`)
	if got, want := get[string](b, `document.querySelector("#ask-error pre").textContent`), "SIMILAR TO 'x' WHERE sim >= high\n                            ^"; got != want {
		t.Errorf("the place is shown as\n%s\nwant\n%s", got, want)
	}
	if at := get[int](b, `document.querySelector("#ask-text").selectionStart`); at != 28 {
		t.Errorf("the cursor stands at %d, want 28", at)
	}
	b.do(evaluate(`location.hash = "#ask?q=" + encodeURIComponent("SELECT id, size FROM docs\nORDER BY size DESC LIMIT 2")`))
	b.says("#ask-status", "2 rows")
	b.until(`document.querySelector("#ask-error").textContent === ""`)
	b.do(evaluate(`location.hash = "#ask?q=" + encodeURIComponent("DROP COLLECTION docs")`))
	b.until(`document.querySelector("#ask-text").value.startsWith("DROP")`)
	b.do(evaluate(`location.hash = "#ask?q=" + encodeURIComponent("SHOW COLLECTIONS")`))
	b.says("#ask-status", "1 row")
	b.says("#ask-rows", "docs")
	if n := documents(t, db); n != 8 {
		t.Errorf("%d documents are left", n)
	}
}
