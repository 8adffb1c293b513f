package measures

// This file compares all pairs of a collection by all measures and makes a row
// of figures for each measure.

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// A tally counts the pairs of a method by score: one place for each hundredth,
// rounded down, so that any bound with two decimals is decided exactly.
type tally struct{ related, others [101]int }

func (t *tally) add(related bool, shared, of uint64) {
	at := uint64(0)
	if of > 0 {
		at = shared * 100 / of
	}
	if related {
		t.related[at]++
	} else {
		t.others[at]++
	}
}

// A result is what a bound on the score finds.
type result struct{ right, wrong, missed int }

// from counts what scores at least bound hundredths.
func (t *tally) from(bound int) (r result) {
	for at := range t.related {
		if at >= bound {
			r.right += t.related[at]
			r.wrong += t.others[at]
		} else {
			r.missed += t.related[at]
		}
	}
	return r
}

func (r result) precision() float64 { return share(r.right, r.right+r.wrong) }
func (r result) recall() float64    { return share(r.right, r.right+r.missed) }
func (r result) f() float64         { return share(2*r.right, 2*r.right+r.wrong+r.missed) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// best returns the bound with the highest F, the lowest of several.
func (t *tally) best() (bound int) {
	for b := 1; b <= 100; b++ {
		if t.from(b).f() > t.from(bound).f() || bound == 0 {
			bound = b
		}
	}
	return bound
}

var comparisonHead = []string{"measure", "from score", "precision", "recall", "F", "best from", "best F", "bytes per document", "comparisons per pair", "time per pair"}

// comparison returns a row of the paper's comparison for each method, over all
// pairs of a collection.
func comparison(ctx context.Context, c collection) (rows [][]string, err error) {
	pairs := len(c.docs) * (len(c.docs) - 1) / 2
	for _, m := range methods(c.docs) {
		var t tally
		comparisons := 0
		start := time.Now()
		for i := range c.docs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for j := i + 1; j < len(c.docs); j++ {
				s := m.compare(i, j)
				t.add(c.related(i, j), s.Shared, s.Of)
			}
		}
		took := time.Since(start)
		for i := range c.docs {
			for j := i + 1; j < len(c.docs); j++ {
				comparisons += m.comparisons(i, j)
			}
		}
		r, best := t.from(m.threshold), t.best()
		rows = append(rows, []string{
			m.name, decimal(m.threshold), three(r.precision()), three(r.recall()), three(r.f()),
			decimal(best), three(t.from(best).f()),
			strconv.Itoa(m.bytes / len(c.docs)), fmt.Sprintf("%.1f", float64(comparisons)/float64(pairs)), strconv.FormatInt(took.Nanoseconds()/int64(pairs), 10) + " ns",
		})
	}
	return rows, nil
}

func three(f float64) string        { return strconv.FormatFloat(f, 'f', 3, 64) }
func four(f float64) string         { return strconv.FormatFloat(f, 'f', 4, 64) }
func decimal(hundredths int) string { return strconv.FormatFloat(float64(hundredths)/100, 'f', 2, 64) }
