package plan

// COMPARE and SOURCES OF: what is compared, by which measures.

import (
	"slices"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
)

// Compared is what COMPARE looks at.
type Compared struct {
	A, B    api.Target
	In      []string
	Methods []api.Method // each once; none means all
}

// Compare makes a COMPARE ready.
func (pl *Planner) Compare(s *syntax.Compare) (c Compared, err error) {
	if c.In, err = pl.Collections(s.In, s.Pos); err != nil {
		return c, err
	}
	if c.A, err = pl.target(s.A, c.In); err != nil {
		return c, err
	}
	if c.B, err = pl.target(s.B, c.In); err != nil {
		return c, err
	}
	c.Methods = comparedMethods(s)
	if err := checkCompared(s, c.Methods); err != nil {
		return c, err
	}
	for _, m := range s.Methods {
		if err := pl.checkIndex(m, c.In[:1]); err != nil { // the first reads the texts
			return c, err
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
		if _, err := pl.all.CompareBy(pl.ctx, c.A, c.B, c.In, []api.Method{methodOf(m)}); err != nil {
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
func checkCompared(s *syntax.Compare, methods []api.Method) error {
	for _, t := range []syntax.Target{s.A, s.B} {
		others := len(methods) == 0 || slices.ContainsFunc(methods, func(m api.Method) bool { return m.Measure != api.SimHash })
		if others || s.Show != "" {
			if err := checkFingerprint(t, api.Jaccard); err != nil {
				return err
			}
		}
	}
	return nil
}

// Sourced is what SOURCES OF looks at.
type Sourced struct {
	Target api.Target
	api.Sources
	Limit int64 // −1 is all
}

// Sources makes a SOURCES OF ready.
func (pl *Planner) Sources(s *syntax.Sources) (c Sourced, err error) {
	if c.In, err = pl.Collections(s.In, s.Pos); err != nil {
		return c, err
	}
	if c.Target, err = pl.target(s.Target, c.In); err != nil {
		return c, err
	}
	if s.Target.Kind == syntax.TargetFingerprint {
		return c, ErrorAt(s.Target.Pos, "an id, FILE or TEXT", "FINGERPRINT", "sources are found of texts")
	}
	if c.Limit, err = pl.rowCount(s.Limit, -1); err != nil {
		return c, err
	}
	c.Min = methodOf(s.Using).Args.Min
	return c, pl.Done(s.Pos)
}
