package view

// Prefixes of the tail, for streams of conditional puts: each put looks up its prefix instead of
// scanning the signatures of the whole tail.

import (
	"context"
	"slices"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
)

// recents holds the prefixes of the collections used last.
type recents struct {
	mu   sync.Mutex
	kept []*recent
}

// mostRecents is the capacity in collections.
const mostRecents = 4

// recent holds the prefixes of a collection's tail.
type recent struct {
	collection uint32
	mu         sync.Mutex
	tables     []*index.Recent // the latest, and the one before it, for older snapshots
	ended      uint64          // Applied of the last snapshot that added a hole
	scanned    int             // probes that have scanned signatures since the last extension
}

// of returns the entry of a collection, new if necessary.
func (r *recents) of(collection uint32) *recent {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.kept, func(x *recent) bool { return x.collection == collection })
	x := &recent{collection: collection}
	if i >= 0 {
		x = r.kept[i]
		r.kept = slices.Delete(r.kept, i, i+1)
	}
	r.kept = append(r.kept, x)
	r.kept = r.kept[max(0, len(r.kept)-mostRecents):]
	return x
}

// forget drops all prefixes.
func (r *recents) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = nil
}

const (
	// recentPerProbe is the number of missing sets to rank for each probe that would scan their
	// signatures instead, or has done so since the last extension. Ranking more takes longer.
	recentPerProbe = 64
	// rankedPerText is the number of sets ranked in the time of reading a text.
	rankedPerText = 16
	// leastRecent is the number of sets from which on a table is worth its making; leastOrder the
	// number if it needs an order of its own.
	leastRecent = 1 << 7
	leastOrder  = 1 << 10
)

// Recent calls use with the prefixes of all sets of the view without postings, for so many probes
// whose matches share a part of their members. It returns false if a scan of signatures costs
// less. Calls of use do not overlap.
func (m *Snapshot) Recent(ctx context.Context, v *View, share api.Threshold, probes int, use func(*index.Recent) error) (ok bool, err error) {
	x := m.recent.of(v.Number)
	x.mu.Lock()
	defer x.mu.Unlock()
	table, err := x.extended(ctx, m, v, share, probes)
	if table == nil || err != nil {
		return false, err
	}
	return true, use(table)
}

// table returns the table for a view, new if necessary; nil if it is not worth its making.
func (x *recent) table(v *View, share api.Threshold) *index.Recent {
	built, end := v.Postings.Built, v.Table.Len()
	for _, t := range slices.Backward(x.tables) {
		if t.First <= built && built <= t.Next && t.Share.Cmp(share) <= 0 && built-t.First <= end-built+leastOrder {
			return t
		}
	}
	if n := end - built; n < leastRecent || v.Postings.Order == nil && n < leastOrder {
		return nil
	}
	x.tables = append(x.tables, index.NewRecent(v.Postings.Order, share, built))
	x.tables = x.tables[max(0, len(x.tables)-2):]
	return x.tables[len(x.tables)-1]
}

// extended returns the table for a view with all of its sets, or nil.
func (x *recent) extended(ctx context.Context, m *Snapshot, v *View, share api.Threshold, probes int) (*index.Recent, error) {
	t, end := x.table(v, share), v.Table.Len()
	if t == nil || m.Applied < x.ended { // an older snapshot may have sets that the table lacks
		return nil, nil
	}
	cost, bytes := 0, t.Bytes()
	for set := t.Next; set < end; set++ {
		if _, kept := v.Fresh.get(set); !kept {
			cost += rankedPerText
		}
		cost++
		bytes += t.BytesFor(v.Table.Size(set).Distinct)
	}
	if x.scanned += probes; cost > x.scanned*recentPerProbe || int64(bytes) > m.MemoryBytes/8 {
		return nil, nil
	}
	x.scanned = 0
	r := m.Reader(v)
	r.Heed(ctx)
	defer r.Close()
	if t.Layout.Order == nil {
		order, err := m.orderOf(ctx, v, v.Live(t.First, end))
		if err != nil {
			return nil, m.Interrupted(ctx)
		}
		t.Layout.Order = order
	}
	for set := t.Next; set < end; set++ {
		if err := m.Interrupted(ctx); err != nil {
			return nil, err
		}
		if v.Table.Size(set).Distinct == 0 {
			t.Add(nil)
			x.ended = max(x.ended, m.Applied)
			continue
		}
		bag, err := r.Once(set)
		if err != nil {
			return nil, m.Interrupted(ctx) // a scan reads only the texts that may match
		}
		t.Add(bag.Set)
	}
	return t, nil
}
