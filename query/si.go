package query

import (
	"strings"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/measure"
)

// checkIndex refuses USING si without an index where the collections do not
// settle which: each must keep one, and all the same as their first. Values of
// different indexes have nothing to do with each other.
func (pl *planner) checkIndex(m *Method, collections []string) error {
	if m == nil || m.Name != measure.SI.String() || m.similarityIndex() != "" {
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

// wantIndex is an error of USING si; example is one that would do.
func wantIndex(m *Method, why, example string) error {
	e := errorAt(m.Pos, "the index to compare, like "+example, `"si" alone`, why)
	e.Err = engine.ErrInvalid
	return e
}

// firstIndex is the similarity index that a collection keeps first, "" if it
// keeps none.
func firstIndex(c engine.CollectionInfo) string {
	first, _, _ := strings.Cut(c.Settings.SI, ",")
	return first
}
