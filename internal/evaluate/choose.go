package evaluate

// Choice of the setting and the rule to recommend, by cross-validation: each is judged on groups
// of queries that did not choose it.

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
)

// Goals are the criteria for comparing settings.
var Goals = []string{"f1", "recall", "auc", "ap", "p1", "p3"}

const (
	halvings  = 10    // random splits of the groups; one half chooses the rule, the other judges it
	resamples = 200   // bootstrap resamples of the groups, for the confidence interval
	votes     = 40    // resamples that vote on the threshold
	within    = 0.005 // settings this close to the best count as equal, and the first of the list wins
	lacking   = 4     // but only within this fraction of the distance from the best to 1
)

// leastPrecision is the precision at which the goal "recall" measures.
const leastPrecision = 0.95

// resample draws as many groups as there are, with replacement.
func (w weighting) resample(r *rand.Rand) weighting {
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

// halves splits the groups at random.
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

// reached returns the value of a goal on the groups of w with a rule that other groups chose.
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
			return 0 // the precision on the other half may be slightly lower
		}
		return c.recall()
	}
	return j.from(w, r).f1()
}

// ordered reports whether a goal depends on the order of answers only, not on a rule.
func ordered(goal string) bool { return goal != "f1" && goal != "recall" }

// crossValidate returns the mean value of a goal on the half that did not choose the rule, within
// the groups of w.
func (j *judged) crossValidate(k kind, goal string, parts [][2]weighting) float64 {
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

// partings returns the splits that compare settings, within the groups of w.
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

// tolerance returns the distance from the best value within which settings count as equal.
func tolerance(best float64) float64 { return min(within, (1-best)/lacking) }

// A choice is a setting with a rule and its value on groups that did not choose the rule.
type choice struct {
	*judged
	kind    kind
	rule    rule
	heldOut float64
}

// choose returns settings with rules by their value on the groups of w, the recommended one
// first.
func choose(ctx context.Context, t *task, all []*judged, goal string, w weighting) ([]choice, error) {
	made, err := screen(ctx, all, goal, w)
	if err != nil {
		return nil, err
	}
	parts := t.partings(w)
	if err := parallel(ctx, len(made), func(_ context.Context, i int) error {
		c := &made[i]
		c.rule, c.heldOut = c.fitByVotes(c.kind, w, goal), c.judged.crossValidate(c.kind, goal, parts)
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

// Numbers of choices that pass the screening by their value on the same groups that choose their
// rule: of all, per kind of rule, and one per setting.
const (
	bestOfAll  = 60
	bestOfKind = 3
)

// screen returns the promising settings with rules, the simplest rules first, then in the order
// of settings. The full comparison of all would take too long.
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
