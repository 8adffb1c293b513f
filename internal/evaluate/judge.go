package evaluate

// Quality of a setting: the pairs that a rule finds, and the order of the answers.

import (
	"cmp"
	"slices"
)

// counts are weighted numbers of pairs: right ones found, wrong ones found, and all right ones.
type counts struct{ found, wrong, right float64 }

// precision returns 0 if nothing was found.
func (c counts) precision() float64 {
	if c.found+c.wrong == 0 {
		return 0
	}
	return c.found / (c.found + c.wrong)
}

// recall returns the found fraction of the right pairs.
func (c counts) recall() float64 {
	if c.right == 0 {
		return 0
	}
	return c.found / c.right
}

// f1 returns the harmonic mean of precision and recall.
func (c counts) f1() float64 {
	if c.found == 0 {
		return 0
	}
	return 2 * c.found / (c.found + c.wrong + c.right)
}

// add counts a found pair w times.
func (c *counts) add(p place, w float64) {
	if p.right {
		c.found += w
	} else {
		c.wrong += w
	}
}

// A place is a judged pair with its position among all documents of the query.
type place struct {
	score float64
	ratio float64 // score divided by the best score of the query
	q, d  int32
	group int32
	rank  int16 // one more than the number of higher scores; mostNearest+1 means later
	right bool
}

// A judged is a setting with its judged pairs, the most similar first.
type judged struct {
	setting
	task    *task
	places  []place
	byRatio []int32   // indexes of places, highest ratio first
	rights  []float64 // by group: number of right pairs
}

// A scored is a setting with its scores.
type scored struct {
	setting
	scores []float64              // by pair of the task
	tops   [][mostNearest]float64 // by query: highest scores of all documents; nil if unknown
	others [][]found              // by query: the most similar documents without a label, which count as wrong
}

// judge sorts the scored pairs and ranks them within their queries.
func judge(t *task, s scored) *judged {
	j := &judged{setting: s.setting, task: t, rights: make([]float64, t.groups)}
	j.ranked = s.tops != nil
	add := func(q, d int32, score float64, right bool) {
		p := place{score: score, q: q, d: d, group: t.group[q], right: right}
		if right {
			j.rights[p.group]++
		}
		if score <= 0 {
			return // no search returns similarity 0
		}
		if j.ranked {
			top := s.tops[q]
			p.ratio, p.rank = score/top[0], 1
			for p.rank <= mostNearest && top[p.rank-1] > score {
				p.rank++
			}
		}
		j.places = append(j.places, p)
	}
	for i, p := range t.pairs {
		add(p.q, p.d, s.scores[i], p.right)
	}
	for q, list := range s.others {
		for _, f := range list {
			add(int32(q), f.doc, f.sim, false)
		}
	}
	slices.SortFunc(j.places, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.d, b.d), cmp.Compare(a.q, b.q))
	})
	if j.ranked {
		for i := range j.places {
			j.byRatio = append(j.byRatio, int32(i))
		}
		slices.SortStableFunc(j.byRatio, func(a, b int32) int { return cmp.Compare(j.places[b].ratio, j.places[a].ratio) })
	}
	return j
}

// A weighting is the number of times that each group counts; 0 excludes it.
type weighting []float64

// once counts every group once.
func (t *task) once() weighting {
	w := make(weighting, t.groups)
	for i := range w {
		w[i] = 1
	}
	return w
}

// all returns counts with the right pairs of w.
func (j *judged) all(w weighting) (c counts) {
	for g, n := range j.rights {
		c.right += n * w[g]
	}
	return c
}

// sweep calls at for each threshold, from the highest to the lowest, with the score at it, the
// next lower score and the counts above it, until at returns false. It considers only pairs that
// r keeps. With byShare, thresholds are shares of the best score.
func (j *judged) sweep(w weighting, r rule, byShare bool, at func(reached, next float64, c counts) bool) {
	last, c := 0.0, j.all(w)
	for i := range j.places {
		p := &j.places[i]
		if byShare {
			p = &j.places[j.byRatio[i]]
		}
		if w[p.group] == 0 || !r.keeps(*p) {
			continue
		}
		reached := p.score
		if byShare {
			reached = p.ratio
		}
		if reached != last && last > 0 && !at(last, reached, c) {
			return
		}
		last = reached
		c.add(*p, w[p.group])
	}
	if last > 0 {
		at(last, 0, c)
	}
}

// from returns the counts of a rule.
func (j *judged) from(w weighting, r rule) counts {
	c := j.all(w)
	for _, p := range j.places {
		if p.score < r.least {
			break
		}
		if r.keeps(p) {
			c.add(p, w[p.group])
		}
	}
	return c
}

// auc returns the area under the ROC curve: the fraction of (right, wrong) pairs in which the
// right one has the higher score; equal scores count half.
func (j *judged) auc(w weighting) float64 {
	all := j.all(w).right
	var right, wrong, area float64
	for i := 0; i < len(j.places); {
		score := j.places[i].score
		var r, f float64
		for ; i < len(j.places) && j.places[i].score == score; i++ {
			if p := j.places[i]; p.right {
				r += w[p.group]
			} else {
				f += w[p.group]
			}
		}
		area += f * (right + r/2)
		right, wrong = right+r, wrong+f
	}
	rest := j.wrongs(w) - wrong // wrong pairs with similarity 0
	area += rest * (right + (all-right)/2)
	if all == 0 || wrong+rest == 0 {
		return 0
	}
	return area / (all * (wrong + rest))
}

// wrongs counts all wrong pairs, including those with similarity 0.
func (j *judged) wrongs(w weighting) (n float64) {
	if j.task.open {
		for _, p := range j.places {
			if !p.right {
				n += w[p.group]
			}
		}
		return n
	}
	for _, p := range j.task.pairs {
		if !p.right {
			n += w[j.task.group[p.q]]
		}
	}
	return n
}

// ranks measure the order of answers, as means over queries with a right answer: the fraction of
// right ones at rank 1 and in the first three, and the average precision.
type ranks struct{ first, three, average, queries float64 }

// ranks computes the means over the queries of w.
func (j *judged) ranks(w weighting) (r ranks) {
	t := j.task
	rights := make([]float64, len(t.queries))
	for _, p := range t.pairs {
		if p.right {
			rights[p.q]++
		}
	}
	for q, n := range rights {
		if n > 0 {
			r.queries += w[t.group[q]]
		}
	}
	if r.queries == 0 {
		return r
	}
	met, hits := make([]float64, len(t.queries)), make([]float64, len(t.queries))
	for _, p := range j.places {
		met[p.q]++
		if !p.right {
			continue
		}
		hits[p.q]++
		n := w[p.group] / r.queries
		r.average += n * hits[p.q] / met[p.q] / rights[p.q]
		if met[p.q] == 1 {
			r.first += n
		}
		if met[p.q] <= 3 {
			r.three += n / 3
		}
	}
	return r
}
