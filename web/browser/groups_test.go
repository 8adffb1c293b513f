package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/web"
)

// The first view shows the similar texts of the collection without a question: pairs, the slider over
// their histogram, groups with the documents that stay, and the texts that stand out.
func TestOverview(t *testing.T) {
	b := open(t, demo(t), nil, "", nil)
	b.says("#over-status", "7 of 8 texts resemble another")
	b.says("#over-number", "share of the smaller text found in the other")
	b.says("#over-pairs li:first-child", "backup-copy.txt and backup.txt")
	b.says("#over-pairs li:first-child .tag", "100 %")
	b.says("#over-pairs li:first-child .excerpt mark", "backup")
	b.says("#over-groups", "backup-copy.txt")
	b.says("#over-groups", "100 % · like ")
	b.says("#over-outliers tbody", "release-1.0.txt")
	b.says("#groups-why", "This server is read-only.")
	if !get[bool](b, `document.querySelector("#groups-delete").disabled`) {
		t.Error("the button can be pressed where writing is off")
	}
	pairs := `Number(document.querySelector("#over-min-out b").textContent.split(" ")[0])`
	few := get[int](b, pairs)
	b.do(chromedp.Focus(chromedp.CSS("#over-min")))
	b.keys(kb.Home)
	b.until(pairs + fmt.Sprint(" > ", few))
	b.until(`location.hash.includes("min=")`)
	b.keys(kb.End)
	b.says("#over-min-out", "1 pair of 100 % or more")
	b.until(`document.querySelectorAll("#over-pairs li").length === 1`)
	b.says("#over-groups-status", "1 group: 1 document stays, 1 goes")
	b.click("#over-pairs li .name")
	b.says("#compare-at", "Passage 1 of")
}

// One pair has one number, with and without what is left out.
func TestOneNumber(t *testing.T) {
	db := demo(t)
	if err := db.Put(t.Context(), api.Document{Collection: "heads", ID: "head", Text: "This is the second release of simdb, an embedded database that finds similar texts."}); err != nil {
		t.Fatal(err)
	}
	for _, ignoring := range []string{"", "&ignoring=heads"} {
		b := open(t, db, nil, "#overview?min=30"+ignoring, nil)
		pair := `[...document.querySelectorAll("#over-pairs li")].find((li) => li.innerText.includes("release-1.0.txt and release-1.1.txt"))`
		b.until(pair)
		number := get[string](b, pair+`.querySelector(".tag").textContent`)
		b.do(evaluate(`location.hash = "#find?id=release-1.1.txt` + ignoring + `"`))
		b.says("#about-related li .num", number)
		b.do(evaluate(`location.hash = "#compare?a=release-1.0.txt&b=release-1.1.txt` + ignoring + `"`))
		b.says("#compare-number", number)
		b.says("#compare-score", "of the smaller text is found in the other")
	}
}

// Where writing is on, what goes is deleted after a question, and nothing else.
func TestDeleteWhatGoes(t *testing.T) {
	db := demo(t)
	b := open(t, db, &web.Options{Writable: true}, "#overview?min=70&using=jaccard", nil)
	b.says("#over-groups-status", "2 groups")
	b.click("#groups-delete")
	b.says("#groups-sure", "cannot be undone")
	b.click("#groups-sure [value=no]")
	if n := documents(t, db); n != 8 {
		t.Fatalf("%d documents are left after No", n)
	}
	b.click("#groups-delete")
	b.click("#groups-sure [value=yes]")
	b.until(`document.querySelector("#over-in").selectedOptions[0].text !== "docs (8)"`)
	if n := documents(t, db); n != 5 && n != 6 {
		t.Errorf("%d documents are left", n)
	}
}

// Groups begin with the largest, each with the beginning of its text.
func TestGroupsBySize(t *testing.T) {
	documents := map[string]string{}
	for i, n := range []int{2, 4, 3} {
		for j := range n {
			documents[fmt.Sprint(i, j)] = fmt.Sprintf("<i>group %[1]d</i> has these words%[1]d and%[1]d no%[1]d others%[1]d", i)
		}
	}
	b := open(t, store(t, documents), &web.Options{}, "", nil)
	b.says("#over-groups-status", "3 groups")
	if got := get[[]string](b, `[...document.querySelectorAll("#over-groups h3")].map((h) => h.textContent)`); fmt.Sprint(got) != "[4 documents 3 documents 2 documents]" {
		t.Errorf("the groups are %v", got)
	}
	b.says("#over-groups .group", "<i>group 1</i> has these")
}

// A report of the page is the file of simdb report.
func TestSaveReport(t *testing.T) {
	b := open(t, demo(t), nil, "", nil)
	b.says("#over-status", "Save as report")
	saved(b, "#over-status button", "<h1>Similar texts in docs</h1>")
}

// The first screen of a phone shows text of the answer.
func TestFirstScreen(t *testing.T) {
	for place, text := range map[string]string{"": "#over-pairs .name", "#find?id=release-1.1.txt": "#about-related .excerpt mark", "#compare?a=release-1.0.txt&b=release-1.1.txt": "#pane-a mark"} {
		b := open(t, demo(t), nil, "#ask", nil)
		b.do(chromedp.EmulateViewport(390, 844), evaluate("location.hash = "+quote(place)))
		b.until(fmt.Sprintf(`document.querySelector(%q)`, text))
		if top := get[float64](b, fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().top`, text)); top > 844-60 {
			t.Errorf("%s: %s begins at %v", place, text, top)
		}
	}
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
	b := open(t, db, &web.Options{Writable: true}, "", nil)
	if get[bool](b, `document.querySelector("nav [data-view=kept]").checkVisibility()`) {
		t.Error("the view is named where there are no groups")
	}
	b.do(evaluate(`location.hash = "#kept"`))
	b.says("#kept-status", "No groups are kept")
	b.click("#kept-body a")
	b.until(`document.querySelector("#ask-text").value === "CREATE GROUPS g ON docs WHERE sim >= 0.8"`)
	b.click("#ask-form .main")
	b.says("#ask-status", "1 row")
	b.do(evaluate(`location.hash = "#kept"`))
	b.says("#kept-status", "1 group")
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
