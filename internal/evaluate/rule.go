package evaluate

// Rules: conditions under which a row of an answer counts as found, by threshold, by rank, and by
// the best score of the query.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A rule decides which documents a query finds. It keeps ties, as WITH TIES does.
type rule struct {
	nearest int     // maximum rank; 0: no limit
	least   float64 // minimum score
	share   float64 // minimum fraction of the best score
}

// keeps reports whether the rule finds a document.
func (r rule) keeps(p place) bool {
	return p.score >= r.least && (r.nearest == 0 || int(p.rank) <= r.nearest) && p.ratio >= r.share
}

// clause returns the rule in the query language: the part before the collection and the part
// after the measure.
func (r rule) clause() (nearest, where string) {
	if r.nearest > 0 {
		nearest = fmt.Sprintf(" NEAREST %d WITH TIES", r.nearest)
	}
	var parts []string
	if r.least > 0 {
		parts = append(parts, "sim >= "+decimal(r.least))
	}
	if r.share > 0 {
		parts = append(parts, "sim >= "+decimal(r.share)+" OF BEST")
	}
	if parts != nil {
		where = " WHERE " + strings.Join(parts, " AND ")
	}
	return nearest, where
}

// String returns the rule as one phrase of the query language.
func (r rule) String() string {
	nearest, where := r.clause()
	return strings.TrimPrefix(nearest+strings.Replace(where, " WHERE ", " ", 1), " ")
}

// A kind is a family of rules; the truth determines the numbers.
type kind struct {
	nearest      int
	least, share bool
}

// mostNearest is the largest n of NEAREST that is tried.
const mostNearest = 10

// kinds are the families that are tried, the simplest first.
var kinds = func() (all []kind) {
	all = append(all, kind{least: true}, kind{share: true}, kind{least: true, share: true})
	for _, n := range []int{1, 2, 3, 5, mostNearest} {
		all = append(all, kind{nearest: n}, kind{nearest: n, least: true})
	}
	return all
}()

// name returns the label of the kind in the report.
func (k kind) name() string {
	switch {
	case k.nearest > 0 && k.least:
		return "the nearest, from a threshold on"
	case k.nearest > 0:
		return "the nearest"
	case k.least && k.share:
		return "relative to the best, from a threshold on"
	case k.share:
		return "relative to the best"
	}
	return "a threshold"
}

// shares are tried together with a threshold before fit refines the best.
var shares = []float64{0.5, 0.7, 0.8, 0.9, 0.95, 0.98}

// A cut is an interval of scores; any threshold inside finds the same pairs.
type cut struct{ low, high float64 }

// mostDecimals is the number of decimals that the query language accepts.
const mostDecimals = 9

// middle returns the threshold with the fewest decimals in the middle half of a cut.
func (c cut) middle() float64 {
	for decimals := 2; decimals <= mostDecimals; decimals++ {
		text := strconv.FormatFloat((c.low+c.high)/2, 'f', decimals, 64)
		at, err := strconv.ParseFloat(text, 64)
		if quarter := (c.high - c.low) / 4; err == nil && at > 0 && at >= c.low+quarter && at <= c.high-quarter {
			return at
		}
	}
	return c.high
}

// value returns the value of a goal that chooses rules. Goals without a threshold use F1.
func value(goal string, c counts) float64 {
	if goal != "recall" {
		return c.f1()
	}
	if c.found == 0 || c.precision() < leastPrecision {
		return 0
	}
	return c.recall()
}

// cut returns the best threshold for a goal with its value. It stops when even finding all
// remaining right pairs could not improve the value.
func (j *judged) cut(w weighting, r rule, byShare bool, goal string) (at cut, best float64) {
	best = -1.0
	j.sweep(w, r, byShare, func(score, next float64, c counts) bool {
		if v := value(goal, c); v > best {
			best, at = v, cut{next, score}
		}
		return goal == "recall" || 2*c.right >= best*(c.found+c.wrong+c.right)
	})
	return at, max(best, 0)
}

// fit chooses the numbers of a rule on the groups of w and returns their value there.
func (j *judged) fit(k kind, w weighting, goal string) (r rule, reached float64) {
	r = rule{nearest: k.nearest}
	var at cut
	switch {
	case k.least && k.share:
		best := rule{}
		for _, share := range shares {
			if c, v := j.cut(w, rule{share: share}, false, goal); v > reached {
				reached, best = v, rule{least: c.middle(), share: share}
			}
		}
		if at, reached = j.cut(w, rule{least: best.least}, true, goal); at.high > 0 {
			best.share = at.middle()
		}
		return best, reached
	case k.share:
		at, reached = j.cut(w, r, true, goal)
		r.share = at.middle()
	case k.least:
		at, reached = j.cut(w, r, false, goal)
		r.least = at.middle()
	default:
		reached = value(goal, j.from(w, r))
	}
	return r, reached
}

// fitByVotes chooses numbers that do not depend on single pairs: the median of the thresholds, or
// shares, of resamples of the groups.
func (j *judged) fitByVotes(k kind, w weighting, goal string) rule {
	r, _ := j.fit(k, w, goal)
	if !k.least && !k.share {
		return r
	}
	rest, byShare := r, !k.least
	number := &r.least
	rest.least = 0
	if byShare {
		number, rest = &r.share, rule{nearest: k.nearest}
	}
	rng := rand.New(rand.NewPCG(1, 0))
	var all []float64
	for range votes {
		if c, _ := j.cut(w.resample(rng), rest, byShare, goal); c.high > 0 {
			all = append(all, (c.low+c.high)/2)
		}
	}
	if len(all) == 0 {
		return r
	}
	slices.Sort(all)
	median := all[len(all)/2]
	around := cut{0, 1e9} // all thresholds between these two scores are equivalent
	j.sweep(w, rest, byShare, func(score, _ float64, _ counts) bool {
		if score >= median {
			around.high = score
			return true
		}
		around.low = score
		return false
	})
	if around.high < 1e9 {
		*number = around.middle()
	}
	return r
}
