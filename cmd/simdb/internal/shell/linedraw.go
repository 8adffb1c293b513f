package shell

// Layout of the line on the screen. The shell wraps lines itself, so that it knows the row of the
// cursor even after the terminal becomes narrower.

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// drawn is the layout of a line on the screen: the widths of its rows, and the cursor position.
type drawn struct {
	rows     []int
	row, col int
}

// layout wraps a line into rows of a width and returns the output. colors has the escape sequence of
// each character, nil for none.
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
		if !unicode.IsPrint(text[i]) && !unicode.IsMark(text[i]) { // such as a pasted tab; control characters must not reach the terminal
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
	if d.col == width { // the cursor is after a full row
		if d.row == len(d.rows)-1 {
			b.WriteString("\r\n")
			d.rows = append(d.rows, 0)
		}
		d.row, d.col = d.row+1, 0
	}
	return b.String(), d
}

// above returns the number of terminal rows above the cursor. A terminal that has become narrower
// has wrapped the drawn rows.
func (d drawn) above(width int) (n int) {
	for _, w := range d.rows[:d.row] {
		n += max(1, (w+width-1)/width)
	}
	return n + d.col/width
}

// clear returns the output that moves the cursor to the start of the line and erases the line.
func (d drawn) clear(width int) string {
	up := "\r"
	if n := d.above(width); n > 0 {
		up += fmt.Sprintf("\x1b[%dA", n)
	}
	return up + "\x1b[J"
}

// show returns the output that writes a line and positions the cursor.
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
