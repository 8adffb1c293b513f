package query

// The k of one question: which methods take it, and how far it goes.

import (
	"fmt"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Each measure of bags takes every k that a collection can have, and what plans and rows call
// the method means it.
func TestMethodsTakeK(t *testing.T) {
	for _, m := range append(slices.Clone(engine.Measures), api.Tversky) {
		for _, k := range []int{0, 1, api.MaxK, api.MaxK + 1} {
			want := api.Method{Measure: m, Args: api.Args{K: k}}
			name := m.Describe(want.Args)
			if takes := m.OfBags() && k <= api.MaxK || k == 0; takes != (m.Check(want.Args) == nil) {
				t.Errorf("%s: the engine says %v", name, m.Check(want.Args))
			} else if m == api.SI && k != 0 {
				continue // its k is another
			} else if stmt, err := Parse("COMPARE a WITH b USING " + name); takes != (err == nil) {
				t.Errorf("%s: the language says %v", name, err)
			} else if err == nil {
				if got := methodOf(stmt.(*Compare).Methods[0]); got != want {
					t.Errorf("%s means %+v, want %+v", name, got, want)
				}
			}
		}
	}
	if got, want := fmt.Sprint(anyK), fmt.Sprintf("a whole number from 1 to %d", api.MaxK); got != want {
		t.Errorf("the language takes %s as k, want %s", got, want)
	}
	stmt, err := Parse("SIMILAR TO a USING si(method=43, variation='B', k=40)")
	if err != nil {
		t.Fatal(err)
	}
	if got := methodOf(stmt.(*Similar).Using); got.Args.K != 0 || got.Args.SI != "m43b k40" {
		t.Errorf("the k of an index: %+v, want that of the index alone", got)
	}
}
