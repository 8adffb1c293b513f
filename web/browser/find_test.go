package browser

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/simdb/simdb/render"
	"github.com/simdb/simdb/web"
)

const rows = "#find-rows tbody tr"

// A visitor types the beginning of an id, picks a document from the list, and reads the table.
func TestTypeAndPick(t *testing.T) {
	b := open(t, demo(t), nil, "#find", nil)
	b.click("#find-id")
	b.keys("r", "e", "l")
	b.until(`document.querySelectorAll("#find-form [role=option]").length === 3`)
	b.click("#find-form [role=option]:nth-child(2)")
	b.says("#find-status", "release-1.1.txt: 2 versions")
	row := b.text("#about-related li")
	for _, want := range []string{"version", "release-1.0.txt", "85.98 %", "135 of 157 shingles"} {
		if !strings.Contains(row, want) {
			t.Errorf("the row %q lacks %q", row, want)
		}
	}
	if got := get[string](b, "location.hash"); got != "#find?id=release-1.1.txt" {
		t.Errorf("the address ends in %s", got)
	}
	// A word from the middle of an id finds it too.
	b.do(evaluate(`document.querySelector("#find-id").value = ""`), chromedp.Focus(chromedp.CSS("#find-id")))
	b.keys("c", "o", "p", "y")
	b.says("#find-form [role=option]", "backup-copy.txt")
	// So do words of the text, in whatever case.
	b.do(evaluate(`document.querySelector("#find-id").value = ""`), chromedp.Focus(chromedp.CSS("#find-id")))
	b.keys(strings.Split("small TRICK", "")...)
	b.says("#find-form [role=option]", "lecture.txt")
	b.until(`document.querySelectorAll("#find-form [role=option]").length === 1`)
	b.keys(strings.Split(" *", "")...)
	b.says("#find-form .none", "No document has this")
}

// The threshold moves the table without a reload, the address follows, and back works.
func TestThreshold(t *testing.T) {
	b := open(t, demo(t), nil, "#find?id=release-1.1.txt&how=measure", nil)
	b.says("#find-status", "1 document")
	b.do(evaluate("document.documentElement.dataset.same = 1"), chromedp.Focus(chromedp.CSS("#find-min")))
	for range 15 {
		b.keys(kb.ArrowLeft)
	}
	b.says("#find-status", "2 documents")
	if got := b.text("#find-min-out"); got != "65 %" {
		t.Errorf("the threshold says %s, want 65 %%", got)
	}
	b.until(`location.hash.includes("min=65")`)
	b.do(chromedp.Focus(chromedp.CSS(rows + " td:last-child a")))
	b.keys(kb.Enter)
	b.says("#find-status", "similar to release-1.0.txt")
	b.do(chromedp.NavigateBack())
	b.says("#find-status", "2 documents similar to release-1.1.txt")
	if get[string](b, "document.documentElement.dataset.same ?? ''") != "1" {
		t.Error("the page was loaded again")
	}
}

// Without results the page names a threshold that gives some, and goes there.
func TestLowerTheThreshold(t *testing.T) {
	b := open(t, demo(t), nil, "#find?id=lecture.txt&how=measure", nil)
	b.says("#find-empty", "No results")
	b.says("#find-empty", "41.14 %")
	b.says("#find-lower", "Lower the threshold to 41 %")
	b.click("#find-lower")
	b.says("#find-status", "1 document")
	b.says(rows, "shingles.txt")
}

// A document of no words has nothing to compare.
func TestNoContent(t *testing.T) {
	b := open(t, store(t, map[string]string{"empty": "", "other": "a few words of no importance"}), nil, "#find?id=empty", nil)
	b.says("#find-empty", "This object has no content.")
	b.do(evaluate(`location.hash = "#find?id=nobody"`))
	b.says("#find-empty", "There is no such document.")
}

// A file that is dropped on the page is looked for, and so is a text that is pasted.
func TestDropAndPaste(t *testing.T) {
	b := open(t, demo(t), nil, "#find", nil)
	text, err := os.ReadFile("../../testdata/demo/backup.txt")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mine.txt")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	drop(b, file)
	b.says("#find-status", "mine.txt: 2 copies; 100 % of it is in 1 document")
	b.says("#find-what", "mine.txt")
	if get[bool](b, `document.getElementById("drop").checkVisibility()`) {
		t.Error("the sheet for dropping is still there")
	}

	b.click("#find-what .link")
	b.do(evaluate(`document.querySelector("#find-text").value = ""`), chromedp.Focus(chromedp.CSS("#find-text")),
		insert("Shingles overlap like those on a roof, which is where the name comes from."))
	b.says("#about-related", "contains it")
	b.says("#about-related", "shingles.txt")
	b.click(`[name="how"][value="measure"]`)
	b.says("#find-empty", "No results")
	b.says("#find-holding", "Show what contains it")
	b.click("#find-lower")
	b.says(rows, "shingles.txt")
	b.until(`document.querySelector("` + rows + ` mark")?.textContent.includes("overlap like those on a roof")`)

	// The link holds a short text, so it can be followed elsewhere.
	link := get[string](b, "location.href")
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	b.says(rows, "shingles.txt")
}

// drop lets a file fall onto the page.
func drop(b *tab, files ...string) {
	b.Helper()
	drag := &input.DragData{Items: []*input.DragDataItem{}, Files: files, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		b.do(call(input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: 640, Y: 400, Data: drag}))
	}
}

// A document is read by the server. Of one that cannot be read the page says why.
func TestDropDocument(t *testing.T) {
	b := open(t, demo(t), &web.Options{Renderer: render.New(render.Options{})}, "#find", nil)
	text, err := os.ReadFile("../../testdata/demo/backup.txt")
	if err != nil {
		t.Fatal(err)
	}
	page := "<title>Mine</title><script>none()</script><p>" + strings.ReplaceAll(string(text), "\n\n", "<p>")
	files := map[string]string{"mine.html": page, "mine.txt": string(text), "mine.pdf": "%PDF-1.7\n", "mine.docx": "PK\x03\x04 cut off"}
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	drop(b, filepath.Join(dir, "mine.html"))
	b.says("#find-status", "2 copies")
	b.until(`/^mine.html, .*, read as text.html/.test(document.querySelector("#find-what").textContent)`)
	for _, name := range []string{"mine.pdf", "mine.docx"} {
		drop(b, filepath.Join(dir, name))
		b.says("#find-empty", "This file cannot be read.")
		b.says("#find-empty", name)
	}
	drop(b, filepath.Join(dir, "mine.txt"))
	b.says("#find-status", "mine.txt: 2 copies")
	b.says("#find-what", "mine.txt, ")
}

// Many results come in pages.
func TestPages(t *testing.T) {
	b := open(t, many(t, 120), nil, "#find?id=n000&how=measure", nil)
	b.says("#find-status", "119 documents")
	b.says("#find-pager", "Page 1 of 3")
	b.until(`document.querySelectorAll("` + rows + `").length === 50`)
	b.click("#find-pager button:last-child")
	b.says("#find-pager", "Page 2 of 3")
	b.click("#find-pager button:last-child")
	b.until(`document.querySelectorAll("` + rows + `").length === 19`)
	b.do(chromedp.NavigateBack())
	b.says("#find-pager", "Page 2 of 3")
}

// The plan tells what each filter left.
func TestPlan(t *testing.T) {
	b := open(t, demo(t), nil, "#find?id=release-1.1.txt&how=measure", nil)
	b.says("#find-status", "1 document")
	b.click("#find-plan summary")
	for _, want := range []string{"compared exactly", "similar", "yes, no match is missed"} {
		b.says("#find-plan-body", want)
	}
	if n := get[int](b, `document.querySelectorAll(".funnel li").length`); n < 3 {
		t.Errorf("the funnel has %d steps", n)
	}
}

// Without a mouse: from the address line to the passages that two texts share.
func TestKeyboardAlone(t *testing.T) {
	b := open(t, demo(t), nil, "#find?", nil)
	b.keys(kb.Tab)
	if got := b.text(":focus"); got != "Skip to the content" {
		t.Errorf("the first stop is %q", got)
	}
	b.keys(kb.Enter)
	for range 10 { // over the text and the buttons to the field
		b.keys(kb.Tab)
		if get[string](b, "document.activeElement.id") == "find-id" {
			break
		}
	}
	b.keys("l", "e", "c")
	b.until(`document.querySelector("#find-form [role=option]")?.innerText.startsWith("lecture.txt")`)
	b.keys(kb.ArrowDown)
	b.until(`document.activeElement.getAttribute("aria-activedescendant") === document.querySelector("#find-form [aria-selected=true]")?.id`)
	b.keys(kb.Enter)
	b.says("#about-related", "shares passages")
	tabTo(b, "[name=how]:checked")
	b.keys(kb.ArrowRight)
	b.says("#find-empty", "No results")
	tabTo(b, "#find-lower")
	b.keys(kb.Enter)
	b.says(rows, "shingles.txt")
	tabTo(b, "nav [data-view=compare]")
	b.keys(kb.Enter)
	tabTo(b, "#compare-a")
	b.keys(strings.Split("release-1.0", "")...)
	b.until(`document.querySelector("#compare [role=option]")?.innerText.startsWith("release-1.0.txt")`)
	b.keys(kb.ArrowDown, kb.Enter)
	tabTo(b, "#compare-b")
	b.keys(strings.Split("release-1.1.txt", "")...)
	b.keys(kb.Enter)
	b.says("#compare-at", "Passage 1 of 2")
	tabTo(b, "#pane-a")
	b.keys("n")
	b.says("#compare-at", "Passage 2 of")
	b.keys("p")
	b.says("#compare-at", "Passage 1 of")
	tabTo(b, "#pane-b")
}

// tabTo presses Tab until the focus is on an element, and checks that one sees where it is.
func tabTo(b *tab, selector string) {
	b.Helper()
	b.until(`document.querySelector(` + quote(selector) + `) !== null`) // some come with a later answer
	for range 60 {
		b.keys(kb.Tab)
		if get[bool](b, `getComputedStyle(document.activeElement).outlineStyle === "none" && document.activeElement.type !== "radio" && document.activeElement !== document.body`) {
			b.Errorf("the focus on %s cannot be seen", get[string](b, "document.activeElement.outerHTML.slice(0, 80)"))
		}
		if get[bool](b, "document.activeElement === document.querySelector("+quote(selector)+")") {
			return
		}
	}
	b.Fatalf("Tab does not come to %s", selector)
}

// Work that takes long tells how far it is. Cancel ends it, here and on the server.
func TestCancel(t *testing.T) {
	ended := make(chan struct{}, 10)
	slow := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/v1/similar" {
				next.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/x-ndjson")
			io.WriteString(w, `{"event":"progress","what":"sets compared","done":1200,"total":3000}`+"\n")
			http.NewResponseController(w).Flush()
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			ended <- struct{}{}
		})
	}
	for _, how := range []string{"button", "Escape"} {
		b := open(t, demo(t), nil, "#find?id=lecture.txt&how=measure", slow)
		b.says("#find-status", "sets compared: 1,200 of 3,000")
		if got := get[float64](b, `document.querySelector("#find-status progress").position`); got != 0.4 {
			t.Errorf("the bar stands at %v, want 0.4", got)
		}
		if how == "button" {
			b.click("#find-status .cancel")
		} else {
			b.keys(kb.Escape)
		}
		b.says("#find-status", "Cancelled")
		<-ended
		b.says("#find-empty", "cancelled")
	}
}

// A number that rises within the funnel says why.
func TestFunnelThatRises(t *testing.T) {
	b := open(t, demo(t), nil, "#find", nil)
	b.says("#find-empty", "Overview") // or it would come over the funnel
	b.do(evaluate(`import("./plan.js").then((m) => m.drawPlan(document.querySelector("#find-empty"), { measure: "jaccard", min_sim: "0.8", access: "prefix", exact: true, why: "", verified: 1, matches: 3, micros: 9,
		filters: [{ name: "postings", safe: true, in: 900, out: 0 }, { name: "length", safe: true, in: 26, out: 4 }, { name: "parity signature", safe: true, in: 4, out: 0 }] }))`))
	for _, want := range []string{"looked at\n900", "postings\n0", "also: the newest, not indexed yet\n26", "length\n4", "compared exactly, from both paths\n1", "similar, including equal bags of words\n3", "The number rises"} {
		b.until(`document.querySelector("#find-empty").innerText.replace(/\n+/g, "\n").includes(` + quote(want) + `)`)
	}
}
