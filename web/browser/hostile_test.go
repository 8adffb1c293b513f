package browser

import (
	"bytes"
	"net/url"
	"strconv"
	"testing"

	"github.com/simdb/simdb/api"
)

// What documents hold appears as text, wherever the page shows it.
func TestMarkupIsText(t *testing.T) {
	const bad = `"><img src=x onerror="document.title='gone'"><script>document.title='gone'</script>`
	ids := []string{bad, "line\u2028separator\u2029end", "right\u202eto left", "' OR 1=1; --", "line\nfeed\ttab\x1b[31m", "{{7*7}}${7*7}"}
	db := store(t, nil)
	for i, id := range ids {
		text := "these few words are the same in every one of them " + bad + "\u2028 and more"
		if err := db.Put(t.Context(), api.Document{ID: id, Text: text, Meta: api.Meta{"path": bad, bad: bad, "n": i}}); err != nil {
			t.Fatal(err)
		}
	}
	safe := func(b *tab) {
		t.Helper()
		if n := get[int](b, `document.querySelectorAll("main img, main script, main b b").length`); n != 0 {
			t.Errorf("%d elements came from a document", n)
		}
		if got := get[string](b, "document.title"); got == "gone" {
			t.Error("a script of a document ran")
		}
	}
	for _, id := range ids {
		b := open(t, db, nil, "#find?how=measure&id="+url.QueryEscape(id), nil)
		b.says("#find-status", strconv.Itoa(len(ids)-1)+" documents similar to")
		if got := get[string](b, `[...document.querySelectorAll("#find-rows th a")].map((a) => a.textContent).join("\n")`); bytes.ContainsAny([]byte(got), "\u2028\u202e\x1b") {
			t.Errorf("the ids show what cannot be seen: %q", got)
		}
		safe(b)
		b.click(rows + " th a")
		b.says("#compare-at", "Passage 1 of")
		if id != bad {
			b.says("#pane-a-title", shown(id))
		}
		safe(b)
	}
	b := open(t, db, nil, "#overview?min=90", nil)
	b.says("#over-groups-status", "1 group")
	safe(b)
	b.do(evaluate(`location.hash = "#ask?q=" + encodeURIComponent("SELECT * FROM docs")`))
	b.says("#ask-status", "6 rows")
	safe(b)
	b.do(evaluate(`location.hash = "#find"`))
	b.click("#find-id")
	b.keys(`"`, ">")
	b.until(`document.querySelector("#find-form [role=option]")?.textContent.includes("onerror")`)
	safe(b)
	b.click("#find-form [role=option]")
	b.says("#find-status", "5 copies")
	b.says("#about-sources", "100 %")
	safe(b)
}
