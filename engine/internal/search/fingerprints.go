package search

// Search by SimHash: rotated tables for small distances, a scan of all fingerprints for any
// distance (docs/decisions/0007).

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// near returns the sets within the distance of q.Min from a fingerprint.
func (f *Finder) near(ctx context.Context, q uint64, access api.Access, from uint32) ([]Hit, error) {
	dist := MaxDist(f.q.Min)
	f.again.buf = f.again.buf[:0]
	all, flat := int64(f.v.Table.Len()-min(from, f.v.Table.Len())), from
	var err error
	if access == api.AccessRotated {
		segments := f.m.LookFrom(ctx, f.v, from)
		if f.again.buf, _, err = index.Near(segments, f.v.Table, q, dist, f.again.buf); err != nil {
			return nil, segment.PageError(err)
		}
		flat = max(from, f.v.Postings.Built)
	}
	if f.only != nil && access == api.AccessScan {
		for _, set := range f.v.LiveOf(f.only.ToArray(), from) {
			if measure.Hamming(q, f.v.Table.SimHash(set)).Shared >= 64-uint64(dist) {
				f.again.buf = append(f.again.buf, set)
			}
		}
		all = int64(f.only.GetCardinality())
	} else if sets, ok := f.scanned[q]; ok && access == api.AccessScan && from == 0 {
		f.again.buf = append(f.again.buf, sets...)
	} else {
		f.again.buf = index.ScanNear(f.v.Table, flat, f.v.Table.Len(), q, dist, f.again.buf)
	}
	name := "flat scan"
	if access == api.AccessRotated {
		name = "rotated tables"
	}
	f.plan.Filter(name, true, all, int64(len(f.again.buf)))
	f.plan.Candidates += int64(len(f.again.buf))
	f.plan.Verified += int64(len(f.again.buf))
	var hits []Hit
	for _, set := range f.kept(f.again.buf) {
		if set >= from {
			hits = append(hits, Hit{Set: set, Score: measure.Hamming(q, f.v.Table.SimHash(set))})
		}
	}
	return hits, nil
}

// scanSets is the number of sets between two checks of the context.
const scanSets = 1 << 16

// scanEach runs one flat scan for several targets, if that is the chosen access. It returns
// the near sets by fingerprint.
func scanEach(ctx context.Context, m *view.Snapshot, v *view.View, targets []target, q Search) (scanned map[uint64][]uint32, err error) {
	defer segment.CatchUnreadable(&err)()
	if !q.Measure.OfFingerprints() || len(targets) < 2 || wantsNearest(v, q) {
		return nil, nil
	}
	if access, _, err := Choose(v, q); err != nil || access != api.AccessScan {
		return nil, err
	}
	r := m.Reader(v)
	defer r.Close()
	scanned = map[uint64][]uint32{}
	var hashes []uint64
	for i := range targets {
		p, err := targets[i].probeBy(ctx, r, q.Method())
		if err != nil {
			return nil, err
		}
		if _, ok := scanned[p.facts.SimHash]; !ok {
			scanned[p.facts.SimHash] = nil
			hashes = append(hashes, p.facts.SimHash)
		}
	}
	found := make([][]uint32, len(hashes))
	for lo := uint32(0); lo < v.Table.Len(); lo += min(scanSets, v.Table.Len()-lo) {
		if err := m.Interrupted(ctx); err != nil {
			return nil, err
		}
		index.ScanNearBatch(v.Table, lo, lo+min(scanSets, v.Table.Len()-lo), hashes, MaxDist(q.Min), found)
	}
	for i, h := range hashes {
		scanned[h] = found[i]
	}
	return scanned, nil
}
