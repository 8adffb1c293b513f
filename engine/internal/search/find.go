package search

// Candidate search in one collection, by postings or signatures. Each filter is safe, or the
// plan marks it as lossy (docs/decisions/0006 and 0041).

import (
	"context"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
)

// NewFinder returns a Finder that adds its counts to plan. Close releases its reader.
func NewFinder(m *view.Snapshot, v *view.View, q Search, plan *api.Plan) *Finder {
	f := &Finder{scope: scope{m, v, v}, q: q, plan: plan, reader: m.Reader(v)}
	if q.Measure.OfBags() {
		f.formula = q.Formula()
	}
	return f
}

// WeighIn takes word weights from another view than the one searched, so that the score of a
// pair does not depend on the side that is the query.
func (f *Finder) WeighIn(v *view.View) { f.weights = v }

// Close releases the reader. The finder must not be used afterwards.
func (f *Finder) Close() error { return f.reader.Close() }

// Find returns the sets numbered from or above with score ≥ q.Min. Access must serve the
// search (see Serves).
func (f *Finder) Find(ctx context.Context, p Probe, access api.Access, from uint32) (hits []Hit, err error) {
	defer segment.CatchUnreadable(&err)()
	f.reader.Heed(ctx)
	switch {
	case f.q.Measure.OfFingerprints():
		return f.near(ctx, p.facts.SimHash, access, from)
	case f.q.Measure.OfTexts():
		return f.byText(ctx, p.text, access, from)
	case f.v.OtherK(f.q.Args.K) && !f.q.ReadsBags():
		return f.reread(ctx, p, from)
	}
	if err := f.seek(ctx, p); err != nil || f.probe.facts.Distinct == 0 {
		return nil, err
	}
	// A scan of the restricted sets replaces the scan of all.
	if f.only != nil && (access == api.AccessScan || access == api.AccessSignature) {
		return f.scanOnly(ctx, from)
	}
	begun := time.Now()
	candidates, err := f.candidates(ctx, access, from)
	if err != nil {
		return nil, err
	}
	// With this many candidates the metadata index pays off after all.
	if f.late && len(candidates) > manyCandidates {
		if err := f.restrict(ctx); err != nil {
			return nil, err
		}
	}
	candidates = f.kept(candidates)
	defer f.plan.Compared(f.plan.Found(begun))
	return f.verifyAll(ctx, candidates)
}

// candidates lists the sets that pass the index and the filters in memory.
func (f *Finder) candidates(ctx context.Context, access api.Access, from uint32) ([]uint32, error) {
	f.again.buf = f.again.buf[:0]
	scanFrom := max(from, f.v.Postings.Built)
	if f.reading != nil && (access == api.AccessPostings || access == api.AccessPrefix) {
		err := f.countRead(ctx, from)
		return f.again.buf, err
	}
	switch access {
	case api.AccessPostings, api.AccessPrefix:
		if err := f.count(ctx, from); err != nil {
			return nil, err
		}
	case api.AccessInterval: // its postings cover the tail
		err := f.countWithin(ctx, from)
		return f.again.buf, err
	default:
		scanFrom = from
	}
	before := len(f.again.buf)
	var inWindow int
	f.again.buf, inWindow = index.ScanSignatures(f.v.Table, scanFrom, f.v.Table.Len(), f.formula, f.q.Min, f.probe.facts, f.again.buf)
	if scanned := int64(f.v.Table.Len() - min(scanFrom, f.v.Table.Len())); scanned > 0 {
		f.plan.Filter("length", true, scanned, int64(inWindow))
		f.plan.Filter("parity signature", true, int64(inWindow), int64(len(f.again.buf)-before))
	}
	return f.again.buf, nil
}
