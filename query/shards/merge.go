package shards

// One search in several stores: each store returns its best rows, and the merge restores
// the order of a single store.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/value"
)

// errReadsBags rejects measures that depend on shingle counts: no store has the counts of
// all stores.
var errReadsBags = fmt.Errorf("%w: weighted and IGNORING need the document counts of shingles, which several stores do not share", api.ErrInvalid)

// request is the search of one store.
type request struct {
	store  int
	target api.Target
	search engine.Search
}

// requests returns the search of each store. The store of the target searches by its id,
// because a document does not match itself; the others search by its text. An empty store
// in t means any store.
func (s *Snapshot) requests(t api.Target, q engine.Search) ([]request, error) {
	if len(q.In) == 0 {
		q.In = []string{api.DefaultCollection}
	}
	// The weights come from document frequencies, which no single store knows.
	if q.Args.IDF {
		return nil, fmt.Errorf("%w: idf needs the document counts of words, which several stores do not share", api.ErrInvalid)
	}
	if q.ReadsBags() {
		return nil, errReadsBags
	}
	in := make([][]string, len(s.of))
	for _, c := range q.In {
		if _, err := s.Collection(c); err != nil { // also checks that all stores read texts alike
			return nil, err
		}
		at, err := s.holders(c)
		if err != nil {
			return nil, err
		}
		for _, i := range at {
			in[i] = append(in[i], c)
		}
	}
	home, elsewhere, err := s.targets(t, q.In)
	if err != nil {
		return nil, err
	}
	var out []request
	for i := range s.of {
		// A store without the collections has nothing to contribute.
		if len(in[i]) == 0 {
			continue
		}
		a := request{i, elsewhere, q}
		// Only this store can exclude the document from its own results.
		if a.search.In = in[i]; i == home {
			a.target = t
		}
		out = append(out, a)
	}
	return out, nil
}

// targets returns the store of the target, −1 if it is not a stored document, and the
// target for the other stores.
func (s *Snapshot) targets(t api.Target, in []string) (home int, elsewhere api.Target, err error) {
	if !t.Stored() {
		return -1, t, nil
	}
	if t.Collection != "" {
		in = []string{t.Collection}
	}
	for _, c := range in {
		home, _, err = s.homeIn(t.Store, c, t.ID)
		if errors.Is(err, api.ErrNotFound) {
			continue
		}
		if err != nil {
			return -1, t, err
		}
		d, err := s.of[home].snap.Get(c, t.ID)
		if err != nil {
			return -1, t, s.of[home].failed(err)
		}
		return home, api.Target{Text: &d.Text, Tokens: d.Tokens, Name: d.ID, Lexed: d.Lexed}, nil
	}
	return -1, t, err
}

// Find yields the documents similar to the target in all stores, by descending sim, then
// id, then the order of collections in the search, then store. The plan is complete once
// the rows have been read. A row not read holds resources until Close.
func (s *Snapshot) Find(ctx context.Context, t api.Target, q engine.Search) (iter.Seq2[plan.Found, error], *api.Plan, error) {
	start := time.Now()
	requests, err := s.requests(t, q)
	if err != nil {
		return nil, nil, err
	}
	within, end := context.WithCancel(ctx) // lasts until Close, because the rows need it
	// Rows may be read long after Find returns.
	s.ends = append(s.ends, end)
	results := make([]*engine.Result[api.Match], len(requests))
	err = s.each(within, end, requests, func(i int, a request) (err error) {
		results[i], err = s.of[a.store].snap.Similar(within, a.target, a.search)
		return err
	})
	// The context of the caller takes precedence over the error that its end caused.
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	plans := make([]*api.Plan, len(requests))
	for i, r := range results {
		plans[i] = r.Plan
	}
	sum := planOfShards(plans)
	return func(yield func(plan.Found, error) bool) {
		defer func() { *sum = *planOfShards(plans); sum.Micros = 0; sum.Took(start) }()
		s.lendMerged(requests, results, q.In, q.Limit, yield)
	}, sum, nil
}

// Explain is engine.Snapshot.Explain over all stores.
func (s *Snapshot) Explain(ctx context.Context, t api.Target, q engine.Search) (*api.Plan, error) {
	requests, err := s.requests(t, q)
	if err != nil {
		return nil, err
	}
	within, end := context.WithCancel(ctx)
	defer end()
	plans := make([]*api.Plan, len(requests))
	err = s.each(within, end, requests, func(i int, a request) (err error) {
		plans[i], err = s.of[a.store].snap.Explain(within, a.target, a.search)
		return err
	})
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return nil, err
	}
	return planOfShards(plans), nil
}

// each runs do for all requests, as many at once as there are processors. The first error
// cancels the others, and names its store.
func (s *Snapshot) each(ctx context.Context, end context.CancelFunc, requests []request, do func(i int, a request) error) (first error) {
	var g errgroup.Group
	var once sync.Once
	// A search is bound by the processor.
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, a := range requests {
		g.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			if err := do(i, a); err != nil {
				once.Do(func() { first = s.of[a.store].failed(err); end() })
			}
			return nil
		})
	}
	g.Wait()
	return first
}

// planOfShards returns the sum of the plans. Its Why is that of the first store.
func planOfShards(plans []*api.Plan) *api.Plan {
	sum := *plans[0]
	sum.Filters = slices.Clone(sum.Filters)
	for _, p := range plans[1:] {
		sum.Add(p)
	}
	if n := len(plans); n > 1 {
		sum.Why = fmt.Sprintf("%d stores; of the first: %s", n, plans[0].Why)
	}
	return &sum
}

// lendMerged yields the rows of all stores in their common order, at most limit; 0 means
// all. It is a method rather than a closure, so that InLoop finds its name on the stack.
func (s *Snapshot) lendMerged(requests []request, results []*engine.Result[api.Match], in []string, limit int, yield func(plan.Found, error) bool) {
	var heads []*head // sorted; the next row is in the first
	insert := func(h *head) error {
		if err := h.step(); err != nil || !h.ok {
			return err
		}
		// Insertion keeps the heads sorted; there are few stores.
		at, _ := slices.BinarySearchFunc(heads, h, (*head).compare)
		heads = slices.Insert(heads, at, h)
		return nil
	}
	for i, r := range results {
		next, stop := iter.Pull2(r.All)
		defer stop()
		h := &head{store: requests[i].store, next: next, in: in}
		if err := insert(h); err != nil {
			yield(plan.Found{}, s.of[h.store].failed(err))
			return
		}
	}
	for n := 1; len(heads) > 0; n++ {
		h := heads[0]
		if !yield(plan.Found{Match: h.row, Store: s.of[h.store].name, At: s.of[h.store].read}, nil) || n == limit {
			return
		}
		heads = heads[1:]
		if err := insert(h); err != nil {
			yield(plan.Found{}, s.of[h.store].failed(err))
			return
		}
	}
}

// InLoop reports whether a caller further up the stack loops over rows of several stores.
// Closing the stores inside that loop would wait for the loop itself: a deadlock.
func InLoop() bool { return engine.CalledFrom("shards.(*Snapshot).lendMerged") }

// head is the next row of a store.
type head struct {
	store int
	next  func() (api.Match, error, bool)
	in    []string // collections in the order of the search
	row   api.Match
	sim   value.Fraction
	side  int // index of the row's collection in that order
	ok    bool
}

// step reads the next row.
func (h *head) step() (err error) {
	h.row, err, h.ok = h.next()
	h.sim.Num, h.sim.Den = h.row.Ratio()
	h.side = slices.Index(h.in, h.row.Collection)
	return err
}

// compare is negative if the row of a comes before that of b.
func (a *head) compare(b *head) int {
	// Exact fractions: rounded similarities could order equal rows differently per store.
	more, _ := value.Compare(b.sim, a.sim)
	return cmp.Or(more, strings.Compare(a.row.ID, b.row.ID), cmp.Compare(a.side, b.side), cmp.Compare(a.store, b.store))
}
