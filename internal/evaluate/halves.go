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
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/report"
)

const (
	goal     = "f1"
	Halvings = 10   // of each set: each half is given once
	near     = 0.01 // so far from the best setting a recommendation may be
)

// Labelled is a set of documents, and what is known of them.
type Labelled struct {
	Name, Tells string
	Docs        []api.Document
	truth       truth
}

func (l *Labelled) Add(id, doc string) { l.Docs = append(l.Docs, api.Document{ID: id, Text: doc}) }

// Answer tells the right answers of a query. An id is no answer to itself.
func (l *Labelled) Answer(q string, answers ...string) {
	l.truth.queries = true
	for _, a := range answers {
		if a != q {
			l.Pair(q, a, true)
		}
	}
}

// Pair tells of two documents whether they are similar.
func (l *Labelled) Pair(a, b string, similar bool) {
	l.truth.rows = append(l.truth.rows, row{a: a, b: b, right: similar})
}

// Rows returns how many answers or pairs are known.
func (l *Labelled) Rows() int { return len(l.truth.rows) }

// Check reports documents that come twice, and answers that are no documents.
func (l Labelled) Check() error {
	ids := map[string]bool{}
	for _, d := range l.Docs {
		if ids[d.ID] {
			return fmt.Errorf("%s has %s twice", l.Name, d.ID)
		}
		ids[d.ID] = true
	}
	for _, r := range l.truth.rows {
		if !ids[r.a] || !ids[r.b] || strings.EqualFold(r.a, r.b) {
			return fmt.Errorf("%s: %v is wrong", l.Name, r)
		}
	}
	return nil
}

// HalvesHead and SureHead name the columns of Verdict.
var (
	HalvesHead = []string{"set", "recommended of all", "rule", "F1 on the other half", "best setting there", "gap: mean", "worst", "within 0.01",
		"best setting and numbers there", "gap: mean", "within 0.01"}
	SureHead = []string{"set", "default", "recommended", "best", "by", "0.95 reached"}
)

// Verdict is how far what is recommended for a set, given half of what is known, is from the best.
type Verdict struct {
	Halves, Sure  []string // by F1 on the other half; recall at precision 0.95
	Pairs, Groups int      // that are known
	Settings      int      // that were tried
}

// Halves evaluates each half of a set, Halvings times, and judges what is recommended on the other half.
func (l Labelled) Halves(ctx context.Context, o report.Options) (*Verdict, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	t, all, err := l.judge(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Name, err)
	}
	o.Progressf("%s: halves", l.Name)
	g, err := judgeHalves(ctx, t, all)
	if err != nil {
		return nil, err
	}
	made, err := choose(ctx, t, all, goal, t.once())
	if err != nil {
		return nil, err
	}
	far := append([]string{l.Name, made[0].String(), made[0].rule.String()}, g.row()...)
	return &Verdict{far, sureRow(l.Name, made), len(t.pairs), t.groups, len(all)}, nil
}

// judge stores the documents of a set and scores its pairs.
func (l Labelled) judge(ctx context.Context, o report.Options) (*task, []*judged, error) {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	if err := db.CreateCollection(ctx, "docs", api.Settings{}); err != nil {
		return nil, nil, err
	}
	for part := range slices.Chunk(l.Docs, 500) {
		if err := db.Put(ctx, part...); err != nil {
			return nil, nil, err
		}
	}
	snap, err := db.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	defer snap.Close()
	o.Progressf("%s: %d documents", l.Name, len(l.Docs))
	return store{snap, "docs", "docs"}.judge(ctx, l.truth, o)
}

// gaps are how far recommendations are from the best, over all halves.
type gaps struct {
	reached, best, oracle []float64
}

func judgeHalves(ctx context.Context, t *task, all []*judged) (g gaps, err error) {
	r := rand.New(rand.NewPCG(21, 0))
	for range Halvings {
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
