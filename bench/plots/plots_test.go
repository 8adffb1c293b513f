package main

// These tests draw small tables of every kind of figure.

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every figure is drawn from a small table of its columns: well-formed, with its
// words as text, and small.
func TestFigures(t *testing.T) {
	for _, f := range figures {
		var b strings.Builder
		b.WriteString(strings.Join(f.columns(), ",") + "\n")
		for i := range 4 {
			var row []string
			for range f.series {
				row = append(row, fmt.Sprintf("curve <%d>", i%2))
			}
			row = append(row, fmt.Sprint(0.2+0.2*float64(i)))
			for j := range f.ys {
				row = append(row, fmt.Sprint(0.1+float64(i*(j+1))/20))
			}
			b.WriteString(strings.Join(row, ",") + "\n")
		}
		dir := t.TempDir()
		name := filepath.Join(dir, "x.csv")
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		if err := run([]string{name}, &said); err != nil {
			t.Errorf("%v: %v", f.columns(), err)
			continue
		}
		if got, want := said.String(), filepath.Join(dir, "x.svg")+"\n"; got != want {
			t.Errorf("%v: wrote %q, want %q", f.columns(), got, want)
		}
		svg, err := os.ReadFile(filepath.Join(dir, "x.svg"))
		if err != nil {
			t.Fatal(err)
		}
		words := textOf(t, svg)
		for _, want := range append([]string{f.title, f.xLabel, f.yLabel}, map[bool][]string{true: {"curve <0>"}, false: f.ys}[len(f.series) > 0]...) {
			if !strings.Contains(words, want) {
				t.Errorf("%v: the figure does not say %q", f.columns(), want)
			}
		}
		if len(svg) > 100_000 {
			t.Errorf("%v: %d bytes", f.columns(), len(svg))
		}
	}
}

// textOf returns the character data of an SVG, which must be well-formed.
func textOf(t *testing.T, svg []byte) string {
	t.Helper()
	var b strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			t.Fatalf("the SVG is not well-formed: %v", err)
		}
		if text, ok := token.(xml.CharData); ok {
			b.Write(text)
		}
	}
}

func TestCurves(t *testing.T) {
	long := table{[]string{"bits", "recall", "precision"}, [][]string{{"a", "0", "1"}, {"b", "0.5", "1"}, {"a", "1", "0.5"}, {"a", "", "1"}}}
	f, err := figureOf(long)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.curves(long)
	if err != nil || len(got) != 2 || got[0].name != "bits a" || !slices.Equal(got[0].points, []point{{0, 1}, {1, 0.5}}) || !slices.Equal(got[1].points, []point{{0.5, 1}}) {
		t.Errorf("curves = %v, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "has no rows",
		"k,score\n":                          "has no rows",
		"x,y\n1,2\n":                         "no figure has the columns x, y",
		"bits,recall,precision\na,b,1\n":     "row 2, column recall",
		"bits,recall,precision\na,1,NaN\n":   "not a finite number",
		"bits,recall,precision\na,,\n":       "no row has a number",
		"series,documents,seconds\na,0,1\n":  "a logarithmic axis",
		"bits,recall,precision\na,\"1,1\n\n": "parse error",
	} {
		name := filepath.Join(t.TempDir(), "x.csv")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := drawFile(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if err := run(nil, io.Discard); err == nil || !strings.Contains(err.Error(), "containment") {
		t.Errorf("without files: %v, want the columns there are", err)
	}
	if err := run([]string{"nosuch.csv"}, io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestThin(t *testing.T) {
	for _, n := range []int{0, 1, mostPoints, mostPoints + 1, 10_000} {
		var points []point
		for i := range n {
			points = append(points, point{float64(i), 0})
		}
		got := thin(points)
		if len(got) != min(n, mostPoints) || n > 0 && (got[0] != points[0] || got[len(got)-1] != points[n-1]) {
			t.Errorf("thin(%d points) = %d, from %v", n, len(got), got[:min(1, len(got))])
		}
	}
}
