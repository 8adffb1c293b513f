package shell

// The line on the screen. It is laid out here, not by the terminal, so that it is known in
// which row the cursor stands, also when the terminal becomes narrower.

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// drawn is how a line lies on the screen: how wide its rows are, and where the cursor is.
type drawn struct {
	rows     []int
	row, col int
}

// layout lays a line out in rows of a width. It returns what to write. colors has what begins
// the colour of each character; nil is none.
func layout(prompt string, text []rune, colors []string, at, width int) (string, drawn) {
	var b strings.Builder
	d := drawn{rows: []int{0}}
	put := func(s string, w int) {
		if d.rows[len(d.rows)-1]+w > width {
			b.WriteString("\r\n")
			d.rows = append(d.rows, 0)
		}
		b.WriteString(s)
		d.rows[len(d.rows)-1] += w
	}
	for _, r := range prompt {
		put(string(r), output.TextWidth(string(r)))
	}
	for i := 0; i <= len(text); i++ {
		if i == at {
			d.row, d.col = len(d.rows)-1, d.rows[len(d.rows)-1]
		}
		if i == len(text) {
			break
		}
		s := string(text[i])
		if !unicode.IsPrint(text[i]) && !unicode.IsMark(text[i]) { // a tab of a paste; nothing here controls the terminal
			s = " "
		}
		w := output.TextWidth(s)
		if i == at && d.col+w > width {
			d.row, d.col = d.row+1, 0
		}
		if colors != nil && (i == 0 || colors[i] != colors[i-1]) {
			b.WriteString(plain + colors[i])
		}
		put(s, w)
	}
	if colors != nil {
		b.WriteString(plain)
	}
	if d.col == width { // the cursor stands behind a full row
		if d.row == len(d.rows)-1 {
			b.WriteString("\r\n")
			d.rows = append(d.rows, 0)
		}
		d.row, d.col = d.row+1, 0
	}
	return b.String(), d
}

// above returns how many rows of a terminal of a width lie above the cursor. A terminal that
// has become narrower has broken the rows.
func (d drawn) above(width int) (n int) {
	for _, w := range d.rows[:d.row] {
		n += max(1, (w+width-1)/width)
	}
	return n + d.col/width
}

// clear returns what goes back to where the line begins, and removes it.
func (d drawn) clear(width int) string {
	up := "\r"
	if n := d.above(width); n > 0 {
		up += fmt.Sprintf("\x1b[%dA", n)
	}
	return up + "\x1b[J"
}

// show returns what writes a line and puts the cursor in its place.
func show(prompt string, text []rune, colors []string, at, width int) (string, drawn) {
	s, d := layout(prompt, text, colors, at, width)
	if n := len(d.rows) - 1 - d.row; n > 0 {
		s += fmt.Sprintf("\x1b[%dA", n)
	}
	s += "\r"
	if d.col > 0 {
		s += fmt.Sprintf("\x1b[%dC", d.col)
	}
	return s, d
}
