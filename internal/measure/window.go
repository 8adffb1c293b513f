package measure

// The sizes of bags that can match a query, and the fewest members that all of them
// share with it. They determine how many of the postings a search has to read.

import (
	"math"
	"sort"

	"github.com/simdb/simdb/api"
)

// Repeats bounds the repetitions beyond the first of each member in a bag: at most so
// many eighths of its distinct members.
type Repeats uint64

// Admits reports whether a bag of that size satisfies the bound.
func (r Repeats) Admits(s Size) bool { return 8*(s.Total-s.Distinct) <= uint64(r)*s.Distinct }

// Window bounds all bags that match a query by a formula and a threshold and satisfy a
// bound on their repeats.
type Window struct {
	formula Formula
	query   Size
	t       api.Threshold
	repeats Repeats // of the bags in question

	Low, High uint64 // distinct members of a match, inclusive
	Need      uint64 // least number of members that a match shares with the query
}

// Window computes the window. ok is false for a query without members, which nothing
// matches.
//
// Two sizes suffice: of the bags with n distinct members take the one that needs the
// fewest shared members to score t (see loosest). Its need, before rounding up, is a
// linear function of n: for sets t(α|Q| + βn)/(1−t+t(α+β)), for multiset (t(|Q|+n) −
// (1−t)·r)/(1+t) with r repeats of the query, for the repetition similarity half of
// t(|Q|+r) − r + n(t(1+ρ) − ρ), where ρ bounds the repeats. And its score with all
// members of the smaller side shared grows up to n = |Q|, where it is 1, and then
// falls. So the sizes that can match form an interval around |Q|, and a bound that a
// linear function satisfies at both ends of the interval holds between them.
func (f Formula) Window(query Size, t api.Threshold, repeats Repeats) (w Window, ok bool) {
	w = Window{formula: f, query: query, t: t, repeats: repeats}
	n := query.Distinct
	if n == 0 {
		return w, false
	}
	matches := func(m uint64) bool {
		q, d := w.query.times(loosestUnit), w.loosest(m, loosestUnit)
		return f.Bound(q, d, min(q.Distinct, d.Distinct)).Reaches(t)
	}
	w.Low = 1 + uint64(sort.Search(int(n-1), func(i int) bool { return matches(uint64(i) + 1) }))
	more := sort.Search(math.MaxInt32, func(i int) bool { return !matches(n + uint64(i) + 1) })
	w.High = n + uint64(more)
	w.Need = min(w.needAt(w.Low), w.needAt(w.High))
	return w, true
}

// loosestUnit makes the eighths of Repeats whole numbers.
const loosestUnit = 8

// times scales a size, to compute in fractions of 1/k.
func (s Size) times(k uint64) Size { return Size{s.Distinct * k, s.Total * k} }

// loosest returns, times k, the size of n distinct members that needs the fewest shared
// members: more repeats never need more, except, by multiset, repeats beyond the
// query's.
func (w *Window) loosest(n, k uint64) Size {
	repeated := uint64(0)
	if repeats := w.formula.repeats; repeats != nil {
		repeated = repeats(w.query, n, w.repeats, k)
	}
	return Size{n * k, n*k + repeated}
}

// needAt returns the need at n distinct members, rounded up only at the end.
func (w *Window) needAt(n uint64) uint64 {
	need, ok := w.formula.Need(w.query.times(loosestUnit), w.loosest(n, loosestUnit), w.t)
	if !ok {
		return 1
	}
	return (need-1)/loosestUnit + 1
}

// Longest bounds the distinct members of a match that shares at most so many members with the
// query; 0 if there is none. The need is linear in the size, or that of Overlap, which never falls.
func (w *Window) Longest(shared uint64) uint64 {
	if w.needAt(w.Low) > w.needAt(w.High) {
		return w.High
	}
	longer := sort.Search(int(w.High-w.Low)+1, func(i int) bool { return w.needAt(w.Low+uint64(i)) > shared })
	if longer == 0 {
		return 0
	}
	return w.Low + uint64(longer) - 1
}

// NeedsShare reports whether every match of n distinct members shares at least
// ⌈share·n⌉ of them with the query: then the rarest n − ⌈share·n⌉ + 1 include a shared
// one.
func (w *Window) NeedsShare(share api.Threshold) bool {
	num, den := share.Fraction()
	if num == 0 {
		return true
	}
	if den > 1<<12 || w.High >= 1<<28 || w.query.Total >= 1<<28 {
		return false // not computable in 64 bits
	}
	k := loosestUnit * den
	for _, n := range []uint64{w.Low, w.High} {
		q, d, shared := w.query.times(k), w.loosest(n, k), num*loosestUnit*n
		if shared > q.Distinct {
			return false // the need does not exceed the query
		}
		// A score above t would mean that fewer are enough.
		tNum, tDen := w.t.Fraction()
		if w.formula.Bound(q, d, shared).Compare(Score{Shared: tNum, Of: tDen}) > 0 {
			return false
		}
	}
	return true
}

// Threshold returns the score as a threshold: the zero Threshold if there is no score,
// or it exceeds 1.
func (s Score) Threshold() api.Threshold {
	num, den := s.Ratio()
	if den == 0 || num > den {
		return api.Threshold{}
	}
	return api.Ratio(num, den)
}
