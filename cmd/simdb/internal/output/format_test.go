package output

// Every format, over the same rows.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
)

var (
	sampleColumns = []string{"id", "sim", "note"}
	sampleTable   = [][]any{
		{"a", 1.0, "x, \"y\""},
		{"b\x1b[31m\xff\n", 1.0 / 3, nil},
		{"日本|c", 0.99999999, map[string]any{"k": []any{json.Number("1"), "<&>"}}},
	}
)

func written(t *testing.T, format string, columns []string, rows [][]any, s Style) string {
	t.Helper()
	var b strings.Builder
	p := NewPrinter(format, &b, untyped(columns...), s)
	for _, row := range rows {
		if err := p.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormats(t *testing.T) {
	for format, want := range map[string]string{
		"table": `
id                      sim  note
-------------  ------------  -----------------
a                         1  x, "y"
b\x1b[31m\xff\n    0.333333  NULL
日本|c           0.99999999  {"k":[1,"<&>"]}
`,
		"csv": `
id,sim,note
a,1,"x, ""y"""
` + "\"b\x1b[31m\xff\n\"" + `,0.3333333333333333,
日本|c,0.99999999,"{""k"":[1,""<&>""]}"
`,
		"tsv": "\nid\tsim\tnote\na\t1\tx, \"y\"\nb\x1b[31m\xff\\n\t0.3333333333333333\t\n日本|c\t0.99999999\t{\"k\":[1,\"<&>\"]}\n",
		"json": `
[
{"id":"a","sim":1,"note":"x, \"y\""},
{"id":"b\u001b[31m\ufffd\n","sim":0.3333333333333333,"note":null},
{"id":"日本|c","sim":0.99999999,"note":{"k":[1,"<&>"]}}
]
`,
		"ndjson": `
{"id":"a","sim":1,"note":"x, \"y\""}
{"id":"b\u001b[31m\ufffd\n","sim":0.3333333333333333,"note":null}
{"id":"日本|c","sim":0.99999999,"note":{"k":[1,"<&>"]}}
`,
		"line": `
  id = a
 sim = 1
note = x, "y"

  id = b\x1b[31m\xff\n
 sim = 0.333333
note = NULL

  id = 日本|c
 sim = 0.99999999
note = {"k":[1,"<&>"]}
`,
	} {
		got := written(t, format, sampleColumns, sampleTable, Style{})
		if format == "table" { // its rules depend on widths that the eye checks better than a literal
			got = squeeze(got)
			want = squeeze(want)
		}
		if got != strings.TrimPrefix(want, "\n") && got != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, got, want)
		}
	}
}

// Names of columns come from metadata, which is made by others: what eyes read
// shows their control characters and escapes, but does not send them.
func TestFormatsEscapeNames(t *testing.T) {
	columns := []string{"id", "a\x1b[2J\r\n\x07", "\u202eb", "\x9b31m\xff"}
	rows := [][]any{{"x", "1", "2", "3"}}
	for _, format := range []string{"table", "box", "line", "markdown"} {
		got := written(t, format, columns, rows, Style{})
		if strings.ContainsAny(got, "\x1b\r\a\u202e\u009b") || strings.Contains(got, "\xff") {
			t.Errorf("%s sends control characters of a name: %q", format, got)
		}
		if !strings.Contains(got, `a\x1b[2J\r\n\a`) || !strings.Contains(got, `\u202eb`) {
			t.Errorf("%s does not show them: %q", format, got)
		}
	}
}

// squeeze collapses runs of spaces and dashes, so that one test may check the content of a
// table and another its alignment.
func squeeze(s string) string {
	for _, c := range []string{" ", "-"} {
		for strings.Contains(s, c+c) {
			s = strings.ReplaceAll(s, c+c, c)
		}
	}
	return strings.TrimPrefix(s, "\n")
}

func TestTableAlignment(t *testing.T) {
	rows := [][]any{{"日本", int64(7)}, {"abcdef", int64(1234)}}
	for format, want := range map[string]string{
		"table": `
id         n
------  ----
日本       7
abcdef  1234
`,
		"box": `
┌────────┬──────┐
│ id     │    n │
├────────┼──────┤
│ 日本   │    7 │
│ abcdef │ 1234 │
└────────┴──────┘
`,
		"markdown": `
| id     |    n |
| ------ | ---- |
| 日本   |    7 |
| abcdef | 1234 |
`,
	} {
		if got := "\n" + written(t, format, []string{"id", "n"}, rows, Style{}); got != want {
			t.Errorf("%s:%s\nwant%s", format, got, want)
		}
	}
}

func TestMarkdownEscapesPipes(t *testing.T) {
	if got := written(t, "markdown", []string{"a|b"}, [][]any{{"c|d"}}, Style{}); !strings.Contains(got, `a\|b`) || !strings.Contains(got, `c\|d`) {
		t.Errorf("markdown left a pipe bare:\n%s", got)
	}
}

func TestNoRows(t *testing.T) {
	for format, want := range map[string]string{
		"table":    "id   sim  note\n---  ---  ----\n",
		"box":      "┌─────┬─────┬──────┐\n│ id  │ sim │ note │\n├─────┼─────┼──────┤\n└─────┴─────┴──────┘\n",
		"markdown": "| id  | sim | note |\n| --- | --- | ---- |\n",
		"line":     "", "csv": "id,sim,note\n", "tsv": "id\tsim\tnote\n", "json": "[]\n", "ndjson": "",
	} {
		if got := written(t, format, sampleColumns, nil, Style{}); got != want {
			t.Errorf("%s of no rows = %q, want %q", format, got, want)
		}
	}
}

// A table of any length is written as it comes: rows beyond the sample are not held.
func TestTableStreams(t *testing.T) {
	var b strings.Builder
	p := NewPrinter("table", &b, untyped("n"), Style{})
	for i := range sampleRows + 1 {
		if err := p.Row([]any{i}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := strings.Count(b.String(), "\n"), sampleRows+3; got != want {
		t.Errorf("%d lines written before the end, want %d", got, want)
	}
}

// Rows of very many cells are not held by the thousand.
func TestTableOfManyColumnsStreams(t *testing.T) {
	var b strings.Builder
	columns := make([]string, sampleCells/4)
	p := NewPrinter("table", &b, untyped(columns...), Style{})
	for range 5 {
		if err := p.Row(make([]any, len(columns))); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := strings.Count(b.String(), "\n"), 5+2; got != want {
		t.Errorf("%d lines written before the end, want %d", got, want)
	}
}

func TestTableWrapsOnlyOnTerminals(t *testing.T) {
	long := strings.Repeat("x", 500)
	if got := written(t, "table", []string{"id"}, [][]any{{long}}, Style{}); !strings.Contains(got, long) {
		t.Errorf("a piped table was cut: %q", got)
	}
	if got := written(t, "table", []string{"id"}, [][]any{{long}}, Style{Width: 60}); strings.Contains(got, strings.Repeat("x", 61)) || strings.Count(got, "x") != 500 {
		t.Errorf("a table on a terminal of 60 columns was not wrapped: %q", got)
	}
}

func TestColor(t *testing.T) {
	if got := written(t, "table", []string{"id"}, nil, Style{Color: true}); !strings.Contains(got, "\x1b[1m") {
		t.Errorf("coloured head has no bold: %q", got)
	}
	if got := written(t, "table", []string{"id"}, nil, Style{}); strings.Contains(got, "\x1b") {
		t.Errorf("plain table has an escape: %q", got)
	}
}

func TestDisplayFloat(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 1: "1", 0.5: "0.5", 2.0 / 3: "0.666667", 0.9999999: "0.9999999", 1e-9: "1e-09", 12.25: "12.25", -0.25: "-0.25",
	} {
		if got := displayFloat(f); got != want {
			t.Errorf("displayFloat(%v) = %q, want %q", f, got, want)
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorsSurface(t *testing.T) {
	for _, format := range Formats {
		p := NewPrinter(format, brokenWriter{}, untyped("id"), Style{})
		var err error
		for i := 0; i < 2*sampleRows && err == nil; i++ {
			err = p.Row([]any{fmt.Sprint(i)})
		}
		if err == nil {
			err = p.End()
		}
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v, want %v", format, err, errBroken)
		}
	}
}

func BenchmarkNDJSON(b *testing.B) {
	p := NewPrinter("ndjson", io.Discard, untyped("a", "b", "sim", "shared", "union"), Style{})
	for b.Loop() {
		if err := p.Row([]any{"linux-6.12/process/howto.rst", "linux-6.13/process/howto.rst", 0.98765, uint64(1234), uint64(1250)}); err != nil {
			b.Fatal(err)
		}
	}
}

// untyped returns columns of no declared type.
func untyped(names ...string) (columns []api.Column) {
	for _, name := range names {
		columns = append(columns, api.Column{Name: name})
	}
	return columns
}
