package browser

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/simdb/simdb"
)

func quote(s string) string { return strconv.Quote(s) }

// insert types a text at once.
func insert(text string) chromedp.Action[chromedp.Void] {
	return call(input.InsertText, input.InsertTextParams{Text: text})
}

// shown is an id as the page shows it: what cannot be seen is written out.
func shown(id string) string {
	for _, r := range "\u2028\u2029\u202e\n\t\x1b" {
		id = strings.ReplaceAll(id, string(r), fmt.Sprintf(`\u%04x`, r))
	}
	return id
}

// many makes a database of n documents that are all similar.
func many(t *testing.T, n int) *simdb.DB {
	documents := map[string]string{}
	for i := range n {
		documents[fmt.Sprintf("n%03d", i)] = strings.Repeat("the same words stand in all of these texts but for one at the end of each ", 3) + fmt.Sprint(i)
	}
	return store(t, documents)
}

// documents counts those of docs.
func documents(t *testing.T, db *simdb.DB) (n int) {
	t.Helper()
	rows, err := db.Query(t.Context(), "SELECT id FROM docs")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for _, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}
