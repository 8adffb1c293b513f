package shards

// One search in several stores: each is asked for its best rows, and the rows are merged in
// the order in which one store would give them.

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

// errReadsBags refuses what goes by counts of shingles.
var errReadsBags = fmt.Errorf("%w: in how many documents a shingle is, several stores do not know together: no weighted and no IGNORING", api.ErrInvalid)

// ask is what one store is asked.
type ask struct {
	store  int
	target api.Target
	search engine.Search
}

// asks says what each store is asked. The store that has the target looks for it by its id,
// because a document does not match itself; the others look for its text. store names the
// one that has the target, "" looks in all.
func (s *Snapshot) asks(t api.Target, q engine.Search) ([]ask, error) {
	if len(q.In) == 0 {
		q.In = []string{api.DefaultCollection}
	}
	if q.Args.IDF {
		return nil, fmt.Errorf("%w: idf weighs a word by how rare it is in its collection, and several stores do not know that together", api.ErrInvalid)
	}
	if q.ReadsBags() {
		return nil, errReadsBags
	}
	in := make([][]string, len(s.of))
	for _, c := range q.In {
		if _, err := s.Collection(c); err != nil { // they must read texts alike
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
	var out []ask
	for i := range s.of {
		if len(in[i]) == 0 {
			continue
		}
		a := ask{i, elsewhere, q}
		if a.search.In = in[i]; i == home {
			a.target = t
		}
		out = append(out, a)
	}
	return out, nil
}

// targets says which store has the target, −1 if it is not a stored document, and what the
// others are asked for instead.
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

// Find finds the documents similar to the target in all stores: sim descending, then by id,
// then as the search names collections, then by store. The plan is complete
// when the rows have been read.
func (s *Snapshot) Find(ctx context.Context, t api.Target, q engine.Search) (iter.Seq2[plan.Found, error], *api.Plan, error) {
	start := time.Now()
	asks, err := s.asks(t, q)
	if err != nil {
		return nil, nil, err
	}
	within, end := context.WithCancel(ctx) // the rows need it, and so it lasts as long as s
	s.ends = append(s.ends, end)
	results := make([]*engine.Result[api.Match], len(asks))
	err = s.each(within, end, asks, func(i int, a ask) (err error) {
		results[i], err = s.of[a.store].snap.Similar(within, a.target, a.search)
		return err
	})
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	plans := make([]*api.Plan, len(asks))
	for i, r := range results {
		plans[i] = r.Plan
	}
	sum := planOfShards(plans)
	return func(yield func(plan.Found, error) bool) {
		defer func() { *sum = *planOfShards(plans); sum.Micros = 0; sum.Took(start) }()
		s.lendMerged(asks, results, q.In, q.Limit, yield)
	}, sum, nil
}

// Explain is Snapshot.Explain over all stores.
func (s *Snapshot) Explain(ctx context.Context, t api.Target, q engine.Search) (*api.Plan, error) {
	asks, err := s.asks(t, q)
	if err != nil {
		return nil, err
	}
	within, end := context.WithCancel(ctx)
	defer end()
	plans := make([]*api.Plan, len(asks))
	err = s.each(within, end, asks, func(i int, a ask) (err error) {
		plans[i], err = s.of[a.store].snap.Explain(within, a.target, a.search)
		return err
	})
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return nil, err
	}
	return planOfShards(plans), nil
}

// each asks the stores, as many at once as there are processors. The first error ends the
// others, and names its store.
func (s *Snapshot) each(ctx context.Context, end context.CancelFunc, asks []ask, do func(i int, a ask) error) (first error) {
	var g errgroup.Group
	var once sync.Once
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, a := range asks {
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

// planOfShards sums the plans of stores. The reason is that of the first.
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

// lendMerged yields the rows of all stores in their common order, no more than limit; 0 means
// all. It is no method value or closure, so that InLoop finds it on the stack.
func (s *Snapshot) lendMerged(asks []ask, results []*engine.Result[api.Match], in []string, limit int, yield func(plan.Found, error) bool) {
	var heads []*head // that with the next row first
	insert := func(h *head) error {
		if err := h.step(); err != nil || !h.ok {
			return err
		}
		at, _ := slices.BinarySearchFunc(heads, h, (*head).compare)
		heads = slices.Insert(heads, at, h)
		return nil
	}
	for i, r := range results {
		next, stop := iter.Pull2(r.All)
		defer stop()
		h := &head{store: asks[i].store, next: next, in: in}
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

// InLoop says whether the caller is called from a loop over rows of several stores. A caller that closes
// the stores there would wait for himself.
func InLoop() bool { return engine.CalledFrom("shards.(*Snapshot).lendMerged") }

// head is the next row of a store.
type head struct {
	store int
	next  func() (api.Match, error, bool)
	in    []string // the collections, as the search names them
	row   api.Match
	sim   value.Fraction
	side  int // place of the row's collection in that list
	ok    bool
}

// step reads a row.
func (h *head) step() (err error) {
	h.row, err, h.ok = h.next()
	h.sim.Num, h.sim.Den = h.row.Ratio()
	h.side = slices.Index(h.in, h.row.Collection)
	return err
}

// compare is negative if the row of a comes before that of b.
func (a *head) compare(b *head) int {
	more, _ := value.Compare(b.sim, a.sim)
	return cmp.Or(more, strings.Compare(a.row.ID, b.row.ID), cmp.Compare(a.side, b.side), cmp.Compare(a.store, b.store))
}
