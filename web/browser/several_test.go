package browser

// The page over several databases.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/web"
)

// A text is looked for in all databases, and compared with what is found. Nothing that only one
// database has is offered.
func TestSeveralDatabases(t *testing.T) {
	var paths []string
	for i, docs := range [][]api.Document{
		{{ID: "roof", Text: "Shingles overlap like those on a roof, which is where the name comes from."}, {ID: "both", Text: "Something else stands here, and nothing more."}},
		{{ID: "both", Text: "Some say that shingles overlap like those on a roof, which is where the name comes from."}},
	} {
		path := filepath.Join(t.TempDir(), fmt.Sprint("shard-", i))
		db, err := simdb.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Put(context.Background(), docs...), db.Close()); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	shards, err := simdb.OpenShards(context.Background(), paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shards.Close() })
	b := open(t, store(t, nil), nil, "", func(http.Handler) http.Handler { return web.ShardsHandler(shards, nil) })
	b.says("#find-empty", "Paste a text")
	if got := get[string](b, `[...document.querySelectorAll("nav [data-view]")].filter((a) => a.offsetParent).map((a) => a.dataset.view).join(" ")`); got != "find ask" {
		t.Errorf("views %q are offered, want find and ask", got)
	}
	b.do(evaluate(`document.querySelector("#find-text").value = "Shingles overlap like those on a roof, which is where the name comes from.";
		document.querySelector("#find-text").dispatchEvent(new Event("input"))`))
	b.says(rows, "roof")
	b.says(rows, paths[0])
	b.do(evaluate(`document.querySelector("#find-min").value = 30; document.querySelector("#find-min").dispatchEvent(new Event("input"))`))
	b.says("#find-rows", paths[1])
	b.says(rows+" .excerpt", "Shingles overlap")
	b.click(`[name="how"][value="about"]`)
	b.says("#about-sources li", paths[1]) // of equal ones the first id
	b.says("#find-status", "100 % of it is in 1 document")
	b.do(chromedp.NavigateBack())
	b.says("#find-rows", paths[1])
	b.click(rows + ":nth-child(2) th a")
	b.says("#compare-at", "Passage 1 of")
	b.says("#pane-a-title", "The text of the search")
	b.says("#pane-b-title", paths[1])
	b.says("#pane-b", "Some say that")
	b.do(evaluate(`document.querySelector("#find-status").textContent = ""; history.back()`))
	b.says("#find-status", "2 documents similar to this text")
	b.click(rows + ":nth-child(2) td:last-child a") // similar to a document whose id two databases have
	b.says("#find-status", "1 document similar to both of "+paths[1])
	b.until(`document.querySelectorAll("#find-rows tbody tr").length === 1`)
	b.says(rows, paths[0])
	b.click(rows + " th a")
	b.says("#pane-a-title", paths[1])
	b.says("#pane-b-title", "roof")
	b.do(evaluate(`location.hash = "#groups"`))
	b.says("#find-title", "What is this")
	b.do(evaluate(`location.hash = "#ask"`))
	b.click("#ask-examples button")
	b.says("#ask-status", "0 rows")
}
