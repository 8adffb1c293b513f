package query

// The lower bound that a WHERE sets for the similarity. The engine searches
// with it. The rest of the WHERE is tested row by row.

import (
	"math/big"

	"github.com/simdb/simdb/api"
)

// bounds is what a WHERE says about the similarity.
type bounds struct {
	min       rational // rows below it are not wanted
	given     bool     // a lower bound was found
	mentioned bool     // sim or dist, or WITHIN, occurs at all
	rest      []Expr   // joined by AND: what min does not decide
}

// boundFinder finds the bounds of a WHERE. Only what is joined by AND at the
// top applies to all rows. The engine decides sim >= min in integers, so no
// test of it remains.
type boundFinder struct {
	constant func(Operand) (any, error)
	hash     bool // sim is (64−dist)/64
	view     bool // sim is called similarity, dist distance
	bounds
}

func (f boundFinder) find(where Expr) (bounds, error) {
	f.min = rational{den: 1}
	f.mentioned = firstWithin(where) != nil
	eachOperand(where, func(x Operand) { f.mentioned = f.mentioned || f.isSim(x) || f.isDist(x) })
	if err := f.checkParams(where); err != nil {
		return bounds{}, err
	}
	for _, e := range conjuncts(where) {
		done, err := f.bound(e)
		if err != nil {
			return bounds{}, err
		}
		if !done {
			f.rest = append(f.rest, e)
		}
	}
	return f.bounds, nil
}

// bound reads one conjunct, and reports whether the bounds say everything that
// it says.
func (f *boundFinder) bound(e Expr) (done bool, err error) {
	switch e := e.(type) {
	case *Comparison:
		x, op, v := fieldFirst(e)
		switch {
		case f.isSim(x):
			return f.simBound(op, v)
		case f.isDist(x):
			return f.distBound(op, v)
		}
	case *Within:
		v, err := f.constant(e.By)
		if by, ok := v.(rational); ok {
			f.raise(oneMinus(by))
		}
		return false, err // sim may not be equal to the bound
	case *Between:
		switch {
		case e.Not:
		case f.isSim(e.X):
			low, err := f.simBound(">=", e.Low)
			if err != nil || !low {
				return false, err
			}
			f.rest = append(f.rest, &Comparison{e.Pos, "<=", e.X, e.High})
			return true, nil
		case f.isDist(e.X):
			_, err := f.distBound("<=", e.High)
			return false, err
		}
	}
	return false, nil
}

// fieldFirst swaps the sides of 0.8 <= sim.
func fieldFirst(e *Comparison) (x Operand, op string, v Operand) {
	switch e.Left.(type) {
	case *Field, *Similarity:
		return e.Left, e.Op, e.Right
	}
	flipped := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}
	if op, ok := flipped[e.Op]; ok {
		return e.Right, op, e.Left
	}
	return e.Right, e.Op, e.Left
}

func (f *boundFinder) simBound(op string, x Operand) (done bool, err error) {
	if op != ">=" && op != ">" && op != "=" {
		return false, nil
	}
	v, err := f.constant(x)
	r, ok := v.(rational)
	if err != nil || !ok {
		return false, err
	}
	if op == ">" && r.compare(rational{den: 1}) == 0 { // the least that the engine finds
		f.raise(aboveZero(f.hash))
		return true, nil
	}
	f.raise(r)
	if op == ">" && r.compare(rational{den: 1}) == 0 && !f.hash {
		return true, nil // what has nothing in common is never found
	}
	_, exact := threshold(r)
	return op == ">=" && exact, nil
}

// distBound reads dist <= d as sim >= (64−d)/64.
func (f *boundFinder) distBound(op string, x Operand) (done bool, err error) {
	if op != "<=" && op != "<" && op != "=" {
		return false, nil
	}
	v, err := f.constant(x)
	r, ok := v.(rational)
	if err != nil || !ok {
		return false, err
	}
	d, whole := r.whole()
	switch {
	case !whole:
		f.raise(rational{den: 1})
		return false, nil
	case d < 0:
		f.raise(one) // matches nothing, as the remaining test will find
		return false, nil
	}
	f.raise(ratio(uint64(64-min(d, 64)), 64))
	return op == "<=", nil
}

func (f *bounds) raise(r rational) {
	f.given = true
	if r.compare(f.min) > 0 {
		f.min = r
	}
}

// checkParams checks arguments that are compared with a similarity. The parser
// has checked literals in the same way.
func (f *boundFinder) checkParams(e Expr) error {
	if e == nil {
		return nil
	}
	for _, c := range e.children() {
		if err := f.checkParams(c); err != nil {
			return err
		}
	}
	_, beside := e.(*Within)
	for _, x := range e.operands() {
		beside = beside || f.isSim(x)
	}
	for _, x := range e.operands() {
		p, ok := x.(*Param)
		if !ok || !beside {
			continue
		}
		v, err := f.constant(p)
		if err != nil {
			return err
		}
		if v == nil {
			continue
		}
		r, ok := v.(rational)
		if !ok {
			return errorAt(p.Pos, "a number for "+operandString(p), show(v), "")
		}
		if hint, ok := simHint(r.decimal()); !ok {
			return errorAt(p.Pos, "a similarity between 0 and 1", show(v), hint)
		}
	}
	return nil
}

func (f *boundFinder) isSim(x Operand) bool { return isSim(x, f.view) }

// isDist reports whether x is the distance of a search by fingerprints.
func (f *boundFinder) isDist(x Operand) bool {
	field, ok := x.(*Field)
	return ok && f.hash && field.isBare(map[bool]string{false: "dist", true: "distance"}[f.view])
}

// threshold returns the largest Threshold that is at most r, and whether it is r.
func threshold(r rational) (api.Threshold, bool) {
	if r.big == nil && r.den < 1<<32 {
		return api.Ratio(r.num, r.den), true
	}
	const den = 1_000_000_000
	x := new(big.Rat).Mul(r.rat(), big.NewRat(den, 1))
	n := new(big.Int).Quo(x.Num(), x.Denom())
	return api.Ratio(n.Uint64(), den), false
}
