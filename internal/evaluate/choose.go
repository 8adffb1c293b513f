package evaluate

// This file chooses the setting and the rule to recommend: those that do
// well on documents that they were not chosen by.

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
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

// reached is what a setting reaches by a goal on some groups, with a rule that was chosen
// by others.
func (j *judged) reached(goal string, w weighting, r rule) float64 {
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
		c := j.from(w, r)
		if c.precision() < leastPrecision-0.02 {
			return 0 // the other half may miss the precision by a little
		}
		return c.recall()
	}
	return j.from(w, r).f1()
}

// ordered reports whether a goal looks at the order alone, whatever the rule.
func ordered(goal string) bool { return goal != "f1" && goal != "recall" }

// heldOut is the mean of what a setting reaches on the half that its rule was not chosen
// by, of the groups of w.
func (j *judged) heldOut(k kind, goal string, parts [][2]weighting) float64 {
	sum := 0.0
	for _, p := range parts {
		for i := range p {
			var r rule
			if !ordered(goal) {
				r, _ = j.fit(k, p[i], goal)
			}
			sum += j.reached(goal, p[1-i], r)
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

// A choice is a setting with a rule, and what it reaches on groups that the rule was not
// chosen by.
type choice struct {
	*judged
	kind    kind
	rule    rule
	heldOut float64
}

// choose orders settings with their rules by what they reach on the groups of w, the
// recommended one first.
func choose(ctx context.Context, t *task, all []*judged, goal string, w weighting) ([]choice, error) {
	made, err := screen(ctx, all, goal, w)
	if err != nil {
		return nil, err
	}
	parts := t.partings(w)
	if err := parallel(ctx, len(made), func(_ context.Context, i int) error {
		c := &made[i]
		c.rule, c.heldOut = c.settle(c.kind, w, goal), c.judged.heldOut(c.kind, goal, parts)
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

// How many choices are looked at closely, by what they reach on the very groups that their
// numbers are chosen by: of all, of each rule, and one of each setting.
const (
	bestOfAll  = 60
	bestOfKind = 3
)

// screen lists the settings with the rules that may be worth it, the plainest rules first,
// and then the settings in their order.
func screen(ctx context.Context, all []*judged, goal string, w weighting) (made []choice, err error) {
	type tried struct {
		setting, kind int
		reached       float64
	}
	of := make([][]tried, len(all))
	if err := parallel(ctx, len(all), func(_ context.Context, i int) error {
		for k, kind := range kinds {
			if k > 0 && (ordered(goal) || !all[i].ranked) {
				break
			}
			_, reached := all[i].fit(kind, w, goal)
			of[i] = append(of[i], tried{i, k, reached})
		}
		return nil
	}); err != nil {
		return nil, err
	}
	var list []tried
	for i, o := range of {
		list = append(list, o...)
		of[i] = nil
	}
	slices.SortStableFunc(list, func(a, b tried) int { return cmp.Compare(b.reached, a.reached) })
	kindsMet, settingsMet := make([]int, len(kinds)), make([]bool, len(all))
	var kept []tried
	for n, x := range list {
		plain := x.kind == 0 && all[x.setting].isDefault()
		if n < bestOfAll || kindsMet[x.kind] < bestOfKind || !settingsMet[x.setting] || plain {
			kept = append(kept, x)
			kindsMet[x.kind]++
			settingsMet[x.setting] = true
		}
	}
	slices.SortFunc(kept, func(a, b tried) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.setting, b.setting)) })
	for _, x := range kept {
		made = append(made, choice{judged: all[x.setting], kind: kinds[x.kind]})
	}
	return made, nil
}
