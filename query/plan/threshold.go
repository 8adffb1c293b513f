package plan

// The lower bound of the similarity in a WHERE. The engine searches with the bound, and the
// rest of the WHERE tests each row.

import (
	"math/big"
	"slices"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// bounds holds the conditions of a WHERE on the similarity.
type bounds struct {
	min       *big.Rat      // lower bound
	given     bool          // the WHERE has a lower bound
	mentioned bool          // sim, dist or WITHIN occurs anywhere
	rest      []syntax.Expr // conjuncts that min does not decide
	best      api.Threshold // OF BEST: greatest share; 0: none
}

// boundFinder finds the bounds of a WHERE. Only the top-level conjuncts apply to all rows.
// The engine decides sim >= min in integers, so no test of it remains. Like the planner it
// keeps the first mistake.
type boundFinder struct {
	*Planner
	hash bool // sim is (64−dist)/64
	view bool // si_view: sim is called similarity, dist distance
	cut  bool // OF BEST is allowed
	bounds
}

// find splits a WHERE into bounds and rest.
func (f boundFinder) find(where syntax.Expr) bounds {
	f.min = new(big.Rat)
	f.mentioned = firstWithin(where) != nil
	for _, operands := range syntax.Tests(where) {
		f.mentioned = f.mentioned || slices.ContainsFunc(operands, func(x syntax.Operand) bool { return f.isSim(x) || f.isDist(x) })
	}
	if f.checkParams(where); f.err != nil {
		return f.bounds
	}
	for _, e := range conjuncts(where) {
		if !f.bound(e) {
			f.rest = append(f.rest, e)
		}
	}
	return f.bounds
}

// bound reads one conjunct, and reports whether the bounds express all of it.
func (f *boundFinder) bound(e syntax.Expr) (done bool) {
	switch e := e.(type) {
	case *syntax.Comparison:
		x, op, v := fieldFirst(e)
		switch {
		case e.OfBest:
			f.ofBest(e)
			return true
		case f.isSim(x):
			return f.simBound(op, v)
		case f.isDist(x):
			return f.distBound(op, v)
		}
	case *syntax.Within:
		if by, ok := f.constant(e.By).(*big.Rat); ok {
			f.raise(oneMinus(by)) // exclusive: the conjunct stays as a test
		}
	case *syntax.Between:
		switch {
		case e.Not:
		case f.isSim(e.X):
			// The lower half is the bound, and the upper half stays as a test.
			if f.simBound(">=", e.Low) {
				f.rest = append(f.rest, &syntax.Comparison{Pos: e.Pos, Op: "<=", Left: e.X, Right: e.High})
				return true
			}
		case f.isDist(e.X):
			f.distBound("<=", e.High)
		}
	}
	return false
}

// fieldFirst swaps the sides of 0.8 <= sim.
func fieldFirst(e *syntax.Comparison) (x syntax.Operand, op string, v syntax.Operand) {
	switch e.Left.(type) {
	case *syntax.Field, *syntax.Similarity:
		return e.Left, e.Op, e.Right
	}
	// = and != are symmetric, so only the order relations flip.
	flipped := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}
	if op, ok := flipped[e.Op]; ok {
		return e.Right, op, e.Left
	}
	return e.Right, e.Op, e.Left
}

// simBound applies sim op x to the bounds, and reports whether they express it fully.
func (f *boundFinder) simBound(op string, x syntax.Operand) (done bool) {
	if op != ">=" && op != ">" && op != "=" {
		return false
	}
	r, ok := f.constant(x).(*big.Rat)
	if !ok {
		return false
	}
	if op == ">" && r.Sign() == 0 { // the least similarity that the engine finds
		f.raise(aboveZero(f.hash))
		return true
	}
	f.raise(r)
	_, exact := threshold(r)
	// For > and =, and for a rounded bound, the conjunct stays as a test of the rows.
	return op == ">=" && exact
}

// ofBest reads sim >= x OF BEST.
func (f *boundFinder) ofBest(e *syntax.Comparison) {
	if !f.cut {
		f.fail(errOfBest(e))
	}
	v := f.constant(e.Right)
	r, ok := v.(*big.Rat)
	if !ok || r.Sign() <= 0 {
		f.fail(ErrorAt(e.Right.Place(), "a share above 0 before OF BEST", value.Show(v), ""))
		return
	}
	// The engine compares shares in integers, so a share must have an exact Threshold.
	share, exact := threshold(r)
	if !exact {
		f.fail(ErrorAt(e.Right.Place(), "a share of nine decimals at most, or a fraction of whole numbers below 2^32", value.Show(v), ""))
	}
	if f.best.Cmp(share) < 0 {
		f.best = share
	}
	f.raise(aboveZero(f.hash))
}

// errOfBest rejects OF BEST where it has no meaning.
func errOfBest(e *syntax.Comparison) error {
	return ErrorAt(e.Pos, "OF BEST joined by AND to the rest of the WHERE of SIMILAR TO or SIMILAR PAIRS", syntax.Quote(e.Left.String()+" >= "+e.Right.String()+" OF BEST"), "")
}

// distBound reads dist <= d as sim >= (64−d)/64.
func (f *boundFinder) distBound(op string, x syntax.Operand) (done bool) {
	if op != "<=" && op != "<" && op != "=" {
		return false
	}
	r, ok := f.constant(x).(*big.Rat)
	if !ok {
		return false
	}
	d, isWhole := value.Whole(r)
	switch {
	case !isWhole:
		// Distances are whole, so only a test of each row can decide; the bound stays at 0.
		f.raise(new(big.Rat))
		return false
	case d < 0:
		f.raise(big.NewRat(1, 1)) // matches nothing, as the remaining test will find
		return false
	}
	f.raise(big.NewRat(64-min(d, 64), 64))
	return op == "<="
}

// raise sets the lower bound to r if that is higher.
func (f *bounds) raise(r *big.Rat) {
	f.given = true
	if r.Cmp(f.min) > 0 {
		f.min = r
	}
}

// checkParams checks arguments compared with a similarity, as the parser checks literals.
func (f *boundFinder) checkParams(where syntax.Expr) {
	for e, operands := range syntax.Tests(where) {
		_, within := e.(*syntax.Within)
		// Arguments of other tests may be any value.
		if !within && !slices.ContainsFunc(operands, f.isSim) {
			continue
		}
		for _, x := range operands {
			if p, ok := x.(*syntax.Param); ok {
				f.checkParam(p)
			}
		}
	}
}

// checkParam rejects an argument that is not a similarity.
func (f *boundFinder) checkParam(p *syntax.Param) {
	v := f.constant(p)
	if v == nil {
		return
	}
	r, ok := v.(*big.Rat)
	if !ok {
		f.fail(ErrorAt(p.Pos, "a number for "+p.String(), value.Show(v), ""))
	} else if hint, ok := syntax.SimHint(value.Decimal(r)); !ok {
		f.fail(ErrorAt(p.Pos, "a similarity between 0 and 1", value.Show(v), hint))
	}
}

// isSim reports whether x is the similarity of the row.
func (f *boundFinder) isSim(x syntax.Operand) bool { return syntax.IsSim(x, f.view) }

// isDist reports whether x is the distance in a search by fingerprints.
func (f *boundFinder) isDist(x syntax.Operand) bool {
	field, ok := x.(*syntax.Field)
	return ok && f.hash && field.IsBare(map[bool]string{false: "dist", true: "distance"}[f.view])
}

// threshold returns the largest Threshold up to r, and reports whether it equals r.
func threshold(r *big.Rat) (api.Threshold, bool) {
	if r.Denom().IsUint64() && r.Denom().Uint64() < 1<<32 {
		return api.Ratio(r.Num().Uint64(), r.Denom().Uint64()), true
	}
	// Rounding down keeps the bound safe: a row too many fails the test that remains.
	const den = 1_000_000_000
	x := new(big.Rat).Mul(r, big.NewRat(den, 1))
	n := new(big.Int).Quo(x.Num(), x.Denom())
	return api.Ratio(n.Uint64(), den), false
}

// oneMinus turns a distance into a similarity.
func oneMinus(r *big.Rat) *big.Rat { return new(big.Rat).Sub(big.NewRat(1, 1), r) }

// aboveZero returns the least positive bound of a search. Measures that count shared items
// find nothing at 0 anyway.
func aboveZero(hash bool) *big.Rat {
	if hash {
		return big.NewRat(1, 64)
	}
	return new(big.Rat)
}

// conjuncts returns the predicates that e joins by AND.
func conjuncts(e syntax.Expr) []syntax.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *syntax.And:
		return e.Args
	default:
		return []syntax.Expr{e}
	}
}

// joined returns the conjunction of a list of predicates, nil for an empty list.
func joined(list []syntax.Expr) syntax.Expr {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return &syntax.And{Pos: list[0].Place(), Args: list}
}
