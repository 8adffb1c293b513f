package output

// What a terminal can show: colour, and a width. How wide a text is in its columns, and a cell
// that is padded to a width.

import (
	"io"
	"os"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"
)

// Style says what the output can show.
type Style struct {
	Color bool
	Width int // columns to which tables are fitted, 0 where there is no terminal: then they are as wide as their cells
}

// StyleOf returns what w can show.
func StyleOf(w io.Writer, c Color) Style {
	width := TerminalWidth(w)
	return Style{Width: width, Color: c.on(width > 0)}
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f any) bool { return TerminalWidth(f) > 0 }

// Bold and Red mark a text on a terminal.
func Bold(s string) string { return "\x1b[1m" + s + "\x1b[0m" }
func Red(s string) string  { return "\x1b[31m" + s + "\x1b[0m" }

// leastCut is the smallest width to which a cell is cut, on any terminal.
const leastCut = 20

// TerminalWidth returns the number of columns of the terminal f, or 0 if f is
// none.
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

// TextWidth returns how many columns a text takes. Some characters take two.
func TextWidth(s string) int { return displaywidth.String(s) }

// padLeft and padRight pad a cell to a width.
func padLeft(s string, width int) string  { return spaces(s, width) + s }
func PadRight(s string, width int) string { return s + spaces(s, width) }

func spaces(s string, width int) string { return strings.Repeat(" ", max(0, width-TextWidth(s))) }
