package evaluate

// This file chooses the setting and the threshold to recommend: those that do
// well on documents that they were not chosen by.

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Goals are what settings may be compared by.
var Goals = []string{"f1", "recall", "auc", "ap", "p1", "p3"}

const (
	halvings  = 10    // times that the groups are parted, to choose by one half and judge by the other
	resamples = 200   // of the groups, for the confidence
	votes     = 40    // resamples that have a vote in the threshold
	within    = 0.005 // settings so near to the best one are as good: of these the first of the list is taken
	lacking   = 4     // but no further from it than this part of what it lacks to 1
)

// leastPrecision is the precision at which the goal "recall" is measured.
const leastPrecision = 0.95

// A cut is a threshold, and the scores between which it may lie.
type cut struct{ low, high float64 }

// middle is the threshold with the fewest decimals in the middle half of a cut.
func (c cut) middle() float64 {
	for decimals := 2; decimals < 12; decimals++ {
		text := strconv.FormatFloat((c.low+c.high)/2, 'f', decimals, 64)
		at, err := strconv.ParseFloat(text, 64)
		if quarter := (c.high - c.low) / 4; err == nil && at > 0 && at >= c.low+quarter && at <= c.high-quarter {
			return at
		}
	}
	return c.high
}

// value is what a goal makes of counts; thresholds are chosen by it. Goals that
// need no threshold take the one with the best F1.
func value(goal string, c counts) float64 {
	if goal != "recall" {
		return c.f1()
	}
	if c.found == 0 || c.precision() < leastPrecision {
		return 0
	}
	return c.recall()
}

// cut returns where the goal is reached best. Where the pairs that were found are
// so many that all right ones could not make it better, it looks no further.
func (j *judged) cut(w weighting, goal string) (at cut) {
	best := -1.0
	j.sweep(w, func(score, next float64, c counts) bool {
		if v := value(goal, c); v > best {
			best, at = v, cut{next, score}
		}
		return goal == "recall" || 2*c.right >= best*(c.found+c.wrong+c.right)
	})
	return at
}

// threshold chooses one that does not hang on single pairs: resamples of the
// groups vote, and the median of their thresholds is taken.
func (j *judged) threshold(w weighting, goal string) float64 {
	r := rand.New(rand.NewPCG(1, 0))
	var all []float64
	for range votes {
		c := j.cut(w.resampled(r), goal)
		if c.high > 0 {
			all = append(all, (c.low+c.high)/2)
		}
	}
	if len(all) == 0 {
		return j.cut(w, goal).middle()
	}
	slices.Sort(all)
	median := all[len(all)/2]
	around := cut{0, 1e9} // the scores that it lies between: all thresholds there are the same
	j.sweep(w, func(score, _ float64, _ counts) bool {
		if score >= median {
			around.high = score
			return true
		}
		around.low = score
		return false
	})
	if around.high == 1e9 {
		return j.cut(w, goal).middle()
	}
	return around.middle()
}

// resampled draws as many groups as there are, with replacement.
func (w weighting) resampled(r *rand.Rand) weighting {
	var in []int
	for g, n := range w {
		if n > 0 {
			in = append(in, g)
		}
	}
	drawn := make(weighting, len(w))
	for range in {
		g := in[r.IntN(len(in))]
		drawn[g] += w[g]
	}
	return drawn
}

// halves parts the groups at random.
func (t *task) halves(r *rand.Rand) (a, b weighting) {
	a, b = make(weighting, t.groups), make(weighting, t.groups)
	for n, g := range r.Perm(t.groups) {
		if n%2 == 0 {
			a[g] = 1
		} else {
			b[g] = 1
		}
	}
	return a, b
}

// reached is what a setting reaches by a goal on some groups, with a threshold
// that was chosen by others.
func (j *judged) reached(goal string, w weighting, threshold float64) float64 {
	switch goal {
	case "auc":
		return j.auc(w)
	case "ap":
		return j.ranks(w).average
	case "p1":
		return j.ranks(w).first
	case "p3":
		return j.ranks(w).three
	case "recall":
		if c := j.from(w, threshold); c.precision() < leastPrecision-0.02 {
			return 0 // the other half may miss the precision by a little
		}
		return j.from(w, threshold).recall()
	}
	return j.from(w, threshold).f1()
}

// heldOut is the mean of what a setting reaches on the half that its threshold
// was not chosen by, of the groups of w.
func (j *judged) heldOut(goal string, parts [][2]weighting) float64 {
	sum := 0.0
	for _, p := range parts {
		for i := range p {
			at := 0.0
			if goal == "f1" || goal == "recall" {
				at = j.cut(p[i], goal).middle()
			}
			sum += j.reached(goal, p[1-i], at)
		}
	}
	return sum / float64(2*len(parts))
}

// partings are the halves that settings are compared by, of the groups of w.
func (t *task) partings(w weighting) (parts [][2]weighting) {
	r := rand.New(rand.NewPCG(2, 0))
	for range halvings {
		a, b := t.halves(r)
		for g := range w {
			a[g] *= w[g]
			b[g] *= w[g]
		}
		parts = append(parts, [2]weighting{a, b})
	}
	return parts
}

// tolerance is how far from the best one a setting may be that is as good.
func tolerance(best float64) float64 { return min(within, (1-best)/lacking) }

// A choice is a setting with a threshold, and what it reaches on groups that
// the threshold was not chosen by.
type choice struct {
	*judged
	threshold float64
	heldOut   float64
}

// choose orders settings by what they reach on the groups of w, the recommended
// one first.
func choose(ctx context.Context, t *task, all []*judged, goal string, w weighting) ([]choice, error) {
	parts := t.partings(w)
	made := make([]choice, len(all))
	if err := parallel(ctx, len(all), func(_ context.Context, i int) error {
		made[i] = choice{all[i], all[i].threshold(w, goal), all[i].heldOut(goal, parts)}
		return nil
	}); err != nil {
		return nil, err
	}
	highest := slices.MaxFunc(made, func(a, b choice) int { return cmp.Compare(a.heldOut, b.heldOut) }).heldOut
	first := slices.IndexFunc(made, func(c choice) bool { return c.heldOut >= highest-tolerance(highest) })
	recommended := made[first]
	made = slices.Delete(made, first, first+1)
	slices.SortStableFunc(made, func(a, b choice) int { return cmp.Compare(b.heldOut, a.heldOut) })
	return slices.Insert(made, 0, recommended), nil
}
