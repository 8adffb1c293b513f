package syntax

// Positions in a statement, and the errors that point at them. An error has the expected
// and the found text, and a hint if a likely correction exists.

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/simdb/simdb/api"
)

// Pos is a position in a statement or script, counted from 1. Col counts code points.
type Pos struct{ Line, Col int }

// Place returns the position itself, so that every node that embeds a Pos has a Place.
func (p Pos) Place() Pos { return p }

// errorAt returns an error of the language. query/plan adds its cause, which belongs to the
// engine.
func errorAt(at Pos, expected, found, hint string) *api.ParseError {
	return &api.ParseError{Line: at.Line, Col: at.Col, Expected: expected, Found: found, Suggestion: hint}
}

// caretWidth is the number of code points of a long line that Caret shows on either side.
const caretWidth = 40

// StatementText is the text of one statement, and its position in the script.
type StatementText struct {
	Text string
	At   Pos
}

// InScript returns a copy of an error in the statement with its position in the script.
func (s StatementText) InScript(e *api.ParseError) *api.ParseError {
	placed := *e
	if e.Line == 1 {
		placed.Col += s.At.Col - 1
	}
	placed.Line += s.At.Line - 1
	return &placed
}

// Caret returns the line of src that an error points at, with a caret below the position.
// It returns "" for an error without a position in src.
func Caret(src string, err error) string {
	var pe *api.ParseError
	if !errors.As(err, &pe) || pe.Line < 1 || pe.Col < 1 {
		return ""
	}
	for range pe.Line - 1 {
		_, rest, ok := strings.Cut(src, "\n")
		if !ok {
			return ""
		}
		src = rest
	}
	line, _, _ := strings.Cut(src, "\n")
	runes := []rune(strings.TrimSuffix(line, "\r"))
	col := min(pe.Col-1, len(runes))
	from, to := max(0, col-caretWidth), min(len(runes), col+caretWidth)
	var text, pad strings.Builder
	if from > 0 {
		text.WriteRune('…')
		pad.WriteRune(' ')
	}
	for i, r := range runes[from:to] {
		if !unicode.IsPrint(r) {
			r = ' '
		}
		text.WriteRune(r)
		if from+i < col {
			pad.WriteRune(' ')
		}
	}
	if to < len(runes) {
		text.WriteRune('…')
	}
	return text.String() + "\n" + pad.String() + "^"
}

// Quote formats a piece of a statement for a message, shortened.
func Quote(s string) string {
	if r := []rune(s[:min(len(s), 200)]); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}

// DidYouMean suggests the name nearest to found. It returns "" if no name is near, or if
// found is itself a name, because the error must then lie elsewhere.
func DidYouMean(found string, names []string) string {
	if found == "" {
		return ""
	}
	best, dist := "", 1+len(found)/3
	for _, n := range names {
		if d := EditDistance(strings.ToLower(found), strings.ToLower(n)); d <= dist && (best == "" || d < dist) {
			best, dist = n, d
		}
	}
	if best == "" || strings.EqualFold(best, found) {
		return ""
	}
	return "did you mean " + best + "?"
}

// EditDistance counts the insertions, deletions, replacements and swaps of neighbours that
// turn a into b. It counts bytes, and treats names over 64 bytes as far apart, which bounds
// its quadratic time.
func EditDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
