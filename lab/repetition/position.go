package repetition

// This file tells what buckets by prefix position would save: buckets that know
// where in the prefix of a set their shingle stands, beside the tiers of simdb,
// which know it in steps of thresholds.

import (
	"context"
	"slices"

	"github.com/simdb/simdb/api"
)

// positionThresholds are those of the searches: tiers of simdb, and others that
// lie between two.
var positionThresholds = []api.Threshold{
	api.Ratio(1, 2), api.Ratio(11, 20), api.Ratio(7, 10), api.Ratio(3, 4),
	api.Ratio(4, 5), api.Ratio(17, 20), api.Ratio(9, 10), api.Ratio(19, 20),
}

// tiers are those of simdb down to 0.5.
var tiers = []api.Threshold{
	api.Ratio(1, 1), api.Ratio(19, 20), api.Ratio(9, 10), api.Ratio(4, 5),
	api.Ratio(7, 10), api.Ratio(3, 5), api.Ratio(1, 2),
}

// positionProbes is about how many documents of a corpus probe.
const positionProbes = 200

// A posted is a set in a bucket, with the place of the shingle in its prefix.
type posted struct{ doc, position int32 }

// positions is an index for searches at 0.5 and above: by symbol the sets that
// have it in their prefix, ascending by position.
type positions struct {
	*judge  // of the searches
	order   order
	buckets [][]posted
}

func newPositions(docs []document, o order) *positions {
	x := &positions{nil, o, make([][]posted, len(o))}
	for i, d := range docs {
		for at, n := range o.prefix(d, tiers[len(tiers)-1]) {
			s := d.bag.Set[n]
			x.buckets[s] = append(x.buckets[s], posted{int32(i), int32(at)})
		}
	}
	for _, b := range x.buckets {
		slices.SortStableFunc(b, func(a, b posted) int { return int(a.position - b.position) })
	}
	return x
}

// A reading is what searches by one way read and find.
type reading struct {
	postings   int64 // of the buckets looked up, each time they are met
	candidates int64 // distinct sets behind the filters
	found      matches
}

// byTiers searches as simdb does: it reads postings of the tiers down to the
// highest one that is not above t, and applies the length filter.
func (x *positions) byTiers(ctx context.Context, t api.Threshold, nth int) (r reading, err error) {
	tier := tiers[slices.IndexFunc(tiers, func(at api.Threshold) bool { return at.Cmp(t) <= 0 })]
	return x.search(ctx, t, nth, func(p posted, _, _, size int) (read, candidate bool) {
		return int(p.position) < prefixLen(size, tier), true
	})
}

// byPositions reads what stands in the prefix for t of the longest set that can
// match, and dismisses sets that have too little left behind the place where they
// meet the query first.
func (x *positions) byPositions(ctx context.Context, t api.Threshold, nth int) (r reading, err error) {
	probe, last := 0, 0 // the length of the probe, and of the longest prefix that it reads
	return x.search(ctx, t, nth, func(p posted, at, length, size int) (read, candidate bool) {
		if length != probe {
			longest := length
			for t.Admits(uint64(length), uint64(longest+1)) {
				longest++
			}
			probe, last = length, prefixLen(longest, t)
		}
		shared := min(length-at, size-int(p.position)) // at most: this one and what follows
		return int(p.position) < last, uint64(shared) >= t.Overlap(uint64(length+size))
	})
}

// search looks every nth document up. look says of a posting whether the way
// reads it, and whether it may be of a match if it is the first that the two sets
// have in common: at is the place in the probe, length and size are those of the
// probe and of the set.
func (x *positions) search(ctx context.Context, t api.Threshold, nth int, look func(p posted, at, length, size int) (read, candidate bool)) (r reading, err error) {
	met := make([]int32, len(x.docs))
	for i := 0; i < len(x.docs); i += nth {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		d := x.docs[i]
		for at, n := range x.order.prefix(d, t) {
			for _, p := range x.buckets[d.bag.Set[n]] {
				size := x.docs[p.doc].len()
				read, candidate := look(p, at, d.len(), size)
				if !read || int(p.doc) == i {
					continue
				}
				r.postings++
				if met[p.doc] == int32(i)+1 {
					continue
				}
				met[p.doc] = int32(i) + 1
				if candidate && t.Admits(uint64(min(d.len(), size)), uint64(max(d.len(), size))) {
					r.candidates++
					x.keep(&r.found, pair{int32(i), p.doc})
				}
			}
		}
	}
	r.found.sort()
	return r, nil
}

// positions measures both ways at all thresholds.
func (e *experiment) positions(ctx context.Context, c corpus, docs []document, o order) error {
	nth := max(1, len(docs)/positionProbes)
	ran := int64((len(docs) + nth - 1) / nth)
	x := newPositions(docs, o)
	for _, t := range positionThresholds {
		e.options.Progressf("%v: prefix positions at %v", c, t)
		x.judge = newJudge(docs, t)
		tiered, err := x.byTiers(ctx, t, nth)
		if err != nil {
			return err
		}
		placed, err := x.byPositions(ctx, t, nth)
		if err != nil {
			return err
		}
		lost := len(without(tiered.found[0], placed.found[0]))
		e.placed = append(e.placed, []string{c.String(), t.String(), number(ran), tenth(tiered.postings, ran), tenth(placed.postings, ran),
			tenth(tiered.candidates, ran), tenth(placed.candidates, ran), number(len(tiered.found[0])), number(lost)})
	}
	return nil
}
