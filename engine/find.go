package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
)

// hit is a set found, with its exact score.
type hit struct {
	set   uint32
	score measure.Score
	id    string // of the one document of the set that is meant; "" means all
}

// finder searches one collection for sets similar to a bag. For one goroutine;
// close it.
type finder struct {
	s    *Snapshot
	v    *view
	q    Search
	plan *Plan
	bags *bagReader
	buf  []uint32

	probe   *index.Probe        // of the next bag, if the planner made one
	scanned map[uint64][]uint32 // what a flat scan found for fingerprints, if it is made

	chunks *index.ChunkProbe // counts for each set with postings; all 0 between searches
	bounds []float64         // the same of words

	whole  []index.Stored // all segments and the tail as one more, once needed
	layout index.Layout   // of these
}

func (s *Snapshot) finder(v *view, q Search, plan *Plan) *finder {
	return &finder{s: s, v: v, q: q, plan: plan, bags: s.bags(v)}
}

func (f *finder) close() error { return f.bags.close() }

// probeOf derives what a search needs of a bag.
func probeOf(bag shingle.Bag) index.Facts {
	if len(bag.Set) == 0 {
		return index.Facts{}
	}
	r, _ := describe(bag)
	return r.Facts
}

// query is one side of a search as a measure needs it: facts for SimHash, with
// the bag for a measure of bags, the text for one of texts.
type query struct {
	bag   shingle.Bag
	facts index.Facts
	text  string

	of  *view // the collection of the set that this is, nil if it is none's
	set uint32
}

// find returns the sets numbered from or above with score ≥ q.Min. A text without
// shingles is like none, by any measure.
func (f *finder) find(ctx context.Context, q query, access Access, from uint32) (hits []hit, err error) {
	defer catchFault(&err)()
	switch {
	case q.facts.Distinct == 0:
		return nil, nil
	case f.q.Measure == measure.SimHash:
		return f.near(ctx, q.facts.SimHash, access, from)
	case f.q.Measure.OfTexts():
		return f.byText(ctx, q.text, access, from)
	}
	p := probing{finder: f, query: q}
	if access == AccessScan && f.v.folds {
		return p.scan(ctx, from)
	}
	candidates, err := p.candidates(ctx, access, from)
	if err != nil {
		return nil, err
	}
	for _, set := range candidates {
		if err := f.s.interrupted(ctx); err != nil {
			return nil, err
		}
		if hits, err = p.verify(set, nil, hits); err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// near searches fingerprints.
func (f *finder) near(ctx context.Context, q uint64, access Access, from uint32) ([]hit, error) {
	dist := maxDist(f.q.Min)
	f.buf = f.buf[:0]
	all, flat := int64(f.v.next-min(from, f.v.next)), from
	var err error
	if access == AccessRotated {
		segments := f.s.lookFrom(ctx, f.v, from)
		if f.buf, _, err = index.Near(segments, f.v.table, q, dist, f.buf); err != nil {
			return nil, pageError(err)
		}
		flat = max(from, f.v.index.built)
	}
	if sets, ok := f.scanned[q]; ok && access == AccessScan && from == 0 {
		f.buf = append(f.buf, sets...)
	} else {
		f.buf = index.ScanNear(f.v.table, flat, f.v.next, q, dist, f.buf)
	}
	name := "flat scan"
	if access == AccessRotated {
		name = "rotated tables"
	}
	f.plan.filter(name, true, all, int64(len(f.buf)))
	f.plan.Candidates += int64(len(f.buf))
	f.plan.Verified += int64(len(f.buf))
	var hits []hit
	for _, set := range f.buf {
		if set >= from {
			hits = append(hits, hit{set: set, score: measure.Hamming(q, f.v.table.SimHash(set))})
		}
	}
	return hits, nil
}

// lookFrom is the segments with sets numbered from or above, to look things up in,
// for a call that ends with its context.
func (s *Snapshot) lookFrom(ctx context.Context, v *view, from uint32) (out []index.Stored) {
	for _, seg := range v.index.segments {
		if seg.Hi > from {
			out = append(out, index.Stored{Segment: seg.Segment, Reader: lookups{seg.file, func() error { return s.interrupted(ctx) }}})
		}
	}
	return out
}

// readThrough is the segments of a collection to go through once.
func (s *Snapshot) readThrough(ctx context.Context, v *view) (out []index.Stored) {
	for _, seg := range v.index.segments {
		out = append(out, index.Stored{Segment: seg.Segment, Reader: inOrder{seg.file, func() error { return s.interrupted(ctx) }}})
	}
	return out
}

// probing is one run of a finder over sets.
type probing struct {
	*finder
	query
	folded *roaring.Bitmap // of the bag, made when first needed

	alike, others int // among the sets compared whose bags were not in memory
}

// candidates lists what the index and the filters in memory let through.
func (p *probing) candidates(ctx context.Context, access Access, from uint32) ([]uint32, error) {
	p.buf = p.buf[:0]
	scanFrom := from
	if access == AccessPrefix || access == AccessInterval {
		if err := p.buckets(ctx, access, from); err != nil {
			return nil, err
		}
		scanFrom = max(from, p.v.index.built)
	}
	before := len(p.buf)
	var inWindow int
	if access != AccessInterval {
		p.buf, inWindow = index.ScanSignatures(p.v.table, scanFrom, p.v.next, p.q.Measure, p.q.Min, p.facts, p.buf)
		if scanned := int64(p.v.next - min(scanFrom, p.v.next)); scanned > 0 {
			p.plan.filter("length", true, scanned, int64(inWindow))
			p.plan.filter("parity signature", true, int64(inWindow), int64(len(p.buf)-before))
		}
	}
	return p.buf, nil
}

// buckets appends the sets that share a bucket with the probe and pass length
// and signature. Interval buckets are lossy, so the tail gets buckets too, for
// the moment: what is lost must not depend on what is in a segment by now.
func (p *probing) buckets(ctx context.Context, access Access, from uint32) error {
	kind, name := index.Prefix, "prefix buckets"
	segments := p.s.lookFrom(ctx, p.v, from)
	l := p.v.layout(p.v.index.order)
	covered := p.v.index.built
	if access == AccessInterval {
		kind, name = index.Interval, "interval buckets"
		var err error
		if p.whole == nil {
			if p.whole, p.layout, err = p.s.withTail(ctx, p.v, p.s.lookFrom(ctx, p.v, 0)); err != nil {
				return err
			}
		}
		segments, l = p.whole, p.layout
		covered = p.v.next
	}
	if len(segments) == 0 {
		return nil
	}
	probe := p.probe
	if probe == nil || kind != index.Prefix {
		probe = l.Probe(p.bag, p.facts, p.q.Min)
	}
	for _, s := range segments {
		var err error
		if p.buf, _, _, err = probe.Candidates(l, s, kind, p.v.table, p.buf); err != nil {
			return pageError(err)
		}
	}
	met, length, kept := len(p.buf), 0, p.buf[:0]
	for _, set := range p.buf {
		if set < from {
			continue
		}
		size := p.v.table.Size(set)
		if !p.admits(size, min(p.facts.Distinct, size.Distinct)) {
			continue
		}
		length++
		if p.admits(size, index.SharedBound(p.facts.Distinct, size.Distinct, p.facts.Signature, p.v.table.Signature(set))) {
			kept = append(kept, set)
		}
	}
	p.buf = kept
	p.plan.filter(name, kind == index.Prefix, int64(covered), int64(met))
	p.plan.filter("length", true, int64(met), int64(length))
	p.plan.filter("parity signature", true, int64(length), int64(len(kept)))
	return nil
}

// admits says whether a set of that size can reach the threshold with at most
// shared shingles in common.
func (p *probing) admits(size measure.Size, shared uint64) bool {
	b := p.q.Measure.Bound(p.facts.Size, size, shared)
	return b.Shared > 0 && p.q.Min.Admits(b.Shared, b.Of)
}

// scan goes through the folded sets on disk, in order: no index, only bounds
// that are safe for every measure.
func (p *probing) scan(ctx context.Context, from uint32) (hits []hit, err error) {
	prefix := p.v.key(keys.Folded)
	err = scanFrom(p.s.pebble, prefix, p.v.key(keys.Folded, from), func(key, value []byte) error {
		if err := p.s.interrupted(ctx); err != nil {
			return err
		}
		numbers, _, err := keys.Numbers(key, 2)
		if err != nil {
			return corrupt("%w", err)
		}
		set := numbers[1]
		size := p.v.table.Size(set)
		p.plan.filter("length", true, 1, 0)
		if !p.admits(size, min(p.facts.Distinct, size.Distinct)) {
			return nil
		}
		p.plan.filter("length", true, 0, 1)
		hits, err = p.verify(set, value, hits)
		return err
	})
	return hits, err
}

// verify compares one candidate exactly and appends it if it is a match. folded
// is its folded set, nil if not at hand.
func (p *probing) verify(set uint32, folded []byte, hits []hit) ([]hit, error) {
	bag, cached := p.bag, p.of == p.v && p.set == set
	if !cached {
		bag, cached = p.bags.cached(set)
	}
	// A folded set at hand is worth a look always; reading it, where it tells more
	// sets off than it lets through.
	switch look := folded != nil || p.others > p.alike; {
	case !p.v.folds:
	case look && !cached:
		if ok, err := p.mayMatch(set, folded); err != nil || !ok {
			return hits, err
		}
	default:
		p.plan.filter("folded set", true, 1, 1)
	}
	if !cached {
		var err error
		if bag, err = p.bags.bag(set); err != nil {
			return hits, err
		}
	}
	p.plan.Candidates++
	p.plan.Verified++
	score, ok := p.q.Measure.Match(p.bag, bag, p.q.Min)
	switch {
	case ok:
		hits = append(hits, hit{set: set, score: score})
		p.alike++
	case !cached:
		p.others++
	}
	return hits, nil
}

// mayMatch is the folded filter: |A∩B| ≤ |f(A)∩f(B)| + min of the collisions.
func (p *probing) mayMatch(set uint32, value []byte) (ok bool, err error) {
	if value == nil {
		v, closer, err := p.s.pebble.Get(p.v.key(keys.Folded, set))
		if err != nil {
			return false, fmt.Errorf("folded set %d: %w", set, storeError(err))
		}
		defer func() { err = errors.Join(err, closer.Close()) }()
		value = v
	}
	if p.folded == nil {
		p.folded = shingle.Fold(p.bag.Set)
	}
	other := roaring.New()
	if _, err := other.FromBuffer(value); err != nil {
		return false, corrupt("folded set %d: %w", set, err)
	}
	shared := p.folded.AndCardinality(other) + min(p.facts.Collisions, p.v.table.Collisions(set))
	ok = p.admits(p.v.table.Size(set), shared)
	p.plan.filter("folded set", true, 1, b2i(ok))
	return ok, nil
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
