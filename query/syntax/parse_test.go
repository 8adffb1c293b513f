package syntax

// Parsing and printing, with what both have to say in testdata/parse.txt and
// testdata/errors.txt.

import (
	"errors"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
)

var update = flag.Bool("update", false, "write the answers of testdata anew")

// golden goes through a file of cases: an input, a line of dashes, the answer,
// an empty line. With -update it writes the answers.
func golden(t *testing.T, file string, answer func(input string) string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cases := 0
	for block := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n\n") {
		input, want, ok := strings.Cut(strings.TrimLeft(block, "\n"), "\n----")
		if !ok {
			t.Fatalf("%s: no answer to %q", file, block)
		}
		want = strings.TrimPrefix(want, "\n")
		got := strings.TrimRight(answer(input), "\n")
		if !*update && got != want {
			t.Errorf("%s:\n%s\ngot\n%s\nwant\n%s", file, input, got, want)
		}
		out.WriteString(input + "\n----\n" + got + "\n\n")
		cases++
	}
	if cases < 5 {
		t.Errorf("%s: only %d cases", file, cases)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// parsed shows a statement, or its error with the caret.
func parsed(src string) string {
	s, err := Parse(src)
	if err != nil {
		return Caret(src, err) + "\n" + err.Error()
	}
	return s.String()
}

func TestParse(t *testing.T)       { golden(t, "testdata/parse.txt", parsed) }
func TestParseErrors(t *testing.T) { golden(t, "testdata/errors.txt", parsed) }

// What no text file should hold is written here.
func TestParseUnreadable(t *testing.T) {
	tests := []struct{ src, want string }{
		{"", "1:1: want a statement, found the end"},
		{" ;", `1:2: want a statement, found ";"`},
		{"\uFEFFCHECK", "1:1: want readable text, found a byte order mark; save the text without it"},
		{"CHECK\x00", "1:6: want readable text, found a NUL byte"},
		{"SIMILAR TO 'a\x00b'", "1:14: want readable text, found a NUL byte"},
		{"SIMILAR TO 'é\xffb'", "1:14: want readable text, found a byte that is not UTF-8"},
		{"SIMILAR TO $$\n\xff$$", "2:1: want readable text, found a byte that is not UTF-8"},
		{"\xff", "1:1: want readable text, found a byte that is not UTF-8"},
		{"CHECK\r\nx", `2:1: want the end of the statement, found "x"`},
		{"SIMILAR TO a WHERE " + strings.Repeat("(", 300_000), `1:84: want at most 64 levels of NOT and parentheses, found "("`},
		{"SIMILAR TO a WHERE " + strings.Repeat("NOT ", 300_000), `1:276: want at most 64 levels of NOT and parentheses, found "NOT"`},
		{strings.Repeat("(", 300_000), `1:1: want a statement, found "("`},
		{"SIMILAR TO TEXT '" + strings.Repeat("x", 1<<20) + "'", "1:17: want a statement of at most 1 MB, found more"},
		{"SIMILAR TO a IN " + strings.Repeat("x", 1<<20), "1:17: want a statement of at most 1 MB, found more"},
		{"SIMILAR TO a WHERE n = 1e1000000000", `1:24: want a number of at most 100 digits, found "1e1000000000"`},
	}
	for _, tt := range tests {
		_, err := Parse(tt.src)
		var pe *api.ParseError
		if !errors.As(err, &pe) || err.Error() != tt.want {
			t.Errorf("Parse(%.60q) = %v, want %s", tt.src, err, tt.want)
		}
	}
}

func TestParseManyTerms(t *testing.T) {
	src := "SIMILAR TO a WHERE x = 1" + strings.Repeat(" OR x = 1", 100_000)
	s, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.(*Similar).Where.(*Or).Args); n != 100_001 {
		t.Errorf("the OR holds %d terms, want 100001", n)
	}
}

func TestCaret(t *testing.T) {
	long := "SIMILAR TO a WHERE " + strings.Repeat("year = 1 OR ", 20) + "sim >= high OR " + strings.Repeat("year = 1 OR ", 20)
	tests := []struct{ src, want string }{
		{"SIMILAR\tTO\nFROM", "FROM\n^"},
		{"SIMILAR TO é 'x'", "SIMILAR TO é 'x'\n             ^"},
		{"CHECK x\x01y\r\n", "CHECK x y\n      ^"},
		{long, "…r = 1 OR year = 1 OR year = 1 OR sim >= high OR year = 1 OR year = 1 OR year = 1…\n" + strings.Repeat(" ", 41) + "^"},
	}
	for _, tt := range tests {
		_, err := Parse(tt.src)
		if got := Caret(tt.src, err); got != tt.want {
			t.Errorf("Caret(%.40q, %v) =\n%s\nwant\n%s", tt.src, err, got, tt.want)
		}
	}
	for _, err := range []error{nil, errors.New("x"), &api.ParseError{}, &api.ParseError{Line: 9, Col: 1}} {
		if got := Caret("CHECK", err); got != "" {
			t.Errorf("Caret(CHECK, %v) = %q, want nothing", err, got)
		}
	}
}

// unplaced clears every position of a statement: where it was written is not
// what it says.
func unplaced(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			unplaced(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			unplaced(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Pos]() {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			unplaced(v.Field(i))
		}
	}
}

// roundTrip checks that the canonical text of a statement is that statement.
func roundTrip(t *testing.T, src string) {
	s, err := Parse(src)
	if err != nil {
		return
	}
	text := s.String()
	again, err := Parse(text)
	if err != nil {
		t.Fatalf("Parse(%q) prints %q, which does not parse: %v", src, text, err)
	}
	unplaced(reflect.ValueOf(s))
	unplaced(reflect.ValueOf(again))
	if !reflect.DeepEqual(s, again) || again.String() != text {
		t.Fatalf("Parse(%q) prints %q, which prints %q", src, text, again.String())
	}
}

// inputs returns the statements of the golden files.
func inputs(t testing.TB) []string {
	var out []string
	for _, file := range []string{"testdata/parse.txt", "testdata/errors.txt"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for block := range strings.SplitSeq(string(b), "\n\n") {
			in, _, _ := strings.Cut(block, "\n----")
			out = append(out, strings.TrimLeft(in, "\n"))
		}
	}
	return out
}

func TestPrintRoundTrip(t *testing.T) {
	for _, src := range inputs(t) {
		roundTrip(t, src)
	}
}

// No text makes the parser panic, its errors have a place inside the text, and
// what it accepts prints as itself.
func FuzzParse(f *testing.F) {
	for _, src := range inputs(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		roundTrip(t, src)
		_, err := Parse(src)
		var pe *api.ParseError
		if err == nil {
			return
		}
		if !errors.As(err, &pe) || pe.Line < 1 || pe.Col < 1 || pe.Line > 1+strings.Count(src, "\n") {
			t.Fatalf("Parse(%q): %v has no place", src, err)
		}
		if Caret(src, err) == "" {
			t.Fatalf("Parse(%q): no caret for %v", src, err)
		}
	})
}
