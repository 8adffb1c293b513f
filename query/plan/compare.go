package plan

// COMPARE and SOURCES OF: what is compared, by which measures.

import (
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/syntax"
)

// Compared is what COMPARE looks at.
type Compared struct {
	A, B     api.Target
	In       []string
	Methods  []api.Method // each once; none means all
	Ignoring api.Ignoring
}

// Compare makes a COMPARE ready.
func (pl *Planner) Compare(s *syntax.Compare) (Compared, error) {
	c := Compared{In: pl.Collections(s.In, s.Pos), Methods: comparedMethods(s)}
	c.A, c.B = pl.target(s.A, c.In), pl.target(s.B, c.In)
	if c.Ignoring = pl.ignoring(s.Ignoring); s.Ignoring != nil && s.Show == "SENTENCES" {
		pl.fail(ErrorAt(s.Ignoring.Pos, "SHOW PASSAGES, or scores", "SHOW SENTENCES", "a sentence is compared whole"))
	}
	pl.checkCompared(s, c.Methods)
	for _, m := range s.Methods {
		if pl.err == nil {
			pl.fail(pl.checkIndex(m, c.In[:1])) // the first reads the texts
		}
	}
	return c, pl.Done(s.Pos)
}

// Failed gives a place to an error of comparing: that of the first method that fails on its
// own, or of the first.
func (pl *Planner) Failed(s *syntax.Compare, c Compared, err error) error {
	if len(s.Methods) == 0 {
		return err
	}
	at := s.Methods[0].Pos
	for _, m := range s.Methods {
		if _, err := pl.all.CompareBy(pl.ctx, c.A, c.B, c.In, []api.Method{methodOf(m)}, c.Ignoring); err != nil {
			at = m.Pos
			break
		}
	}
	return Placed(at, err)
}

// comparedMethods returns the methods of a COMPARE, each once; none means all.
func comparedMethods(s *syntax.Compare) (methods []api.Method) {
	seen := map[api.Method]bool{}
	for _, m := range s.Methods {
		method := methodOf(m)
		if !seen[method] {
			methods = append(methods, method)
		}
		seen[method] = true
	}
	if hash := s.A.Kind == syntax.TargetFingerprint || s.B.Kind == syntax.TargetFingerprint; hash && len(methods) == 0 && s.Show == "" && !s.All {
		methods = []api.Method{{Measure: api.SimHash}} // the only one that fingerprints have
	}
	return methods
}

// checkCompared refuses a fingerprint beside a measure that reads texts.
func (pl *Planner) checkCompared(s *syntax.Compare, methods []api.Method) {
	if len(methods) == 0 || s.Show != "" || slices.ContainsFunc(methods, func(m api.Method) bool { return !m.Measure.OfFingerprints() }) {
		pl.checkFingerprint(s.A, api.Jaccard)
		pl.checkFingerprint(s.B, api.Jaccard)
	}
}

// Sourced is what SOURCES OF looks at.
type Sourced struct {
	Target api.Target
	api.Sources
	Limit int64 // −1 is all
}

// Sources makes a SOURCES OF ready.
func (pl *Planner) Sources(s *syntax.Sources) (c Sourced, err error) {
	c.In = pl.Collections(s.In, s.Pos)
	c.Target = pl.target(s.Target, c.In)
	pl.ofText(s.Target, "sources are found of texts")
	c.Limit = pl.rowCount(s.Limit, -1)
	c.Min = methodOf(s.Using).Args.Min
	c.Ignoring = pl.ignoring(s.Ignoring)
	return c, pl.Done(s.Pos)
}
