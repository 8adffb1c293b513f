package browser

// What the page shows of a text: what it is related to, what it is made of, and of several files each.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// hundreds is a database of a few hundred documents, of which only some are like others.
func hundreds(t *testing.T) map[string]string {
	documents := map[string]string{}
	word := func(i, j int) string { return fmt.Sprintf("%c%c%d", 'a'+rune(i%26), 'a'+rune(j%26), i*j%997) }
	for i := range 300 {
		var words []string
		for j := range 60 {
			words = append(words, word(i+1, j+1))
		}
		documents[fmt.Sprintf("d%03d", i)] = strings.Join(words, " ")
		if i%60 == 7 { // a version
			documents[fmt.Sprintf("v%03d", i)] = strings.Join(words[:57], " ") + " and an end of its own"
		}
	}
	return documents
}

// Every pair of the first view leads to the two texts, with their common passages.
func TestPairsLead(t *testing.T) {
	b := open(t, store(t, hundreds(t)), nil, "", nil)
	b.says("#over-status", "10 of 305 texts resemble another")
	links := get[[]string](b, `[...document.querySelectorAll("#over-pairs .name")].map((a) => a.hash)`)
	if len(links) != 5 {
		t.Errorf("%d pairs, want 5", len(links))
	}
	for _, link := range links {
		b.do(evaluate("location.hash = " + quote(link)))
		b.says("#compare-at", "Passage 1 of")
	}
}

// The sources of a text are marked in it, each with its number, and lead to the two texts.
func TestSources(t *testing.T) {
	const one, other = "The first of them says that shingles overlap like those on a roof <b>&amp;</b> no others.", "The second has quite different words, and <i>they</i> are copied from it to the end."
	b := open(t, store(t, map[string]string{"one": "Before. " + one + " After.", "<u>other": other + " And more.", "none": "Nothing."}), nil, "#find", nil)
	b.do(chromedp.Focus(chromedp.CSS("#find-text")), insert("My notes. "+one+"\nIn between. "+other))
	b.says("#find-status", "of it is in 2 documents")
	b.says("#about-sources", "Each character counts for one document.")
	if got := get[[]string](b, `[...document.querySelectorAll("#about-sources a.source")].map((a) => a.textContent.trim())`); len(got) != 2 || got[0] != one || got[1] != other {
		t.Errorf("%q are marked", got)
	}
	if got := get[[]string](b, `[...document.querySelectorAll("#about-sources li .name")].map((a) => a.textContent)`); len(got) != 2 || got[0] != "one" || got[1] != "<u>other" {
		t.Errorf("the sources are %q", got)
	}
	b.click("#about-sources a.source")
	b.says("#compare-at", "Passage 1 of")
	b.says("#pane-b-title", "one")
	b.do(chromedp.NavigateBack(), chromedp.Reload())
	b.says("#find-status", "of it is in 2 documents")
}

// Where passages are not kept and the texts are many, sources wait for a button that says so.
func TestSourcesOfManyTexts(t *testing.T) {
	b := open(t, demo(t), nil, "#find", nil)
	b.do(evaluate(`import("./find.js"); fetch("api/v1/collections")`), evaluate(`
		import("./about.js").then(({ About }) => {
			const about = new About({ collections: [{ name: "docs", kept: [], text_bytes: 5e9 }] }, { run: (label, work) => work(new AbortController().signal, () => {}) });
			about.run({ id: "backup.txt" }, { id: "backup.txt" }, "docs", "backup.txt");
		})`))
	b.says("#about-sources", "the search reads every text: 5.0 GB")
	b.click("#about-sources button")
	b.says("#about-sources", "100 % of it is in 1 stored document")
}

// Several files, and those of a folder, have a row each. One opens to its evidence.
func TestSeveralFiles(t *testing.T) {
	b := open(t, demo(t), nil, "#find", nil)
	dir := filepath.Join(t.TempDir(), "work")
	if err := os.MkdirAll(filepath.Join(dir, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile("../../testdata/demo/backup.txt")
	if err != nil {
		t.Fatal(err)
	}
	const bad = "<img src=x onerror=document.title='gone'>.txt"
	for name, text := range map[string]string{"copy.txt": string(copied), "deep/new.txt": "Nothing of this stands anywhere else, so it is new.", bad: "Nor does this.", "empty.txt": " ", "bytes.bin": "\x00\x01"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	drop(b, dir)
	b.says("#find-status", "5 files, 1 with something related here")
	for _, want := range []string{"work/copy.txt\t2 copies\tbackup-copy.txt", "work/deep/new.txt\tnew here", "work/" + bad + "\tnew here", "work/empty.txt\tno content", "bytes that no text has"} {
		b.says("#find-rows", want)
	}
	if n := get[int](b, `document.querySelectorAll("main img").length`); n != 0 || get[string](b, "document.title") == "gone" {
		t.Error("the name of a file was read as markup")
	}
	drop(b, filepath.Join(dir, "copy.txt"), filepath.Join(dir, "deep/new.txt"))
	b.says("#find-status", "2 files, 1 with something related here")
	b.click(rows + " th a")
	b.says("#find-status", "copy.txt: 2 copies")
	b.do(chromedp.NavigateBack())
	b.says("#find-status", "2 files")
	saved(b, "#find-status .saves button:first-child", "copy.txt,2 copies,backup-copy.txt,1,72 of 72 shingles,1\r\n")
}

// saved presses a button that saves, and checks that the file holds something.
func saved(b *tab, button, want string) {
	b.Helper()
	b.do(evaluate(`window.file = undefined; URL.createObjectURL = (blob) => { blob.text().then((t) => { window.file = t; }); return "data:,"; }; HTMLAnchorElement.prototype.click = () => {}`))
	b.click(button)
	b.until("window.file !== undefined")
	if got := get[string](b, "window.file"); !strings.Contains(got, want) {
		b.Errorf("the file has\n%s\nand lacks\n%s", got, want)
	}
}
