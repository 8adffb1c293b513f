package output

// Properties of a terminal: colour and width; the width of texts; padding.

import (
	"io"
	"os"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"
)

// Style describes the capabilities of an output.
type Style struct {
	Color bool
	Width int // columns to fit tables to; 0 without a terminal, for tables as wide as their cells
}

// StyleOf returns the capabilities of w, with colour according to c.
func StyleOf(w io.Writer, c Color) Style {
	width := TerminalWidth(w)
	return Style{Width: width, Color: c.on(width > 0)}
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f any) bool { return TerminalWidth(f) > 0 }

// Bold adds the codes for bold on a terminal.
func Bold(s string) string { return "\x1b[1m" + s + "\x1b[0m" }

// Red adds the codes for red on a terminal.
func Red(s string) string { return "\x1b[31m" + s + "\x1b[0m" }

// leastCut is the minimal width of a cut cell, on any terminal.
const leastCut = 20

// TerminalWidth returns the number of columns of the terminal f, or 0 if f is not a terminal.
func TerminalWidth(f any) int {
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

// TextWidth returns the width of a text in columns. Some characters take two.
func TextWidth(s string) int { return displaywidth.String(s) }

// padLeft pads a cell on the left to a width in columns.
func padLeft(s string, width int) string { return spaces(s, width) + s }

// PadRight pads a cell on the right to a width in columns.
func PadRight(s string, width int) string { return s + spaces(s, width) }

func spaces(s string, width int) string { return strings.Repeat(" ", max(0, width-TextWidth(s))) }
