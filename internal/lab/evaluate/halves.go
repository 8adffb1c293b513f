package evaluate

// This file judges the recommendations themselves: given half of what is known
// of a labelled set, how far is the recommended setting from the best of all on
// the other half?

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/lab"
)

const (
	goal      = "f1"
	givenHalf = 10   // halvings of each set: each half is given once
	near      = 0.01 // so far from the best setting a recommendation may be
)

// Halves makes labelled sets of the texts in dir, and evaluates each half of each.
func Halves(ctx context.Context, dir string, o lab.Options) (*lab.Report, error) {
	return halves(ctx, dir, makers, o)
}

// halves is Halves for some sets.
func halves(ctx context.Context, dir string, makers []func(dir string) (labelled, error), o lab.Options) (*lab.Report, error) {
	r := lab.NewReport("What lab evaluate recommends, given half of the truth")
	r.Printf("Groups of documents that belong together are parted into halves at random, %d times. Of each half a setting and a rule is "+
		"recommended by F1, and judged on the other half, beside the best of all settings there: with the numbers that the first half gives each "+
		"rule, and with the numbers that are best on the very half it is judged on, which nobody can know.", givenHalf)
	var far, sure, told [][]string
	tried := 0
	for _, maker := range makers {
		set, err := maker(dir)
		if err != nil {
			return nil, err
		}
		t, all, err := set.judge(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set.name, err)
		}
		o.Progressf("%s: halves", set.name)
		tried = len(all)
		g, err := judgeHalves(ctx, t, all)
		if err != nil {
			return nil, err
		}
		made, err := choose(ctx, t, all, goal, t.once())
		if err != nil {
			return nil, err
		}
		told = append(told, []string{set.name, set.tells, fmt.Sprint(len(set.docs)), fmt.Sprint(len(t.pairs)), fmt.Sprint(t.groups)})
		far = append(far, append([]string{set.name, made[0].String(), made[0].rule.String()}, g.row()...))
		sure = append(sure, sureRow(set.name, made))
	}
	r.Table("sets", []string{"set", "is", "documents", "pairs", "groups"}, told)
	r.Printf("## The other half")
	r.Table("halves", []string{"set", "recommended of all", "rule", "F1 on the other half", "best setting there", "gap: mean", "worst", "within 0.01",
		"best setting and numbers there", "gap: mean", "within 0.01"}, far)
	r.Printf("The best of %d settings with their rules on a half is the best by chance too, and the more so, the fewer groups the half has. A gap is no more than noise "+
		"where other ways to choose have the same, as docs/commands.md says. Many licences have nearly the same text as others. The five groups of works are too few.", tried)
	r.Printf("## Recall at precision 0.95\n\nOf all pairs: by the default, which is jaccard of 3 words; by the setting that F1 recommends; and by the best.")
	r.Table("sure", []string{"set", "default", "recommended", "best", "by", "0.95 reached"}, sure)
	return r, nil
}

// judge stores the documents of a set and scores its pairs.
func (l labelled) judge(ctx context.Context, o lab.Options) (*task, []*judged, error) {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	if err := db.CreateCollection(ctx, "docs", api.Settings{}); err != nil {
		return nil, nil, err
	}
	for part := range slices.Chunk(l.docs, 500) {
		var docs []api.Document
		for _, d := range part {
			docs = append(docs, api.Document{ID: d.ID, Text: d.Text})
		}
		if err := db.Put(ctx, docs...); err != nil {
			return nil, nil, err
		}
	}
	snap, err := db.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	defer snap.Close()
	o.Progressf("%s: %d documents", l.name, len(l.docs))
	return store{snap, "docs", "docs"}.judge(ctx, l.truth, o)
}

// gaps are how far recommendations are from the best, over all halves.
type gaps struct {
	reached, best, oracle []float64
}

func judgeHalves(ctx context.Context, t *task, all []*judged) (g gaps, err error) {
	r := rand.New(rand.NewPCG(21, 0))
	for range givenHalf {
		a, b := t.halves(r)
		for _, half := range [][2]weighting{{a, b}, {b, a}} {
			made, err := choose(ctx, t, all, goal, half[0])
			if err != nil {
				return g, err
			}
			best, oracle := 0.0, 0.0
			for _, c := range made {
				best = max(best, c.reached(goal, half[1], c.rule))
				_, most := c.fit(c.kind, half[1], goal)
				oracle = max(oracle, most)
			}
			g.reached = append(g.reached, made[0].reached(goal, half[1], made[0].rule))
			g.best, g.oracle = append(g.best, best), append(g.oracle, oracle)
		}
	}
	return g, nil
}

func (g gaps) row() []string {
	gap, worst, inside := g.to(g.best)
	far, _, also := g.to(g.oracle)
	n := len(g.reached)
	return []string{three(mean(g.reached)), three(mean(g.best)), three(gap), three(worst), fmt.Sprintf("%d of %d", inside, n),
		three(mean(g.oracle)), three(far), fmt.Sprintf("%d of %d", also, n)}
}

// to returns how far the recommendations are from the best: the mean, the worst,
// and how many are near.
func (g gaps) to(best []float64) (gap, worst float64, inside int) {
	for i, b := range best {
		d := b - g.reached[i]
		gap, worst = gap+d/float64(len(best)), max(worst, d)
		if d <= near {
			inside++
		}
	}
	return gap, worst, inside
}

func mean(values []float64) (m float64) {
	for _, v := range values {
		m += v / float64(len(values))
	}
	return m
}

// sureRow compares recall at precision 0.95.
func sureRow(name string, made []choice) []string {
	sure := func(c choice) (most float64) {
		_, most = c.fit(c.kind, c.task.once(), "recall")
		return most
	}
	byDefault := made[slices.IndexFunc(made, func(c choice) bool { return c.isDefault() && c.kind == kinds[0] })]
	best := slices.MaxFunc(made, func(a, b choice) int { return cmp.Compare(sure(a), sure(b)) })
	reached := "no"
	switch {
	case sure(byDefault) >= leastPrecision:
		reached = "by the default"
	case sure(made[0]) >= leastPrecision:
		reached = "by the recommended"
	case sure(best) >= leastPrecision:
		reached = "by --by recall"
	}
	return []string{name, three(sure(byDefault)), three(sure(made[0])), three(sure(best)), best.String() + ", " + best.kind.name(), reached}
}
