package query

// COMPARE: two texts side by side, by scores or by the pieces they share.

import (
	"slices"

	"github.com/simdb/simdb/api"
)

// compare answers COMPARE: one row per measure, or per piece that SHOW asks for.
func (pl *planner) compare(s *Compare) (*Rows, error) {
	in, err := pl.collections(s.In, s.Pos)
	if err != nil {
		return nil, err
	}
	a, err := pl.target(s.A, in)
	if err != nil {
		return nil, err
	}
	b, err := pl.target(s.B, in)
	if err != nil {
		return nil, err
	}
	methods := comparedMethods(s)
	if err := checkCompared(s, methods); err != nil {
		return nil, err
	}
	for _, m := range s.Methods {
		if err := pl.checkIndex(m, in[:1]); err != nil { // the first reads the texts
			return nil, err
		}
	}
	if err := pl.args.check(s.Pos); err != nil {
		return nil, err
	}
	var rows *Rows
	switch s.Show {
	case "PASSAGES":
		rows, err = pl.passages(a, b, in, methods)
	case "SENTENCES":
		rows, err = pl.sentences(a, b, in, methods)
	default:
		rows, err = pl.scores(a, b, in, methods)
	}
	if err == nil {
		rows.notes = pl.noteEmpty(in, a, b)
	}
	if err != nil && len(s.Methods) > 0 {
		err = placedAt(pl.failing(s.Methods, a, b, in).Pos, err)
	}
	return rows, err
}

// failing returns the method that made a comparison fail: the first that fails
// on its own. If none does, it returns the first method.
func (pl *planner) failing(list []*Method, a, b api.Target, in []string) *Method {
	for _, m := range list {
		if _, err := pl.snap.CompareBy(pl.ctx, a, b, in, []api.Method{methodOf(m)}); err != nil {
			return m
		}
	}
	return list[0]
}

// comparedMethods returns the methods of a COMPARE, each once; none means all.
func comparedMethods(s *Compare) (methods []api.Method) {
	seen := map[api.Method]bool{}
	for _, m := range s.Methods {
		method := methodOf(m)
		if !seen[method] {
			methods = append(methods, method)
		}
		seen[method] = true
	}
	if hash := s.A.Kind == TargetFingerprint || s.B.Kind == TargetFingerprint; hash && len(methods) == 0 && s.Show == "" && !s.All {
		methods = []api.Method{{Measure: api.SimHash}} // the only one that fingerprints have
	}
	return methods
}

// checkCompared refuses a fingerprint beside a measure that reads texts.
func checkCompared(s *Compare, methods []api.Method) error {
	for _, t := range []Target{s.A, s.B} {
		others := len(methods) == 0 || slices.ContainsFunc(methods, func(m api.Method) bool { return m.Measure != api.SimHash })
		if others || s.Show != "" {
			if err := checkFingerprint(t, api.Jaccard); err != nil {
				return err
			}
		}
	}
	return nil
}

// scores shows the score of two targets by each method. A text without shingles
// has no fingerprint, and a text that is too short for a measure has no value. Then
// there is no score, which is NULL, not 0.
func (pl *planner) scores(a, b api.Target, in []string, methods []api.Method) (*Rows, error) {
	var scores []api.Comparison
	var err error
	if len(methods) == 0 {
		scores, err = pl.snap.Compare(pl.ctx, a, b, in)
	} else {
		scores, err = pl.snap.CompareBy(pl.ctx, a, b, in, methods)
	}
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, c := range scores {
		row := Row{c.Measure.Describe(c.Args), c.Sim, nil, nil, nil}
		_, counts := scoreRefs(c.Measure, false)["shared"]
		switch {
		case c.None:
			row[1] = nil
		case c.Measure == api.SimHash:
			row[4] = int64(c.Dist)
		case counts:
			row[2], row[3] = c.Shared, c.Union
		}
		rows = append(rows, row)
	}
	return fixed([]string{"measure", "sim", "shared", "union", "dist"}, rows...), nil
}

// argsOf returns the arguments of the first method, if there is one.
func argsOf(methods []api.Method) api.Args {
	if len(methods) == 0 {
		return api.Args{}
	}
	return methods[0].Args
}

// passages shows what two texts have in common; offsets are bytes.
func (pl *planner) passages(a, b api.Target, in []string, methods []api.Method) (*Rows, error) {
	found, err := pl.snap.Passages(pl.ctx, a, b, in, argsOf(methods))
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, p := range found {
		rows = append(rows, Row{int64(p.AStartByte), int64(p.AEndByte), int64(p.BStartByte), int64(p.BEndByte), int64(p.Chars), p.A})
	}
	return fixed([]string{"a_start_byte", "a_end_byte", "b_start_byte", "b_end_byte", "chars", "text"}, rows...), nil
}

// sentences shows which sentences of two texts are near each other.
func (pl *planner) sentences(a, b api.Target, in []string, methods []api.Method) (*Rows, error) {
	found, err := pl.snap.Sentences(pl.ctx, a, b, in, argsOf(methods))
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, p := range found {
		rows = append(rows, Row{int64(p.AStartByte), int64(p.AEndByte), int64(p.BStartByte), int64(p.BEndByte), int64(p.Dist), p.A, p.B})
	}
	return fixed([]string{"a_start_byte", "a_end_byte", "b_start_byte", "b_end_byte", "dist", "a", "b"}, rows...), nil
}
