package plan

// What a method of the language means to the engine: a measure with arguments,
// and an access.

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
)

// methodOf returns the measure that a method names, with its arguments. nil
// means jaccard. The parser accepts only names of measures.
func methodOf(m *syntax.Method) api.Method {
	if m == nil {
		return api.Method{}
	}
	name := m.Name
	if name == "containment" && m.Arg("of") == "doc" {
		name = api.ContainmentOfDoc.String()
	}
	of, _ := api.ParseMeasure(name)
	args := api.Args{
		Alpha: weightOf(m, "alpha"),
		Beta:  weightOf(m, "beta"),

		Min:  numberOf(m, "min"),
		Bits: numberOf(m, "bits"),
		TF:   m.Arg("tf") == "on",
		IDF:  m.Arg("idf") == "on",
		SI:   similarityIndex(m),
	}
	if of == api.Weighted {
		args.Of = sides[m.Arg("of")] // the zero value of the union
	}
	if of == api.Versions {
		args.Versions = versionArgs(m)
	}
	if of.OfBags() && of != api.Weighted { // that of si is its own
		args.K = numberOf(m, "k")
	}
	if m.Arg("bits") == "0" {
		args.Bits = -1 // none: 0 would mean the default
	}
	return api.Method{Measure: of, Args: args}
}

// numberOf returns the value of an argument that is a whole number, 0 if it is not given.
func numberOf(m *syntax.Method, name string) int {
	n, _ := strconv.Atoi(m.Arg(name))
	return n
}

// weightOf returns the value of an argument that is a weight. It is not given if there is
// none.
func weightOf(m *syntax.Method, name string) api.Weight {
	w, _ := api.ParseWeight(m.Arg(name)) // the parser has read it
	return w
}

// similarityIndex returns which index is meant in the short form: "m43b k40".
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

// accessOf returns the access a method asks for.
func accessOf(m *syntax.Method) api.Access {
	if m == nil || m.Arg("access") == "auto" {
		return api.AccessAuto
	}
	return api.Access(m.Arg("access"))
}

// versionArgs are the arguments of USING versions: those of the reading by its name, with what is given beside it in their place.
func versionArgs(m *syntax.Method) (a api.VersionArgs) {
	if m.Arg("reading") == "paper" {
		a = api.PaperVersions()
	}
	for name, set := range map[string]func(value string){
		"case":        func(value string) { a.KeepCase = value == "keep" },
		"stop":        func(value string) { a.DropStop = value == "drop" },
		"agree":       func(value string) { a.Print = value == "fingerprint" },
		"resemblance": func(value string) { a.Alone = value == "off" },
		"of":          func(value string) { a.Of = sides[value] },
	} {
		if value := m.Arg(name); value != "" {
			set(value)
		}
	}
	a.Share = weightOf(m, "share")
	return a
}

var sides = map[string]api.Side{"both": api.BothSides, "query": api.QuerySide, "doc": api.DocSide}

// setMethod makes USING the measure of a search in some collections.
func (pl *Planner) setMethod(p *Plan, m *syntax.Method, in []string) {
	method := methodOf(m)
	p.Search.Measure, p.Search.Args, p.Search.Access = method.Measure, method.Args, accessOf(m)
	pl.fail(pl.checkIndex(m, in))
}

// checkIndex refuses USING si without an index, unless every collection keeps
// the same index first. That index is meant then. Values of different indexes
// cannot be compared.
func (pl *Planner) checkIndex(m *syntax.Method, collections []string) error {
	if m == nil || m.Name != api.SI.String() || similarityIndex(m) != "" {
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

// wantIndex returns an error about USING si. example is one that would be
// accepted.
func wantIndex(m *syntax.Method, why, example string) error {
	e := ErrorAt(m.Pos, "the index to compare, like "+example, `"si" alone`, why)
	e.Err = api.ErrInvalid
	return e
}

// firstIndex is the similarity index that a collection keeps first, "" if it
// keeps none.
func firstIndex(c api.CollectionInfo) string {
	first, _, _ := strings.Cut(c.Settings.SI, ",")
	return first
}
