package plan

// The bound that a WHERE sets.

import (
	"fmt"
	"testing"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
)

func TestFindBounds(t *testing.T) {
	tests := []struct {
		where string // against jaccard, or simhash where dist occurs
		args  []any
		want  string // min given mentioned, and how many predicates are left
	}{
		{"", nil, "0 false false 0"},
		{"year = 1", nil, "0 false false 1"},
		{"sim >= 0.5", nil, "1/2 true true 0"},
		{"0.5 <= sim", nil, "1/2 true true 0"},
		{"sim >= 80% AND sim >= 0.5 AND year = 1", nil, "4/5 true true 1"},
		{"sim > 0.5", nil, "1/2 true true 1"},
		{"sim = 1", nil, "1 true true 1"},
		{"sim BETWEEN 0.5 AND 0.9", nil, "1/2 true true 1"},
		{"sim NOT BETWEEN 0.5 AND 0.9", nil, "0 false true 1"},
		{"sim <= 0.5", nil, "0 false true 1"},
		{"0.5 > sim", nil, "0 false true 1"},
		{"sim >= 0.5 OR year = 1", nil, "0 false true 1"},
		{"NOT sim >= 0.5", nil, "0 false true 1"},
		{`"sim" >= 50`, nil, "0 false false 1"},
		{"sim >= ?", []any{0.8}, "4/5 true true 0"},
		{"sim >= :t", []any{arg{"t", 1}}, "1 true true 0"},
		{"sim >= ?", []any{nil}, "0 false true 1"},
		{"sim >= 1/3", nil, "1/3 true true 0"},
		{"sim >= 0.33333333333333333333", nil, "33333333333333333333/100000000000000000000 true true 1"},
		{"dist <= 3", nil, "61/64 true true 0"},
		{"dist < 3", nil, "61/64 true true 1"},
		{"3 >= dist AND sim >= 0.5", nil, "61/64 true true 0"},
		{"dist = 0", nil, "1 true true 1"},
		{"dist BETWEEN 2 AND 5", nil, "59/64 true true 1"},
		{"dist <= 100", nil, "0 true true 0"},
		{"dist <= -1", nil, "1 true true 1"},
		{"dist <= 2.5", nil, "0 true true 1"},
		{"dist >= 3", nil, "0 false true 1"},
	}
	for _, tt := range tests {
		src := "SELECT * FROM docs"
		if tt.where != "" {
			src += " WHERE " + tt.where
		}
		s, err := syntax.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		pl := &Planner{args: bound(tt.args)}
		b := boundFinder{Planner: pl, hash: true}.find(s.(*syntax.Select).Where)
		if pl.err != nil {
			t.Fatalf("%s: %v", tt.where, pl.err)
		}
		if got := fmt.Sprint(b.min.RatString(), " ", b.given, " ", b.mentioned, " ", len(b.rest)); got != tt.want {
			t.Errorf("bounds of %q are %s, want %s", tt.where, got, tt.want)
		}
	}
}

func TestFindBoundsErrors(t *testing.T) {
	tests := []struct {
		where string
		arg   any
		want  string
	}{
		{"sim >= ?", 80, `1:33: want a similarity between 0 and 1, found "80"; did you mean 80%?`},
		{"sim >= ?", 1.1, `1:33: want a similarity between 0 and 1, found "1.1"`},
		{"sim >= ?", "0.8", `1:33: want a number for $1, found the string "0.8"`},
		{"year = 1 OR NOT sim < ?", -1, `1:48: want a similarity between 0 and 1, found "-1"`},
		{"sim >= ? AND sim <= ?", 0.5, `1:46: want an argument for $2, found 1 given`},
		{"sim >= :low", 0.5, `1:33: want an argument for :low, found none of that name`},
	}
	for _, tt := range tests {
		s, err := syntax.Parse("SELECT * FROM docs WHERE " + tt.where)
		if err != nil {
			t.Fatal(err)
		}
		pl := &Planner{args: bound([]any{tt.arg})}
		boundFinder{Planner: pl}.find(s.(*syntax.Select).Where)
		if got := fmt.Sprint(pl.err); got != tt.want {
			t.Errorf("%s: error %s, want %s", tt.where, got, tt.want)
		}
	}
}

// A bound that no Threshold holds is lowered, never raised.
func TestThreshold(t *testing.T) {
	for _, s := range []string{"0", "1", "0.8", "1/3", "0.333333333333333", "0.99999999999999999999", "1e-30"} {
		r, _ := syntax.ParseNumber(s)
		th, exact := threshold(r)
		if !th.Admits(1, 1) {
			t.Errorf("threshold(%s) = %v does not admit 1", s, th)
		}
		f, _ := r.Float64()
		low, _ := api.ThresholdOf(0)
		if th.Float64() > f+1e-15 || th.Cmp(low) < 0 {
			t.Errorf("threshold(%s) = %v is above", s, th)
		}
		if back, _ := api.ParseThreshold(th.String()); exact && back.Cmp(th) != 0 {
			t.Errorf("threshold(%s) = %v prints as %v", s, th, back)
		}
	}
}
