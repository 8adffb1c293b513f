package main

// How wide things are on a terminal: the terminal itself, a text in its
// columns, and a cell that is cut or padded to a width.

import (
	"os"
	"strings"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// leastCut is the smallest width to which a cell is cut, on any terminal.
const leastCut = 20

// terminalWidth returns the number of columns of the terminal f, or 0 if f is
// none.
func terminalWidth(f any) int {
	file, ok := f.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// textWidth returns how many columns a text takes. Some characters take two.
func textWidth(s string) int { return runewidth.StringWidth(s) }

// cutToTerminal cuts a cell that is wider than the terminal. A width of 0 means
// that there is no terminal, and cuts nothing.
func cutToTerminal(s string, width int) string {
	if width == 0 {
		return s
	}
	return runewidth.Truncate(s, max(leastCut, width), "…")
}

// padLeft and padRight pad a cell to a width.
func padLeft(s string, width int) string  { return spaces(s, width) + s }
func padRight(s string, width int) string { return s + spaces(s, width) }

func spaces(s string, width int) string { return strings.Repeat(" ", max(0, width-textWidth(s))) }
