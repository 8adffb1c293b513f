package output

// The formats csv and tsv, for programs. Values are complete, with only the escapes that the
// format requires.

import (
	"encoding/csv"
	"io"
	"strings"
)

// csvPrinter writes RFC 4180 with a header line.
type csvPrinter struct{ w *csv.Writer }

// newCSV writes the header and returns the printer.
func newCSV(w io.Writer, columns []string) *csvPrinter {
	p := &csvPrinter{csv.NewWriter(w)}
	p.w.Write(columns) // the writer returns an error again from the next call
	return p
}

func (p *csvPrinter) Row(values []any) error {
	return p.w.Write(plainTexts(values))
}

// plainTexts formats the values of a row completely.
func plainTexts(values []any) []string {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = plainText(v)
	}
	return cells
}

func (p *csvPrinter) End() error {
	p.w.Flush()
	return p.w.Error()
}

// tsvPrinter writes one line per row, with tabs, line breaks and backslashes escaped as \t, \n, \r
// and \\.
type tsvPrinter struct {
	w       io.Writer
	columns []string
	headed  bool
}

var tsvEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func (p *tsvPrinter) Row(values []any) error {
	if err := p.head(); err != nil {
		return err
	}
	return p.write(plainTexts(values))
}

func (p *tsvPrinter) End() error { return p.head() }

// head writes the header before the first row.
func (p *tsvPrinter) head() error {
	if p.headed {
		return nil
	}
	p.headed = true
	return p.write(p.columns)
}

func (p *tsvPrinter) write(cells []string) error {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = tsvEscapes.Replace(c)
	}
	_, err := io.WriteString(p.w, strings.Join(escaped, "\t")+"\n")
	return err
}
