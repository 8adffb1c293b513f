package output

// Tables on terminals of every width.

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// No line of a table is wider than the terminal, and no character of a cell is lost or torn:
// the cells of a row, read down, are what was written. Of a text that is wider than the terminal
// they are its beginning.
func TestTablesFit(t *testing.T) {
	words := []string{"shingle", "linux-6.12/process/howto.rst", "日本語の文", "e\u0301e\u0301", "👩‍👩‍👧", "\x1b[31m", strings.Repeat("x", 70), "a b c d", "", "1010101010101010101010101010101010101010101010101010101010101010"}
	r, long := rand.New(rand.NewPCG(1, 2)), 0
	for _, format := range []string{"table", "box"} {
		for _, width := range []int{60, 80, 100, 101, 200} {
			columns := []string{"id", "sim", "similar_id", "text"}
			var rows [][]any
			for i := range 30 {
				text := func() string { return words[r.IntN(len(words))] + " " + words[r.IntN(len(words))] }
				rows = append(rows, []any{fmt.Sprint(i, "-", text()), r.Float64(), text(), strings.TrimSpace(strings.Repeat(text()+" ", r.IntN(3)))})
			}
			got := written(t, format, columns, rows, Style{Width: width})
			for line := range strings.Lines(got) {
				if w := TextWidth(strings.TrimSuffix(line, "\n")); w > width {
					t.Errorf("%s of %d columns has a line of %d: %q", format, width, w, line)
				}
			}
			if strings.ContainsAny(got, "\x1b") {
				t.Errorf("%s lets an escape through", format)
			}
			if format == "table" {
				continue
			}
			cells := make([]strings.Builder, len(columns))
			for line := range strings.Lines(got) {
				parts := strings.Split(strings.Trim(line, "│\n"), "│")
				if len(parts) != len(columns) {
					continue // a rule
				}
				for i, p := range parts {
					cells[i].WriteString(strings.ReplaceAll(p, " ", ""))
				}
			}
			for i := range columns {
				want := columns[i]
				for _, row := range rows {
					text := displayText(row[i])
					if TextWidth(text) > width && strings.Contains(text, " ") {
						long++
						text = displaywidth.TruncateString(text, width, "…")
					}
					want += text
				}
				if got, want := cells[i].String(), strings.ReplaceAll(want, " ", ""); got != want {
					t.Errorf("column %s of %d columns reads\n%q\nwant\n%q", columns[i], width, got, want)
				}
			}
		}
	}
	if long == 0 {
		t.Error("no text was longer than the terminal")
	}
}

// A long text is cut, and a long word is not: it may be an id.
func TestLongCells(t *testing.T) {
	id, text := strings.Repeat("x", 100), strings.Repeat("word ", 100)
	got := written(t, "table", []string{"id", "text"}, [][]any{{id, text}}, Style{Width: 60})
	if strings.Count(got, "x") != 100+1 || strings.Count(got, "word") > 12 || !strings.Contains(got, "…") {
		t.Errorf("a long id and a long text are\n%s", got)
	}
	if whole := written(t, "csv", []string{"id", "text"}, [][]any{{id, text}}, Style{Width: 60}); !strings.Contains(whole, text) {
		t.Errorf("csv cuts a text: %q", whole)
	}
}

// A cell breaks where words do, if there are any.
func TestWrapped(t *testing.T) {
	for _, tt := range []struct {
		in    string
		width int
		want  string
	}{
		{"one two three", 7, "one two|three"},
		{"process/howto.rst", 10, "process/|howto.rst"},
		{"日本語", 5, "日本|語"},
		{"abcdef", 3, "abc|def"},
		{"", 3, ""},
	} {
		if got := strings.Join(wrapped(tt.in, tt.width), "|"); got != tt.want {
			t.Errorf("wrapped(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.want)
		}
	}
	long := wrapped(strings.Repeat("long ", 1000), 10)
	if len(long) != mostLines || !strings.HasSuffix(long[mostLines-1], "…") {
		t.Errorf("a text of %d lines ends with %q", len(long), long[len(long)-1])
	}
}
