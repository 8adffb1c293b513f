package main

// How wide things are on a terminal: the terminal itself, a text in columns of
// it, and a cell that is cut or filled up to a width.

import (
	"os"
	"strings"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// leastCut is the narrowest that a cell is cut to, on whatever terminal.
const leastCut = 20

// terminalWidth returns the columns of the terminal f is, or 0 when it is none.
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

// cutToTerminal cuts a cell that is wider than the terminal; a width of 0, which
// is no terminal, cuts nothing.
func cutToTerminal(s string, width int) string {
	if width == 0 {
		return s
	}
	return runewidth.Truncate(s, max(leastCut, width), "…")
}

// padLeft and padRight fill a cell up to a width.
func padLeft(s string, width int) string  { return spaces(s, width) + s }
func padRight(s string, width int) string { return s + spaces(s, width) }

func spaces(s string, width int) string { return strings.Repeat(" ", max(0, width-textWidth(s))) }
