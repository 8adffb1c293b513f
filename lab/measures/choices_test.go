package measures

// These tests check the ways to choose rows against measures and counts by hand.

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/lab/corpora"
)

// Each rule scores as the measure of its name.
func TestSetRules(t *testing.T) {
	const seed = 15
	random := rand.New(rand.NewPCG(seed, 0))
	weight := func(s string) api.Weight {
		w, err := api.ParseWeight(s)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	formulas := []measure.Formula{
		measure.Resemblance,
		measure.FormulaOf(api.Tversky, api.Args{Alpha: weight("0.5"), Beta: weight("0.5")}),
		measure.FormulaOf(api.ContainmentOfQuery, api.Args{}),
		measure.FormulaOf(api.Tversky, api.Args{Alpha: weight("1"), Beta: weight("0.5")}),
	}
	for range 300 {
		var bags [2]shingle.Bag
		for i := range bags {
			for h := range uint64(20) {
				if random.IntN(2) == 0 {
					bags[i].Set = append(bags[i].Set, h)
				}
			}
		}
		q, d := bags[0].Set, bags[1].Set
		shared := shingle.Shared(q, d, 0)
		if shared == 0 {
			continue
		}
		for i, r := range setRules {
			want := formulas[i].Score(bags[0], bags[1]).Sim()
			if part, of := r.score(len(q), len(d), shared); float64(part)/float64(of) != want {
				t.Errorf("seed %d, %s of %v and %v = %d/%d, want %v", seed, r.name, q, d, part, of, want)
			}
		}
	}
}

// A few texts by hand: a and b are versions, b has a copy under a later id, c is
// related to none and d shares nothing.
func TestChooseRows(t *testing.T) {
	a := all(collection{
		docs: []corpora.Doc{
			{ID: "a", Text: "one two three four"},
			{ID: "b", Text: "one two three four five"},
			{ID: "c", Text: "one six seven eight nine ten"},
			{ID: "b2", Text: "one two three four five"},
			{ID: "d", Text: "nothing"},
		},
		group: []string{"g", "g", "", "", ""},
	})
	if a.rows != 2 || a.having != 2 {
		t.Fatalf("%d right rows of %d documents, want 2 of 2", a.rows, a.having)
	}
	made, err := a.choose(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	got := made[0] // resemblance: a and b 4/5, b and b2 1, c and the others 1/9 and 1/10
	for _, tt := range []struct {
		name      string
		got, want chosen
	}{
		{"from 0.8", got.from[8], chosen{6, 2, 2}},
		{"from 0.1", got.from[1], chosen{12, 2, 2}},
		{"best", got.best, chosen{4, 1, 1}}, // a finds b, b finds b2, b2 finds b, c finds a
		{"best from 0.5", got.likelyBest, chosen{3, 1, 1}},
		{"mutual", got.mutual, chosen{2, 0, 0}}, // b and b2
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %+v, want %+v", tt.name, tt.got, tt.want)
		}
	}
	if byContainment := made[2].from[8]; byContainment != (chosen{6, 2, 2}) {
		t.Errorf("containment from 0.8 = %+v", byContainment)
	}
}

// Of queries that are some of the documents, the best rows are looked up in turn.
func TestChooseRowsOfSome(t *testing.T) {
	c := collection{
		docs:  []corpora.Doc{{ID: "a", Text: "one two three"}, {ID: "b", Text: "one two three four"}, {ID: "c", Text: "one two three four"}},
		group: []string{"g", "g", "h"},
	}
	made, err := ask(c, []int{0}).choose(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := made[0]; got.best != (chosen{1, 1, 1}) || got.mutual != (chosen{}) {
		t.Errorf("best %+v, mutual %+v: want b, whose best is c", got.best, got.mutual)
	}
	_, short := ask(c, []int{0}).lines(1, setRules[0], made[0])
	if len(short) != len(shortHead) || !slices.Equal(short[7:9], []string{"1.000", "1.000"}) {
		t.Errorf("line = %q", short)
	}
}
