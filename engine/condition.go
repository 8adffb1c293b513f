package engine

// The conditions of puts: what must not be there for a put to take effect. They are looked
// up outside the commit mutex, in a snapshot. What comes between that and the commit is
// compared under it, in memory (docs/decisions/0032).

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"

	"github.com/simdb/simdb/internal/shingle"
)

// defaultUnless is the threshold of a condition that names none.
var defaultUnless = api.Ratio(4, 5)

// condition keeps a put from taking effect while a document of another id is similar to
// its text. rivals are the sets that are: all of those numbered below asOf that were live
// when they were looked for. A set is never born again, so the rivals of a later moment
// are among them and the sets from asOf up. Which documents they have is asked anew at
// each moment.
type condition struct {
	Search
	refuses bool // the whole batch, not only the put
	asOf    uint32
	rivals  []search.Hit // best first
	peers   []search.Hit // earlier puts of the batch that it has met, by place, best first
}

// conditionsOf returns the conditions of a put. By resemblance what is asked for and the
// constraint of the collection are one.
func conditionsOf(o *operation) ([]condition, error) {
	var none api.Threshold
	constraint := condition{Search: Search{Min: o.c.Unique}, refuses: o.unless == nil}
	constrained := o.c.Unique != none
	switch {
	case o.unless == nil && !constrained:
		return nil, nil
	case o.unless == nil:
		return []condition{constraint}, nil
	}
	if err := search.RefuseOtherK(o.c.Schema, "unless similar", o.unless.Method()); err != nil {
		return nil, err
	}
	asked, byDefault := condition{Search: *o.unless}, o.unless.Min == none
	if byDefault {
		asked.Min = defaultUnless
	}
	switch {
	case !constrained:
		return []condition{asked}, nil
	case asked.Measure != api.Jaccard:
		return []condition{asked, constraint}, nil
	case byDefault || constraint.Min.Cmp(asked.Min) < 0:
		return []condition{constraint}, nil
	}
	return []condition{asked}, nil
}

// meets adds sets to the rivals and keeps them best first.
func (g *condition) meets(hits []search.Hit) {
	g.rivals = append(g.rivals, hits...)
	bestFirst(g.rivals)
}

func bestFirst(hits []search.Hit) {
	slices.SortStableFunc(hits, func(a, b search.Hit) int { return b.Score.Compare(a.Score) })
}

// lookAhead finds the rivals there are now, so that little is left to compare when the
// turn of the batch comes.
func (db *DB) lookAhead(ctx context.Context, ops []operation) error {
	s := db.snapshot()
	return errors.Join(db.look(ctx, s.moment, ops), s.close())
}

// look finds the rivals of all conditions as of a moment.
func (db *DB) look(ctx context.Context, m *view.Moment, ops []operation) error {
	const share = 16 // conditions that a worker takes at a time
	asked, err := questionsOf(m, ops)
	if err != nil {
		return err
	}
	for _, same := range asked {
		if err := same.inTail(ctx); err != nil {
			return err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(host.Workers())
	for _, same := range asked {
		for part := range slices.Chunk(same.of, share) {
			if len(ops) == 1 { // not worth a goroutine
				if err := same.answer(ctx, m, part); err != nil {
					return err
				}
				continue
			}
			g.Go(func() error { return same.answer(ctx, m, part) })
		}
	}
	return g.Wait()
}

// question is what several conditions of a batch ask alike: of one collection, by one
// measure and threshold, and of the sets from a number up.
type question struct {
	v    *view.View
	q    Search
	from uint32
	of   []asking
}

// asking is a condition with its put, and the candidates in the tail if they are known.
type asking struct {
	o    *operation
	g    *condition
	tail []uint32
}

// questionsOf gathers what the conditions of a batch ask of a moment.
func questionsOf(m *view.Moment, ops []operation) (all []*question, err error) {
	for i := range ops {
		o := &ops[i]
		for j := range o.conditions {
			g := &o.conditions[j]
			v := m.ViewOf(o.Number)
			if v == nil {
				return nil, fmt.Errorf("collection %q %w: dropped meanwhile", o.c.Name, api.ErrNoCollection)
			}
			if g.asOf == v.Table.Len() || len(o.Bag.Set) == 0 {
				continue
			}
			at := slices.IndexFunc(all, func(q *question) bool {
				return q.v == v && q.q.Method() == g.Method() && q.q.Min == g.Min && q.from == g.asOf
			})
			if at < 0 {
				at = len(all)
				all = append(all, &question{v: v, q: g.Search, from: g.asOf})
			}
			all[at].of = append(all[at].of, asking{o: o, g: g})
		}
	}
	return all, nil
}

// inTail finds the candidates without postings, of many conditions at once, where the
// prefix filter serves for the others.
func (q *question) inTail(ctx context.Context) error {
	const many = 4
	if len(q.of) < many || q.q.Measure != api.Jaccard || search.Serves(q.v, api.AccessPrefix, q.q.Measure, q.q.Args, q.q.Min) != nil {
		return nil
	}
	probes := make([]index.Facts, len(q.of))
	for i, a := range q.of {
		probes[i] = a.o.Set.Facts
	}
	tails, err := pairs.InTail(ctx, q.v, q.from, probes, q.q.Min)
	for i := range q.of {
		if q.of[i].tail = tails[i]; tails[i] == nil {
			q.of[i].tail = []uint32{}
		}
	}
	return err
}

// answer finds the rivals of some of the conditions.
func (q *question) answer(ctx context.Context, m *view.Moment, part []asking) (err error) {
	f := search.NewFinder(m, q.v, q.q, nil)
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, a := range part {
		hits, err := f.Rivals(ctx, a.o.probe(), q.from, a.tail)
		if err != nil {
			return err
		}
		a.g.meets(hits)
		a.g.asOf = q.v.Table.Len()
	}
	return nil
}

// lookInMemory brings all conditions up to a moment. It reads nothing, so it returns false
// where only a text could tell.
func lookInMemory(m *view.Moment, ops []operation) bool {
	for i := range ops {
		o := &ops[i]
		v := m.ViewOf(o.Number)
		for j := range o.conditions {
			g := &o.conditions[j]
			if v == nil || g.asOf == v.Table.Len() { // dropped meanwhile: the commit will say so
				continue
			}
			if g.asOf < v.Postings.Built {
				return false // facts of sets with postings are in files
			}
			hits, ok := search.Among(v.Table, g.asOf, v.Table.Len(), o.probe(), g.Search, func(set uint32) (shingle.Bag, bool) {
				return m.Cached(v, set)
			})
			if !ok {
				return false
			}
			g.meets(hits)
			g.asOf = v.Table.Len()
		}
	}
	return true
}

func (o *operation) probe() search.Probe { return search.ProbeOf(o.Bag, o.Set.Facts) }
