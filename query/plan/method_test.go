package plan

// What the methods of the language mean to the engine.

import (
	"fmt"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
)

// Each measure of bags takes every k that a collection can have, and what plans and rows call
// the method means it.
func TestMethodsTakeK(t *testing.T) {
	for _, m := range api.Measures() {
		for _, k := range []int{0, 1, api.MaxK, api.MaxK + 1} {
			want := api.Method{Measure: m, Args: api.Args{K: k}}
			name := m.Describe(want.Args)
			hasK := slices.ContainsFunc(m.Params(), func(p api.Param) bool { return p.Name == "k" && !p.Only() })
			if !hasK && k != 0 {
				name = fmt.Sprintf("%s(k=%d)", m.Method(), k)
			}
			if takes := hasK && k <= api.MaxK || k == 0; takes != (m.Check(want.Args) == nil) {
				t.Errorf("%s: the engine says %v", name, m.Check(want.Args))
			} else if m == api.SI && k != 0 {
				continue // its k is another
			} else if stmt, err := syntax.Parse("COMPARE a WITH b USING " + name); takes != (err == nil) {
				t.Errorf("%s: the language says %v", name, err)
			} else if err == nil {
				if got := methodOf(stmt.(*syntax.Compare).Methods[0]); got != want {
					t.Errorf("%s means %+v, want %+v", name, got, want)
				}
			}
		}
	}
	stmt, err := syntax.Parse("SIMILAR TO a USING si(method=43, variation='B', k=40)")
	if err != nil {
		t.Fatal(err)
	}
	if got := methodOf(stmt.(*syntax.Similar).Using); got.Args.K != 0 || got.Args.SI != "m43b k40" {
		t.Errorf("the k of an index: %+v, want that of the index alone", got)
	}
}

// Every method that the parser lets through is a measure.
func TestMethodsAreMeasures(t *testing.T) {
	for _, name := range syntax.Methods() {
		of := methodOf(&syntax.Method{Name: name}).Measure.String()
		if name == "containment" {
			name = "containment(of='query')"
		}
		if of != name {
			t.Errorf("USING %s means %s", name, of)
		}
	}
}

// The paper's reading by name is the same as its single arguments, and these change it.
func TestVersionsByName(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"versions", "versions"},
		{"versions(reading='simdb')", "versions"},
		{"versions(reading='paper')", "versions(case='keep', stop='drop', agree='fingerprint', resemblance='off', of='query')"},
		{"versions(of='both', reading='paper', bits=1)", "versions(bits=1, case='keep', stop='drop', agree='fingerprint', resemblance='off')"},
		{"versions(share=0.9, case=keep)", "versions(case='keep', share=0.9)"},
		{"versions(case='fold', stop='keep', of='doc')", "versions(of='doc')"},
	} {
		p, err := syntax.Parse("COMPARE a WITH b USING " + test.src)
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		by := methodOf(p.(*syntax.Compare).Methods[0])
		if got := by.Measure.Describe(by.Args); got != test.want {
			t.Errorf("%s is %s, want %s", test.src, got, test.want)
		}
	}
}
