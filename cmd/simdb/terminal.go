package main

// What a terminal can show: colour, and a width to which tables are fitted.

import (
	"io"
	"os"
)

// style says what the output can show.
type style struct {
	color bool
	width int // columns to which tables are fitted, 0 where there is no terminal: then they are as wide as their cells
}

// styleOf returns what w can show. There is colour only on a terminal, unless
// NO_COLOR is set (no-color.org).
func styleOf(w io.Writer) style {
	width := terminalWidth(w)
	return style{width: width, color: width > 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func isTerminal(f any) bool { return terminalWidth(f) > 0 }

func bold(s string) string { return "\x1b[1m" + s + "\x1b[0m" }
func red(s string) string  { return "\x1b[31m" + s + "\x1b[0m" }
