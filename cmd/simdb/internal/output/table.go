package output

// The formats table, box and markdown, with aligned columns. On a terminal, columns are fitted to its
// width, wide cells wrap, and texts wider than the terminal are cut.

import (
	"io"
	"strings"
)

// sampleRows is the number of rows that determine the widths of the columns. A wider cell of a later
// row wraps, or without a terminal shifts the rest of its line.
const (
	sampleRows  = 1000
	sampleCells = 1 << 20 // limit of held cells, for rows with many columns
)

// rules holds the border characters of a table.
type rules struct {
	left, between, right string // around and between cells
	top, under, bottom   *rule  // horizontal rules; nil for none
	pipes                bool   // escape "|" in cells
}

// rule is a horizontal line of a table.
type rule struct{ left, fill, between, right string }

var (
	plainRules = rules{between: "  ", under: &rule{fill: "-", between: "  "}}
	boxRules   = rules{
		left: "│ ", between: " │ ", right: " │",
		top:    &rule{"┌─", "─", "─┬─", "─┐"},
		under:  &rule{"├─", "─", "─┼─", "─┤"},
		bottom: &rule{"└─", "─", "─┴─", "─┘"},
	}
	markdownRules = rules{left: "| ", between: " | ", right: " |", under: &rule{"| ", "-", " | ", " |"}, pipes: true}
)

// tablePrinter writes rows in columns, with numbers aligned to the right and other values to the left.
type tablePrinter struct {
	w       io.Writer
	rules   rules
	style   Style
	columns []string
	held    [][]any
	widths  []int // nil before the header
	fitted  bool  // columns fit a terminal; wider cells wrap
}

// newTable returns a printer with the given borders.
func newTable(w io.Writer, columns []string, r rules, s Style) *tablePrinter {
	return &tablePrinter{w: w, rules: r, style: s, columns: columns}
}

func (t *tablePrinter) Row(values []any) error {
	if t.widths != nil {
		return t.writeRow(values)
	}
	t.held = append(t.held, append([]any(nil), values...))
	if len(t.held) < sampleRows && len(t.held)*len(t.columns) < sampleCells {
		return nil
	}
	return t.release()
}

func (t *tablePrinter) End() error {
	if t.widths == nil {
		if err := t.release(); err != nil {
			return err
		}
	}
	return t.writeRule(t.rules.bottom)
}

// release determines the widths, and writes the header and the held rows.
func (t *tablePrinter) release() error {
	t.widths = make([]int, len(t.columns))
	right := make([]bool, len(t.columns))
	for i, name := range t.columns {
		t.widths[i] = max(3, TextWidth(EscapeControls(name))) // markdown requires three dashes
	}
	for _, row := range t.held {
		for i, v := range row[:min(len(row), len(t.widths))] {
			t.widths[i] = max(t.widths[i], TextWidth(t.cell(v)))
			right[i] = right[i] || isNumber(v)
		}
	}
	if t.style.Width > 0 {
		t.fitted = true
		edges := TextWidth(t.rules.left+t.rules.right) + (len(t.columns)-1)*TextWidth(t.rules.between)
		fitColumns(t.widths, right, t.style.Width-edges)
	}
	head := make([]string, len(t.columns))
	for i, name := range t.columns {
		head[i] = t.escape(EscapeControls(name))
	}
	if err := t.writeRule(t.rules.top); err != nil {
		return err
	}
	if err := t.writeCells(head, right, t.style.Color); err != nil {
		return err
	}
	if err := t.writeRule(t.rules.under); err != nil {
		return err
	}
	for _, row := range t.held {
		if err := t.writeRow(row); err != nil {
			return err
		}
	}
	t.held = nil
	return nil
}

func (t *tablePrinter) writeRow(values []any) error {
	cells, right := make([]string, len(t.columns)), make([]bool, len(t.columns))
	for i := range cells {
		if i < len(values) {
			cells[i], right[i] = t.cell(values[i]), isNumber(values[i])
		}
	}
	return t.writeCells(cells, right, false)
}

func (t *tablePrinter) cell(v any) string { return t.escape(displayText(v)) }

// escape escapes "|" if the format requires it.
func (t *tablePrinter) escape(s string) string {
	if t.rules.pipes {
		return strings.ReplaceAll(s, "|", `\|`)
	}
	return s
}

func (t *tablePrinter) pad(s string, column int, right bool) string {
	if right {
		return padLeft(s, t.widths[column])
	}
	return PadRight(s, t.widths[column])
}

// writeCells writes a row in as many lines as its longest cell needs.
func (t *tablePrinter) writeCells(cells []string, right []bool, head bool) error {
	lines, most := make([][]string, len(cells)), 1
	for i, c := range cells {
		lines[i] = []string{c}
		if t.fitted {
			lines[i] = wrapped(cut(c, t.style.Width), t.widths[i])
		}
		most = max(most, len(lines[i]))
	}
	var b strings.Builder
	parts := make([]string, len(cells))
	for n := range most {
		for i := range cells {
			part := ""
			if n < len(lines[i]) {
				part = lines[i][n]
			}
			if parts[i] = t.pad(part, i, right[i]); head {
				parts[i] = Bold(parts[i])
			}
		}
		line := t.rules.left + strings.Join(parts, t.rules.between) + t.rules.right
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// writeRule writes a horizontal rule; nil writes nothing.
func (t *tablePrinter) writeRule(r *rule) error {
	if r == nil {
		return nil
	}
	parts := make([]string, len(t.widths))
	for i, n := range t.widths {
		parts[i] = strings.Repeat(r.fill, n)
	}
	_, err := io.WriteString(t.w, r.left+strings.Join(parts, r.between)+r.right+"\n")
	return err
}
