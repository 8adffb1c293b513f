package plan

// COMPARE and SOURCES OF: their targets and measures.

import (
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/syntax"
)

// Compared is a planned COMPARE.
type Compared struct {
	A, B     api.Target
	In       []string
	Methods  []api.Method // distinct; none means all
	Ignoring api.Ignoring
}

// Compare plans a COMPARE.
func (pl *Planner) Compare(s *syntax.Compare) (Compared, error) {
	c := Compared{In: pl.Collections(s.In, s.Pos), Methods: comparedMethods(s)}
	c.A, c.B = pl.target(s.A, c.In), pl.target(s.B, c.In)
	if c.Ignoring = pl.ignoring(s.Ignoring); s.Ignoring != nil && s.Show == "SENTENCES" {
		pl.fail(ErrorAt(s.Ignoring.Pos, "SHOW PASSAGES, or scores", "SHOW SENTENCES", "sentences are compared whole"))
	}
	pl.checkCompared(s, c.Methods)
	for _, m := range s.Methods {
		if pl.err == nil {
			pl.fail(pl.checkIndex(m, c.In[:1])) // texts are read with its settings
		}
	}
	return c, pl.Done(s.Pos)
}

// Failed adds a position to an error of a comparison: the position of the first method
// that fails alone, or else of the first method.
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

// comparedMethods returns the distinct methods of a COMPARE; none means all.
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
		methods = []api.Method{{Measure: api.SimHash}} // the only measure of fingerprints
	}
	return methods
}

// checkCompared rejects a fingerprint together with a measure of texts.
func (pl *Planner) checkCompared(s *syntax.Compare, methods []api.Method) {
	if len(methods) == 0 || s.Show != "" || slices.ContainsFunc(methods, func(m api.Method) bool { return !m.Measure.OfFingerprints() }) {
		pl.checkFingerprint(s.A, api.Jaccard)
		pl.checkFingerprint(s.B, api.Jaccard)
	}
}

// Sourced is a planned SOURCES OF.
type Sourced struct {
	Target api.Target
	api.Sources
	Limit int64 // −1 means all
}

// Sources plans a SOURCES OF.
func (pl *Planner) Sources(s *syntax.Sources) (c Sourced, err error) {
	c.In = pl.Collections(s.In, s.Pos)
	c.Target = pl.target(s.Target, c.In)
	pl.ofText(s.Target, "only texts have sources")
	c.Limit = pl.rowCount(s.Limit, -1)
	c.Min = methodOf(s.Using).Args.Min
	c.Ignoring = pl.ignoring(s.Ignoring)
	return c, pl.Done(s.Pos)
}
