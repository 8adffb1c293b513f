package evaluate

// This file judges a setting: what it finds from a threshold on, and how it
// orders the answers to a query.

import (
	"cmp"
	"slices"
)

// counts are pairs: right ones that were found, wrong ones that were, and all
// right ones.
type counts struct{ found, wrong, right float64 }

func (c counts) precision() float64 {
	if c.found+c.wrong == 0 {
		return 0
	}
	return c.found / (c.found + c.wrong)
}

func (c counts) recall() float64 {
	if c.right == 0 {
		return 0
	}
	return c.found / c.right
}

func (c counts) f1() float64 {
	if c.found == 0 {
		return 0
	}
	return 2 * c.found / (c.found + c.wrong + c.right)
}

// A judged is a setting with its pairs in the order of their scores.
type judged struct {
	scored
	task   *task
	sorted []place   // the highest score first
	rights []float64 // by group: its right pairs
}

// A place is a pair in the order of the scores.
type place struct {
	score float64
	group int32
	right bool
}

func judge(t *task, s scored) *judged {
	j := &judged{scored: s, task: t, rights: make([]float64, t.groups)}
	for i, p := range t.pairs {
		j.sorted = append(j.sorted, place{s.scores[i], p.group, p.right})
		if p.right {
			j.rights[p.group]++
		}
	}
	slices.SortStableFunc(j.sorted, func(a, b place) int { return cmp.Compare(b.score, a.score) })
	return j
}

// A weighting says how often each group counts: 0 leaves it out.
type weighting []float64

// once counts every group once.
func (t *task) once() weighting {
	w := make(weighting, t.groups)
	for i := range w {
		w[i] = 1
	}
	return w
}

// sweep calls at for each threshold, from the highest on, with the score that
// it reaches, the next lower score and what is found, until at returns false.
// No similarity at all is no match.
func (j *judged) sweep(w weighting, at func(score, next float64, c counts) bool) {
	var c counts
	for g, n := range j.rights {
		c.right += n * w[g]
	}
	last := 0.0 // the score of the pairs in c
	for _, p := range j.sorted {
		n := w[p.group]
		if n == 0 {
			continue
		}
		if p.score != last {
			if last > 0 && !at(last, max(p.score, 0), c) {
				return
			}
			if last = p.score; last <= 0 {
				return
			}
		}
		if p.right {
			c.found += n
		} else {
			c.wrong += n
		}
	}
	if last > 0 {
		at(last, 0, c)
	}
}

// from returns what is found from a threshold on.
func (j *judged) from(w weighting, threshold float64) (c counts) {
	for i, p := range j.task.pairs {
		n := w[p.group]
		if p.right {
			c.right += n
		}
		if j.scores[i] > 0 && j.scores[i] >= threshold {
			if p.right {
				c.found += n
			} else {
				c.wrong += n
			}
		}
	}
	return c
}

// auc is the share of pairs of a right and a wrong pair in which the right one
// has the higher score, where equal scores count a half: the area under the
// curve of recall against false positives.
func (j *judged) auc(w weighting) float64 {
	var right, wrong, area float64
	for i := 0; i < len(j.sorted); {
		score := j.sorted[i].score
		var r, f float64
		for ; i < len(j.sorted) && j.sorted[i].score == score; i++ {
			if p := j.sorted[i]; p.right {
				r += w[p.group]
			} else {
				f += w[p.group]
			}
		}
		area += f * (right + r/2)
		right, wrong = right+r, wrong+f
	}
	if right == 0 || wrong == 0 {
		return 0
	}
	return area / (right * wrong)
}

// ranks are how well a setting orders the answers to queries, the mean over
// those with a right answer: the share of right ones among the first, among the
// first three, and the average precision.
type ranks struct{ first, three, average, queries float64 }

func (j *judged) ranks(w weighting) (r ranks) {
	pairs := j.task.pairs
	for from := 0; from < len(pairs); {
		to := from
		for to < len(pairs) && pairs[to].q == pairs[from].q {
			to++
		}
		right, all := j.ranked(from, to)
		r.add(w[pairs[from].group], right, all)
		from = to
	}
	if r.queries > 0 {
		r.first, r.three, r.average = r.first/r.queries, r.three/r.queries, r.average/r.queries
	}
	return r
}

// ranked says of the pairs of a query, best first and equal ones by id, which
// are right and found, and how many are right in all.
func (j *judged) ranked(from, to int) (right []bool, all int) {
	places := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		places = append(places, i)
		if j.task.pairs[i].right {
			all++
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(j.scores[b], j.scores[a]) })
	for _, i := range places {
		if j.scores[i] <= 0 {
			break
		}
		right = append(right, j.task.pairs[i].right)
	}
	return right, all
}

// add adds a query that counts w times.
func (r *ranks) add(w float64, right []bool, all int) {
	if all == 0 || w == 0 {
		return
	}
	r.queries += w
	hits := 0.0
	for n, is := range right {
		if !is {
			continue
		}
		hits++
		r.average += w * hits / float64(n+1) / float64(all)
		if n == 0 {
			r.first += w
		}
		if n < 3 {
			r.three += w / 3
		}
	}
}
