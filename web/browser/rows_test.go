package browser

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/simdb/simdb/web"
)

// Rows of a statement lead on, say numbers in few digits and lines as such, and can be saved whole.
func TestRowsOfStatements(t *testing.T) {
	b := open(t, demo(t), &web.Options{Tables: map[string]func(io.Writer, []string, [][]any) error{
		"broken": func(io.Writer, []string, [][]any) error { return errors.New("no room") },
		"plain":  func(to io.Writer, columns []string, rows [][]any) error { return one(fmt.Fprint(to, columns, rows[0])) },
	}}, "#ask?q=SIMILAR+PAIRS+WHERE+sim+%3E%3D+0.6", nil)
	b.says("#ask-rows", "0.859873")
	if row := b.text("#ask-rows"); strings.Contains(row, "0.8598726") {
		t.Errorf("the cells have too many digits:\n%s", row)
	}
	saved(b, "#ask-status .saves button:first-child", "release-1.0.txt,release-1.1.txt,0.8598726114649682,135,157")
	saved(b, "#ask-status .saves button:nth-child(2)", `"sim": 0.8598726114649682`)
	saved(b, "#ask-status .saves button:nth-child(4)", "[a b sim shared union] [backup-copy.txt backup.txt 1 72 72]")
	b.click("#ask-status .saves button:nth-child(3)")
	b.says("#ask-status .saves [role=alert]", "no room")
	b.click("#ask-rows tr:nth-child(2) td.num a")
	b.says("#compare-at", "Passage 1 of")
	b.do(evaluate(`location.hash = "#ask?q=" + encodeURIComponent("SELECT id, text FROM docs WHERE id = 'release-1.0.txt'")`))
	b.says("#ask-rows", "Release 1.0 This is the first")
	b.click("#ask-rows td a")
	b.says("#find-status", "release-1.0.txt: 2 versions")
}

func one(_ int, err error) error { return err }
