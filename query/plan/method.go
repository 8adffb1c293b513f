package plan

// From a method of the language to a measure with arguments, and an access, of the engine.

import (
	"cmp"
	"strings"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
)

// methodOf returns the measure and the arguments of a method; nil means jaccard. The parser
// has checked both.
func methodOf(m *syntax.Method) (method api.Method) {
	if m == nil {
		return method
	}
	name := m.Name
	if of := m.Arg("of"); of != "" {
		name += "(of='" + of + "')"
	}
	var ok bool
	if method.Measure, ok = api.ParseMeasure(name); !ok {
		method.Measure, _ = api.ParseMeasure(m.Name)
	}
	for _, p := range method.Measure.Params() {
		if value := m.Arg(p.Name); value != "" {
			p.Set(&method.Args, value)
		} else if p.Name == "" {
			p.Set(&method.Args, similarityIndex(m))
		}
	}
	return method
}

// similarityIndex returns the index of a method in the short form: "m43b k40".
func similarityIndex(m *syntax.Method) string {
	if s := m.Arg(""); s != "" || m.Arg("method") == "" {
		return s
	}
	s := "m" + m.Arg("method") + strings.ToLower(cmp.Or(m.Arg("variation"), "A"))
	for _, name := range []string{"k", "w", "n"} {
		if v := m.Arg(name); v != "" {
			s += " " + name + v
		}
	}
	return s
}

// accessOf returns the access that a method requires.
func accessOf(m *syntax.Method) api.Access {
	if m == nil || m.Arg("access") == "auto" {
		return api.AccessAuto
	}
	return api.Access(m.Arg("access"))
}

// setMethod applies USING to a search in some collections.
func (pl *Planner) setMethod(p *Plan, m *syntax.Method, in []string) {
	method := methodOf(m)
	p.Search.Measure, p.Search.Args, p.Search.Access = method.Measure, method.Args, accessOf(m)
	pl.fail(pl.checkIndex(m, in))
}

// checkIndex rejects USING si without an index, unless all collections keep the same index
// first; then si means that one. Values of different indexes are not comparable.
func (pl *Planner) checkIndex(m *syntax.Method, collections []string) error {
	if !methodOf(m).Measure.OfIndexes() || similarityIndex(m) != "" {
		return nil
	}
	var first string
	for i, name := range collections {
		c, err := pl.all.Collection(name)
		if err != nil {
			return err
		}
		si := firstIndex(c)
		switch {
		case si == "":
			return wantIndex(m, syntax.Quote(name)+" keeps no index", "si('m43b k40')")
		case i > 0 && si != first:
			return wantIndex(m, syntax.Quote(collections[0])+" keeps "+first+" first, "+syntax.Quote(name)+" "+si, "si('"+first+"')")
		}
		first = si
	}
	return nil
}

// wantIndex returns an error about USING si, with a valid example.
func wantIndex(m *syntax.Method, why, example string) error {
	e := ErrorAt(m.Pos, "the index to compare, like "+example, `"si" alone`, why)
	e.Err = api.ErrInvalid
	return e
}

// firstIndex returns the first similarity index of a collection, or "".
func firstIndex(c api.CollectionInfo) string {
	first, _, _ := strings.Cut(c.Settings.SI, ",")
	return first
}
