package view

// Prefixes of the tail, for streams of conditional puts. A scan of signatures takes as long as the
// tail is, for each put; these take the look-up of a prefix.

import (
	"context"
	"slices"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
)

// recents holds the prefixes of the collections that were asked last.
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
	table      *index.Recent // nil if there is none
	ended      uint64        // Applied of the last snapshot that added a hole
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
	// A table pays off only for many probes: of the sets that it lacks it ranks recentPerProbe for
	// each probe, which takes as long as a scan of their signatures.
	recentPerProbe = 64
	// Reading a text takes longer than ranking its set.
	rankedPerText = 16
	// leastRecent is the number of sets from which on an order is worth its making.
	leastRecent = 1 << 10
)

// Recent calls use with the prefixes of all sets of the view without postings, for so many probes
// whose matches share a part of their members. It returns false if a scan of signatures costs
// less. Calls of use do not overlap.
func (m *Snapshot) Recent(ctx context.Context, v *View, share api.Threshold, probes int, use func(*index.Recent) error) (ok bool, err error) {
	x := m.recent.of(v.Number)
	x.mu.Lock()
	defer x.mu.Unlock()
	if ok, err := x.extend(ctx, m, v, share, probes); !ok || err != nil {
		return false, err
	}
	return true, use(x.table)
}

// extend adds the sets of the view that the table lacks.
func (x *recent) extend(ctx context.Context, m *Snapshot, v *View, share api.Threshold, probes int) (ok bool, err error) {
	built, end := v.Postings.Built, v.Table.Len()
	if x.table != nil && x.table.First > built || m.Applied < x.ended {
		return false, nil // an older snapshot, which may have sets that the table lacks
	}
	outdated := x.table == nil || share.Cmp(x.table.Share) < 0 || x.table.Next < built || built-x.table.First > end-built+leastRecent
	if outdated {
		if end-built < leastRecent {
			return false, nil
		}
		x.table = index.NewRecent(v.Postings.Order, share, built)
	}
	cost, bytes := 0, x.table.Bytes()
	for set := x.table.Next; set < end; set++ {
		if _, kept := v.Fresh.get(set); !kept {
			cost += rankedPerText
		}
		cost++
		bytes += x.table.BytesFor(v.Table.Size(set).Distinct)
	}
	if cost > probes*recentPerProbe || int64(bytes) > m.MemoryBytes/8 {
		return false, nil
	}
	r := m.Reader(v)
	r.Heed(ctx)
	defer r.Close()
	if x.table.Layout.Order == nil {
		if x.table.Layout.Order, err = orderOf(r, built, end); err != nil {
			return false, m.Interrupted(ctx)
		}
	}
	for set := x.table.Next; set < end; set++ {
		if err := m.Interrupted(ctx); err != nil {
			return false, err
		}
		if v.Table.Size(set).Distinct == 0 {
			x.table.Add(nil)
			x.ended = max(x.ended, m.Applied)
			continue
		}
		bag, err := r.Once(set)
		if err != nil {
			return false, m.Interrupted(ctx) // a scan reads only the texts that may match
		}
		x.table.Add(bag.Set)
	}
	return true, nil
}

// orderOf returns the order of some sets.
func orderOf(r *Reader, lo, hi uint32) (*index.Order, error) {
	members := uint64(0)
	for set := lo; set < hi; set++ {
		members += r.View.Table.Size(set).Distinct
	}
	counts := index.NewOrderBuilder(members)
	for _, set := range r.View.Live(lo, hi) {
		bag, err := r.Once(set)
		if err != nil {
			return nil, err
		}
		counts.Add(bag.Set)
	}
	return counts.Order(), nil
}
