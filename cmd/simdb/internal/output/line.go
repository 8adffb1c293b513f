package output

// The format line, for people: one value per line, for rows too wide for a table.

import (
	"fmt"
	"io"
	"strings"
)

// linePrinter writes one value per line, and an empty line between rows. It escapes names like
// values, because imported texts determine the names of metadata.
type linePrinter struct {
	w     io.Writer
	names []string // escaped, padded to equal width
	rows  int
}

func newLines(w io.Writer, columns []string) *linePrinter {
	p := &linePrinter{w: w}
	widest := 0
	for _, name := range columns {
		p.names = append(p.names, EscapeControls(name))
		widest = max(widest, TextWidth(p.names[len(p.names)-1]))
	}
	for i, name := range p.names {
		p.names[i] = padLeft(name, widest)
	}
	return p
}

func (p *linePrinter) Row(values []any) error {
	var b strings.Builder
	if p.rows++; p.rows > 1 {
		b.WriteByte('\n')
	}
	for i, v := range values {
		fmt.Fprintf(&b, "%s = %s\n", p.names[i], displayText(v))
	}
	_, err := io.WriteString(p.w, b.String())
	return err
}

func (p *linePrinter) End() error { return nil }
