package si

// These tests read labels from everywhere, and count cells by their definition.

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/lab/corpora"
	"github.com/simdb/simdb/lab/results"
)

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLabels(t *testing.T) {
	lines := "{\"id\":\"a\",\"text\":\"one\",\"label\":\"x\"}\n{\"id\":\"b\",\"text\":\"two\",\"label\":\"x\"}\n{\"id\":\"c\",\"text\":\"three\"}\n"
	for _, c := range []struct {
		name string
		from string
		want string // id=label of each, or what the error says
	}{
		{"lines", filepath.Join(write(t, map[string]string{"a.jsonl": lines}), "a.jsonl"), "a=x b=x c="},
		{"folders", write(t, map[string]string{"x/1": "one", "x/2": "two", "y/z/3": "three", "4": "four", "README.md": "no"}), "4= x/1=x x/2=x y/z/3=y/z"},
		{"labels.csv", write(t, map[string]string{"x/1": "one", "2": "two", "3": "three", "labels.csv": "id,label\nx/1,p\n2,p\n"}), "2=p 3= x/1=p"},
		{"bad labels.csv", write(t, map[string]string{"1": "one", "labels.csv": "id,label\n1,p\n2\n"}), "labels.csv: record on line 3: wrong number of fields; want lines id,label"},
		{"three columns", write(t, map[string]string{"1": "one", "labels.csv": "a,b,c\n"}), "labels.csv: line 1 has 3 columns; want id,label"},
		{"no labels", write(t, map[string]string{"1": "one", "2": "two"}), "no two texts of"},
		{"all different", write(t, map[string]string{"x/1": "one", "y/2": "two"}), "no two texts of"},
	} {
		docs, err := readLabelled(c.from)
		var got []string
		for _, d := range docs {
			got = append(got, d.ID+"="+string(d.Label))
		}
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// A tally is what the definition says of each ordered pair of texts, and the whole
// grid is in the report.
func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	words := strings.Fields("the a fox runs over lazy dogs and many a hill to see what is there for him tonight")
	var docs []corpora.Doc
	for range 12 {
		var text []string
		for range 1 + r.IntN(60) {
			text = append(text, words[r.IntN(len(words))])
		}
		docs = append(docs, corpora.Doc{Text: strings.Join(text, " "), Label: []corpora.Label{"", "x", "y"}[r.IntN(3)]})
	}
	for _, name := range []string{"m43b k8", "m7a k4", "m14a k4", "m33a", "m3b k16"} {
		si, err := sketch.ParseSI(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tallied(t.Context(), si, docs)
		if err != nil {
			t.Fatal(err)
		}
		var want tally
		for i, a := range docs {
			x, ok := si.Value(a.Text)
			if !ok {
				want.without++
			}
			for j, b := range docs {
				y, also := si.Value(b.Text)
				near := x - y // 10·|x−y| < 3·|x|, strictly
				if near < 0 {
					near = -near
				}
				size := x
				if size < 0 {
					size = -size
				}
				alike, expected := ok && also && 10*near < 3*size, a.Label != "" && a.Label == b.Label
				switch {
				case i == j:
				case alike && expected:
					want.correct++
				case alike:
					want.falsePositives++
				case expected:
					want.falseNegatives++
				}
			}
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	dir := write(t, map[string]string{"x/1": docs[0].Text, "x/2": docs[1].Text, "y/3": docs[2].Text})
	out := t.TempDir()
	if r, err := Run(t.Context(), dir, report.Options{}); err != nil || r.Write(out) != nil {
		t.Fatal(err)
	}
	if rows, err := results.ReadCSV(filepath.Join(out, "grid.csv")); err != nil || len(rows) != 1+656 {
		t.Errorf("grid.csv has %d lines, %v, want 657", len(rows), err)
	}
}
