package main

// The formats table, box and markdown. Columns are aligned, and on a terminal
// cut to its width.

import (
	"io"
	"strings"
)

// sampleRows rows are held back to learn the widths of the columns. A later
// cell that is wider than all of these shifts the rest of its line.
const (
	sampleRows  = 1000
	sampleCells = 1 << 20 // fewer rows are held back where they have very many cells
)

// rules are the characters that make a table.
type rules struct {
	left, between, right string // of a line of cells
	top, under, bottom   *rule  // nil: no such line
	pipes                bool   // a "|" in a cell is escaped
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

// tablePrinter lays rows out in columns: numbers to the right, everything else
// to the left.
type tablePrinter struct {
	w       io.Writer
	rules   rules
	style   style
	columns []string
	held    [][]any
	widths  []int // nil until the header is written
}

func newTable(w io.Writer, columns []string, r rules, s style) *tablePrinter {
	return &tablePrinter{w: w, rules: r, style: s, columns: columns}
}

func (t *tablePrinter) row(values []any) error {
	if t.widths != nil {
		return t.writeRow(values)
	}
	t.held = append(t.held, append([]any(nil), values...))
	if len(t.held) < sampleRows && len(t.held)*len(t.columns) < sampleCells {
		return nil
	}
	return t.release()
}

func (t *tablePrinter) end() error {
	if t.widths == nil {
		if err := t.release(); err != nil {
			return err
		}
	}
	return t.writeRule(t.rules.bottom)
}

// release decides on the widths, and writes the header and the rows held back.
func (t *tablePrinter) release() error {
	t.widths = make([]int, len(t.columns))
	right := make([]bool, len(t.columns))
	for i, name := range t.columns {
		t.widths[i] = max(3, textWidth(escapeControls(name))) // markdown wants three dashes
	}
	for _, row := range t.held {
		for i, v := range row[:min(len(row), len(t.widths))] {
			t.widths[i] = max(t.widths[i], textWidth(t.cell(v)))
			right[i] = right[i] || isNumber(v)
		}
	}
	head := make([]string, len(t.columns))
	for i, name := range t.columns {
		head[i] = t.pad(t.escape(escapeControls(name)), i, right[i])
		if t.style.color {
			head[i] = bold(head[i])
		}
	}
	if err := t.writeRule(t.rules.top); err != nil {
		return err
	}
	if err := t.writeCells(head); err != nil {
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
	cells := make([]string, len(t.columns))
	for i := range cells {
		if i < len(values) {
			cells[i] = t.pad(t.cell(values[i]), i, isNumber(values[i]))
		}
	}
	return t.writeCells(cells)
}

func (t *tablePrinter) cell(v any) string {
	return cutToTerminal(t.escape(displayText(v)), t.style.width)
}

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
	return padRight(s, t.widths[column])
}

func (t *tablePrinter) writeCells(cells []string) error {
	line := t.rules.left + strings.Join(cells, t.rules.between) + t.rules.right
	_, err := io.WriteString(t.w, strings.TrimRight(line, " ")+"\n")
	return err
}

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
