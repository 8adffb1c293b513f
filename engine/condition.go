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

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// defaultUnless is the threshold of a condition that names none.
var defaultUnless = measure.Ratio(4, 5)

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
	peers   []search.Hit // earlier puts of the batch, by place, best first
}

// conditionsOf returns the conditions of a put. By resemblance what is asked for and the
// constraint of the collection are one.
func conditionsOf(o *operation) []condition {
	var none measure.Threshold
	constraint := condition{Search: Search{Min: o.c.Unique}, refuses: o.unless == nil}
	constrained := o.c.Unique != none
	switch {
	case o.unless == nil && !constrained:
		return nil
	case o.unless == nil:
		return []condition{constraint}
	}
	asked, byDefault := condition{Search: *o.unless}, o.unless.Min == none
	if byDefault {
		asked.Min = defaultUnless
	}
	switch {
	case !constrained:
		return []condition{asked}
	case asked.Measure != measure.Jaccard:
		return []condition{asked, constraint}
	case byDefault || constraint.Min.Cmp(asked.Min) < 0:
		return []condition{constraint}
	}
	return []condition{asked}
}

// meets adds sets to the rivals and keeps them best first.
func (g *condition) meets(hits []search.Hit) {
	g.rivals = append(g.rivals, hits...)
	bestFirst(g.rivals)
}

func bestFirst(hits []search.Hit) {
	slices.SortStableFunc(hits, func(a, b search.Hit) int { return b.Score.Compare(a.Score) })
}

// look finds the rivals of all conditions as of a moment.
func (db *DB) look(ctx context.Context, m *view.Moment, ops []operation) error {
	const share = 16 // operations that a worker takes at a time
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(host.Workers())
	for part := range slices.Chunk(ops, share) {
		if !slices.ContainsFunc(part, func(o operation) bool { return len(o.conditions) > 0 }) {
			continue
		}
		if len(part) == len(ops) {
			return lookFor(ctx, m, part)
		}
		g.Go(func() error { return lookFor(ctx, m, part) })
	}
	return g.Wait()
}

// lookFor does so for some of the operations of a batch. One finder serves conditions that
// ask the same.
func lookFor(ctx context.Context, m *view.Moment, ops []operation) (err error) {
	var f *search.Finder
	var with Search
	var in *view.View
	defer func() {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	for i := range ops {
		o := &ops[i]
		for j := range o.conditions {
			g := &o.conditions[j]
			v := m.ViewOf(o.Number)
			if v == nil {
				return fmt.Errorf("collection %q %w: dropped meanwhile", o.c.Name, ErrNotFound)
			}
			if g.asOf == v.Next {
				continue
			}
			if f == nil || in != v || with.Measure != g.Measure || with.Min != g.Min {
				if f != nil {
					if err := f.Close(); err != nil {
						return err
					}
				}
				f, in, with = search.NewFinder(m, v, g.Search, nil), v, g.Search
			}
			hits, err := f.Rivals(ctx, o.probe(), g.asOf)
			if err != nil {
				return err
			}
			g.meets(hits)
			g.asOf = v.Next
		}
	}
	return nil
}

// lookInMemory brings all conditions up to this moment; db.mu is held. It reads nothing,
// so it returns false where only a text could tell.
func (db *DB) lookInMemory(ops []operation) bool {
	for i := range ops {
		o := &ops[i]
		for j := range o.conditions {
			g := &o.conditions[j]
			if g.asOf == o.c.Next {
				continue
			}
			v := o.c.view()
			hits, ok := search.Among(v.Table, g.asOf, v.Next, o.probe(), g.Search, func(set uint32) (shingle.Bag, bool) {
				return db.shared.Cached(v, set)
			})
			if !ok {
				return false
			}
			g.meets(hits)
			g.asOf = v.Next
		}
	}
	return true
}

// meetPeers compares the puts of a batch with the earlier ones. Which of them take effect
// is decided later.
func meetPeers(ops []operation) {
	puts := map[*collection]*index.Table{} // with the place of each put as its number
	for i := range ops {
		o := &ops[i]
		if o.Derived == nil || len(o.Bag.Set) == 0 {
			continue
		}
		earlier := puts[o.c]
		if earlier == nil {
			earlier = &index.Table{}
			puts[o.c] = earlier
		}
		for j := range o.conditions {
			g := &o.conditions[j]
			g.peers, _ = search.Among(earlier.View(), 0, uint32(i), o.probe(), g.Search, func(place uint32) (shingle.Bag, bool) {
				return ops[place].Bag, true
			})
			bestFirst(g.peers)
		}
		if i+1 < len(ops) {
			earlier.Put(uint32(i), o.Set.Facts)
		}
	}
}

func (o *operation) probe() search.Probe { return search.ProbeOf(o.Bag, o.Set.Facts) }
