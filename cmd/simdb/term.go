package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

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

func isTerminal(f any) bool { return terminalWidth(f) > 0 }

// styleOf returns what w can show. Colour is for terminals whose owner has not
// said NO_COLOR (no-color.org).
func styleOf(w io.Writer) style {
	width := terminalWidth(w)
	return style{width: width, color: width > 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func bold(s string) string { return "\x1b[1m" + s + "\x1b[0m" }
func red(s string) string  { return "\x1b[31m" + s + "\x1b[0m" }
