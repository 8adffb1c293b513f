package condition

// Search for stored sets that conflict with the puts of a batch: first in a snapshot, later
// in memory alone for the sets added since.

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"

	"github.com/simdb/simdb/internal/shingle"
)

// conflicts adds hits to the stored conflicts, best first.
func (c *condition) conflicts(hits []search.Hit) {
	c.stored = append(c.stored, hits...)
	bestFirst(c.stored)
}

// bestFirst sorts hits by descending score and keeps the order of equals.
func bestFirst(hits []search.Hit) {
	slices.SortStableFunc(hits, func(a, b search.Hit) int { return b.Score.Compare(a.Score) })
}

// Look finds the conflicts of all conditions of some batches in a snapshot. Calling it ahead of
// the commit leaves little to compare when a batch gets its turn. Batches that look together cost
// less, because they share a pass over the postings.
func Look(ctx context.Context, m *view.Snapshot, batches ...*Batch) error {
	const share = 16 // conditions per worker task
	asked, err := questions(m, batches)
	if err != nil {
		return err
	}
	for _, same := range asked {
		if err := same.meet(ctx, m); err != nil {
			return err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(host.Workers())
	for _, same := range asked {
		for part := range slices.Chunk(same.of, share) {
			if len(same.of) == 1 { // not worth a goroutine
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

// question groups conditions of a batch that share collection, measure, threshold and first
// set.
type question struct {
	v    *view.View
	q    search.Search
	from uint32
	of   []asking
	met  bool // the candidates of all are known
}

// asking is a condition with its put and, if met, all stored sets that may match.
type asking struct {
	o          *operation
	c          *condition
	candidates []uint32
}

// questions groups the open conditions of batches by snapshot view, measure and threshold.
func questions(m *view.Snapshot, batches []*Batch) (all []*question, err error) {
	for _, b := range batches {
		for i := range b.ops {
			if all, err = b.ops[i].questions(m, all); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// questions adds the open conditions of an operation to the questions.
func (o *operation) questions(m *view.Snapshot, all []*question) ([]*question, error) {
	for j := range o.conditions {
		c := &o.conditions[j]
		v := m.ViewOf(o.Schema.Number)
		if v == nil {
			return nil, fmt.Errorf("collection %q %w: dropped meanwhile", o.Schema.Name, api.ErrNoCollection)
		}
		if c.asOf == v.Table.Len() || !o.compared() {
			continue
		}
		at := slices.IndexFunc(all, func(q *question) bool {
			return q.v == v && q.q.Method() == c.Method() && q.q.Min == c.Min && q.from == c.asOf
		})
		if at < 0 {
			at = len(all)
			all = append(all, &question{v: v, q: c.Search, from: c.asOf})
		}
		all[at].of = append(all[at].of, asking{o: o, c: c})
	}
	return all, nil
}

// meet finds the candidates of many conditions in one pass, where prefixes suffice.
func (q *question) meet(ctx context.Context, m *view.Snapshot) error {
	const many = 4
	if len(q.of) < many {
		return nil
	}
	probes := make([]search.Probe, len(q.of))
	for i, a := range q.of {
		probes[i] = a.o.probe()
	}
	found, err := search.EachCandidates(ctx, m, q.v, q.q, q.from, probes)
	for i := range found {
		q.of[i].candidates = found[i]
	}
	q.met = found != nil
	return err
}

// answer finds the conflicts of part of the conditions.
func (q *question) answer(ctx context.Context, m *view.Snapshot, part []asking) (err error) {
	f := search.NewFinder(m, q.v, q.q, nil)
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, a := range part {
		var hits []search.Hit
		if q.met {
			hits, err = f.ConflictsAmong(ctx, a.o.probe(), a.candidates)
		} else {
			hits, err = f.Conflicts(ctx, a.o.probe(), q.from)
		}
		if err != nil {
			return err
		}
		a.c.conflicts(hits)
		a.c.asOf = q.v.Table.Len()
	}
	return nil
}

// lookInMemory updates all conditions to a snapshot. It reads no files, and returns false if
// a decision requires a text.
func (b *Batch) lookInMemory(m *view.Snapshot) bool {
	for i := range b.ops {
		o := &b.ops[i]
		if len(o.conditions) == 0 || !o.compared() {
			continue
		}
		v := m.ViewOf(o.Schema.Number)
		for j := range o.conditions {
			c := &o.conditions[j]
			if v == nil || c.asOf == v.Table.Len() { // collection dropped: the commit reports it
				continue
			}
			if c.asOf < v.Postings.Built {
				return false // facts of sets with postings are on disk
			}
			hits, ok := search.Among(v.Table, c.asOf, v.Table.Len(), o.probe(), c.Search, func(set uint32) (shingle.Bag, bool) {
				return m.Cached(v, set)
			})
			if !ok {
				return false
			}
			c.conflicts(hits)
			c.asOf = v.Table.Len()
		}
	}
	return true
}
