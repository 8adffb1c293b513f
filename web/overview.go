package web

// POST /api/v1/overview: the similar pairs of a collection by similarity, the most similar pairs,
// and the documents that stand out.

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/overview"
)

const (
	overviewTime   = 10 * time.Second // for joins at further thresholds
	overviewPairs  = 1000             // listed pairs
	overviewMember = 200              // listed documents
	overviewsKept  = 4
)

type overviewRequest struct {
	Collection string   `json:"collection"`
	Ignoring   ignoring `json:"ignoring"`
	similarity
}

type overviewAnswer struct {
	Collection string          `json:"collection"`
	Documents  int64           `json:"documents"`
	Measure    string          `json:"measure"`
	Threshold  float64         `json:"threshold"` // counts, pairs and outliers are complete from here on
	Counts     []int64         `json:"counts"`    // by whole percent, rounded down
	Total      int64           `json:"total"`
	TotalExact bool            `json:"total_exact"`
	Similar    int             `json:"similar"`
	Pairs      []overviewPair  `json:"pairs"`
	Outliers   []overviewStray `json:"outliers"`
	Elapsed    float64         `json:"elapsed_ms"`
}

type overviewPair struct {
	A      string  `json:"a"`
	B      string  `json:"b"`
	Sim    float64 `json:"sim"`
	Shared *uint64 `json:"shared"`
	Of     *uint64 `json:"of"`
	Dist   *int    `json:"dist"`
}

type overviewStray struct {
	ID    string       `json:"id"`
	Best  overviewPair `json:"best"`
	Pairs int64        `json:"pairs"`
	Usual *float64     `json:"usual"` // null if below the threshold
	Above float64      `json:"above"`
}

// question validates the request.
func (r overviewRequest) question() (overview.Question, error) {
	r.Measure = cmp.Or(r.Measure, api.Overlap.String())
	q, err := r.search()
	if err != nil {
		return overview.Question{}, err
	}
	if !q.Measure.Symmetric(q.Args) {
		return overview.Question{}, bad("measure: %s is not symmetric, so it has no pairs", q.Measure)
	}
	question := overview.Question{Collection: collectionOf(r.Collection), Measure: q.Measure, Args: q.Args,
		Ignoring: api.Ignoring{In: r.Ignoring.Collection, MoreThan: r.Ignoring.MoreThan},
		Time:     overviewTime, Pairs: overviewPairs, Documents: overviewMember}
	if scalar(r.Threshold) != "" {
		question.Least = q.Min
	}
	return question, nil
}

// overviewOf answers with the overview of a collection.
func overviewOf(c *call, req overviewRequest) error {
	c.stream()
	o, _, question, err := c.overview(req)
	if err != nil {
		return err
	}
	by := question.Measure
	a := overviewAnswer{Collection: o.Collection, Documents: o.Documents, Measure: by.Describe(question.Args), Threshold: o.Least.Float64(),
		Counts: o.Counts[:], Total: o.Total, TotalExact: !o.More, Similar: o.Similar, Pairs: []overviewPair{}, Outliers: []overviewStray{}}
	for _, p := range o.Pairs {
		a.Pairs = append(a.Pairs, overviewPairOf(by, p))
	}
	for _, d := range o.Outliers {
		a.Outliers = append(a.Outliers, overviewStray{d.ID, overviewPairOf(by, d.Best), d.Pairs, of(d.Usual > 0, d.Usual), d.Above})
	}
	a.Elapsed = c.elapsed()
	return c.respond(a)
}

// overview returns the overview of a request with its snapshot. The server keeps the last overviews with
// the marks of their states, so that a repeated request waits only if the store has changed.
func (c *call) overview(req overviewRequest) (o *overview.Overview, snap *simdb.Snapshot, question overview.Question, err error) {
	if question, err = req.question(); err != nil {
		return nil, nil, question, err
	}
	if snap, err = c.snapshot(); err != nil {
		return nil, nil, question, err
	}
	mark, err := snap.Mark(c.ctx)
	if err != nil {
		return nil, nil, question, err
	}
	if o, ok := c.overviews.get(mark, question); ok {
		return o, snap, question, nil
	}
	leave, err := c.overviews.enter(c.ctx)
	if err != nil {
		return nil, nil, question, err
	}
	defer leave()
	if o, ok := c.overviews.get(mark, question); ok { // computed while this request waited
		return o, snap, question, nil
	}
	if o, err = overview.Of(c.ctx, snap, question); err == nil {
		c.overviews.put(mark, question, o)
	}
	return o, snap, question, err
}

func overviewPairOf(by api.Measure, p api.PairMatch) overviewPair {
	return overviewPair{p.A, p.B, p.Sim, of(by.Counts(), p.Shared), of(by.Counts(), p.Of), of(by.OfFingerprints(), p.Dist)}
}

// overviews holds the last overviews. It is safe for concurrent use.
type overviews struct {
	turn chan struct{} // one for the computation in progress
	mu   sync.Mutex
	kept []keptOverview // the latest first
}

type keptOverview struct {
	mark     string
	question overview.Question
	overview *overview.Overview
}

// enter waits until no other overview or report is computed, because each takes the memory of a join.
func (k *overviews) enter(ctx context.Context) (leave func(), err error) {
	select {
	case k.turn <- struct{}{}:
		return func() { <-k.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (k *overviews) get(mark string, q overview.Question) (*overview.Overview, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, o := range k.kept {
		if o.mark == mark && o.question == q {
			return o.overview, true
		}
	}
	return nil, false
}

// put keeps an overview, and drops all of earlier states.
func (k *overviews) put(mark string, q overview.Question, o *overview.Overview) {
	k.mu.Lock()
	defer k.mu.Unlock()
	left := []keptOverview{{mark, q, o}}
	for _, old := range k.kept {
		if old.mark == mark && len(left) < overviewsKept {
			left = append(left, old)
		}
	}
	k.kept = left
}
