package output

// Fitting of tables to a terminal: column widths and line wrapping.

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

const (
	leastText   = 8  // minimal width of a text column while others are wider
	leastColumn = 3  // minimal width of every column
	mostLines   = 20 // limit of lines per cell; the rest is omitted
)

// fitColumns narrows columns until they fit a width: first the widest text columns, then all. Too many
// columns remain wider than the terminal.
func fitColumns(widths []int, numbers []bool, width int) {
	var text, all []int
	for i := range widths {
		all = append(all, i)
		if !numbers[i] {
			text = append(text, i)
		}
	}
	narrow(widths, text, width, leastText)
	narrow(widths, all, width, leastColumn)
}

// narrow reduces the widest of the columns which, down to least, until all columns fit.
func narrow(widths []int, which []int, width, least int) {
	over := -width
	for _, w := range widths {
		over += w
	}
	for over > 0 {
		widest := -1
		for _, i := range which {
			if widths[i] > least && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		next := least
		for _, i := range which {
			if i != widest && widths[i] < widths[widest] {
				next = max(next, widths[i])
			}
		}
		take := max(1, min(over, widths[widest]-next))
		widths[widest] -= take
		over -= take
	}
}

// cut shortens a long text to the width of the terminal, so that a row stays readable. A long word,
// such as an id or a path, stays whole for copying.
func cut(s string, width int) string {
	if strings.Contains(s, " ") && TextWidth(s) > width {
		return displaywidth.TruncateString(s, width, "…")
	}
	return s
}

// wrapped splits a text into lines of a width, after a space or a slash near the end of the line if
// possible, and never within a character.
func wrapped(s string, width int) (lines []string) {
	for TextWidth(s) > width {
		if len(lines) == mostLines-1 {
			return append(lines, displaywidth.TruncateString(s, width, "…"))
		}
		line := displaywidth.TruncateString(s, width, "")
		if line == "" { // a character wider than the column
			line = string([]rune(s)[:1])
		}
		if i := strings.LastIndexAny(line, " /"); i >= len(line)/2 && !strings.HasPrefix(s[len(line):], " ") {
			line = line[:i+1]
		}
		s = strings.TrimPrefix(s[len(line):], " ")
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return slices.Concat(lines, []string{s})
}
