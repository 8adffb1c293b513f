package maintain

// Printers of changes: lines of JSON, or rows with a column per field.

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/query"
)

var changeColumns = []string{"seq", "place", "of", "time", "change", "collection", "id", "id64", "text", "text64", "tokens", "tokens64", "meta", "settings", "group"}

// changePrinter writes changes, either to lines or to rows.
type changePrinter struct {
	lines *json.Encoder  // of ndjson
	rows  output.Printer // of the other formats
}

// newChangePrinter returns a printer of changes in a format.
func newChangePrinter(format string, w io.Writer, s output.Style) changePrinter {
	if format != "ndjson" {
		return changePrinter{rows: output.NewPrinter(format, w, query.Columns(changeColumns...), s)}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return changePrinter{lines: enc}
}

func (p changePrinter) write(l changeLine) error {
	if p.lines != nil {
		return p.lines.Encode(l)
	}
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber() // metadata keeps its digits
	var fields map[string]any
	if err := d.Decode(&fields); err != nil {
		return err
	}
	row := make([]any, len(changeColumns))
	for i, name := range changeColumns {
		row[i] = fields[name]
	}
	row[0], row[1], row[2] = int64(l.Seq), int64(l.Place), int64(l.Of)
	return p.rows.Row(row)
}

func (p changePrinter) end() error {
	if p.rows == nil {
		return nil
	}
	return p.rows.End()
}
