package query

// What a method of the language means to the engine: a measure with arguments,
// and an access.

import (
	"strings"

	"github.com/simdb/simdb/api"
)

// methodOf returns the measure that a method names, with its arguments. nil
// means jaccard. The parser accepts only names of measures.
func methodOf(m *Method) api.Method {
	if m == nil {
		return api.Method{}
	}
	name := m.Name
	if name == "containment" && m.arg("of") == "doc" {
		name = api.ContainmentOfDoc.String()
	}
	of, _ := api.ParseMeasure(name)
	args := api.Args{
		Alpha: m.weight("alpha"),
		Beta:  m.weight("beta"),

		Min:  m.number("min"),
		Bits: m.number("bits"),
		TF:   m.arg("tf") == "on",
		IDF:  m.arg("idf") == "on",
		SI:   m.similarityIndex(),
	}
	if of == api.Versions {
		args.Versions = m.versionArgs()
	}
	if of.OfBags() { // that of si is its own
		args.K = m.number("k")
	}
	if m.arg("bits") == "0" {
		args.Bits = -1 // none: 0 would mean the default
	}
	return api.Method{Measure: of, Args: args}
}

// weight returns the value of an argument that is a weight. It is not given if there is
// none.
func (m *Method) weight(name string) api.Weight {
	w, _ := api.ParseWeight(m.arg(name)) // the parser has read it
	return w
}

// accessOf returns the access a method asks for.
func accessOf(m *Method) api.Access {
	if m == nil || m.arg("access") == "auto" {
		return api.AccessAuto
	}
	return api.Access(m.arg("access"))
}

// checkIndex refuses USING si without an index, unless every collection keeps
// the same index first. That index is meant then. Values of different indexes
// cannot be compared.
func (pl *planner) checkIndex(m *Method, collections []string) error {
	if m == nil || m.Name != api.SI.String() || m.similarityIndex() != "" {
		return nil
	}
	var first string
	for i, name := range collections {
		c, err := pl.snap.Collection(name)
		if err != nil {
			return err
		}
		si := firstIndex(c)
		switch {
		case si == "":
			return wantIndex(m, quote(name)+" keeps no index", "si('m43b k40')")
		case i > 0 && si != first:
			return wantIndex(m, quote(collections[0])+" keeps "+first+" first, "+quote(name)+" "+si, "si('"+first+"')")
		}
		first = si
	}
	return nil
}

// wantIndex returns an error about USING si. example is one that would be
// accepted.
func wantIndex(m *Method, why, example string) error {
	e := errorAt(m.Pos, "the index to compare, like "+example, `"si" alone`, why)
	e.Err = api.ErrInvalid
	return e
}

// firstIndex is the similarity index that a collection keeps first, "" if it
// keeps none.
func firstIndex(c api.CollectionInfo) string {
	first, _, _ := strings.Cut(c.Settings.SI, ",")
	return first
}
