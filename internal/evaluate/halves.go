package evaluate

// Validation of the recommendations: recommend from half of a labelled set, and measure the
// distance to the best setting on the other half.

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
	Halvings = 10   // random splits of each set; each half serves once
	near     = 0.01 // largest distance from the best at which a recommendation counts as good
)

// Labelled is a set of documents with known answers or pairs.
type Labelled struct {
	Name, Tells string
	Docs        []api.Document
	truth       truth
}

// Add adds a document.
func (l *Labelled) Add(id, doc string) { l.Docs = append(l.Docs, api.Document{ID: id, Text: doc}) }

// Answer adds the right answers of a query. It ignores the query itself among them.
func (l *Labelled) Answer(q string, answers ...string) {
	l.truth.queries = true
	for _, a := range answers {
		if a != q {
			l.Pair(q, a, true)
		}
	}
}

// Pair adds a labelled pair.
func (l *Labelled) Pair(a, b string, similar bool) {
	l.truth.rows = append(l.truth.rows, row{a: a, b: b, right: similar})
}

// Rows returns the number of known answers or pairs.
func (l *Labelled) Rows() int { return len(l.truth.rows) }

// Check returns an error for duplicate documents and for answers that are not documents.
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

// HalvesHead and SureHead are the column names of a Verdict.
var (
	HalvesHead = []string{"set", "recommended of all", "rule", "F1 on the other half", "best setting there", "gap: mean", "worst", "within 0.01",
		"best setting and numbers there", "gap: mean", "within 0.01"}
	SureHead = []string{"set", "default", "recommended", "best", "by", "0.95 reached"}
)

// Verdict is the result of validating the recommendations for a set.
type Verdict struct {
	Halves, Sure  []string // by F1, and by recall at precision 0.95
	Pairs, Groups int      // known
	Settings      int      // tried
}

// Halves splits a set Halvings times, recommends from each half, and judges the recommendations
// on the other.
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

// judge stores the documents of a set in memory and scores its pairs.
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

// gaps holds the values of recommendations and of the best settings, per half.
type gaps struct {
	reached, best, oracle []float64
}

// judgeHalves fills gaps with a fixed seed, so that results repeat.
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

// row formats the F1 part of a verdict.
func (g gaps) row() []string {
	gap, worst, inside := g.to(g.best)
	far, _, also := g.to(g.oracle)
	n := len(g.reached)
	return []string{three(mean(g.reached)), three(mean(g.best)), three(gap), three(worst), fmt.Sprintf("%d of %d", inside, n),
		three(mean(g.oracle)), three(far), fmt.Sprintf("%d of %d", also, n)}
}

// to returns the mean and the worst distance of the recommendations from the best, and the number
// within near.
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

// mean returns the arithmetic mean; 0 of no values.
func mean(values []float64) (m float64) {
	for _, v := range values {
		m += v / float64(len(values))
	}
	return m
}

// sureRow formats recall at precision 0.95.
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
