package search

// Finding candidates in one collection: by postings, or by signatures. Each filter is safe or the plan says that it is not
// (docs/decisions/0006 and 0041).

import (
	"context"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// Hit is a set found, with its exact score.
type Hit struct {
	Set   uint32
	Score measure.Score
	id    string // of the one document of the set that is meant; "" means all
}

// Finder searches one collection for sets like a probe, one probe after another.
// A finder must be used from one goroutine and closed after use.
type Finder struct {
	scope
	q      Search
	plan   *api.Plan
	reader *view.Reader

	formula measure.Formula // of a measure of bags, that filters go by

	counting *counting           // how the postings answer the next probe, as was planned; nil: not known
	tail     []uint32            // candidates without postings, if they are known; else nil
	only     *Sets               // that are looked for; nil: all
	late     bool                // an index of metadata may be asked for these, if there are many candidates
	scanned  map[uint64][]uint32 // what a flat scan found for fingerprints, if it is made

	probe Probe // that is looked for now, without what is ignored
	readsBags

	again usedAgain
}

// scope is where a Finder looks.
type scope struct {
	m       *view.Snapshot
	v       *view.View
	weights *view.View // whose documents say how much a word weighs with idf
}

// usedAgain is what the searches of a finder share.
type usedAgain struct {
	buf    []uint32
	chunks *index.ChunkProbe // counts for each set with postings; all 0 between searches
	bounds []float64         // the same of words
}

// NewFinder makes one, whose counts go to a plan.
func NewFinder(m *view.Snapshot, v *view.View, q Search, plan *api.Plan) *Finder {
	f := &Finder{scope: scope{m, v, v}, q: q, plan: plan, reader: m.Reader(v)}
	if q.Measure.OfBags() {
		f.formula = q.Formula()
	}
	return f
}

// WeighIn lets words weigh as in another view than that which is searched: a pair has one
// score, whichever of its sides is looked for.
func (f *Finder) WeighIn(v *view.View) { f.weights = v }

func (f *Finder) Close() error { return f.reader.Close() }

// Find returns the sets numbered from or above with score ≥ q.Min.
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
	if f.only != nil && (access == api.AccessScan || access == api.AccessSignature) {
		return f.scanOnly(ctx, from)
	}
	begun := time.Now()
	candidates, err := f.candidates(ctx, access, from)
	if err != nil {
		return nil, err
	}
	if f.late && len(candidates) > manyCandidates {
		if err := f.ask(ctx); err != nil {
			return nil, err
		}
	}
	candidates = f.kept(candidates)
	defer f.plan.Compared(f.plan.Found(begun))
	return f.verifyAll(ctx, candidates)
}

// verifyAll compares candidates exactly.
func (f *Finder) verifyAll(ctx context.Context, candidates []uint32) (hits []Hit, err error) {
	ctx, stage := progress.Begin(ctx, "sets compared", int64(len(candidates)))
	for _, set := range candidates {
		if err := f.m.Interrupted(ctx); err != nil {
			return nil, err
		}
		if hits, err = f.verify(set, hits); err != nil {
			return nil, err
		}
		stage.Add(1)
	}
	return hits, nil
}

// candidates lists what the index and the filters in memory let through.
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
	case api.AccessInterval: // the tail has postings too
		err := f.countWithin(ctx, from)
		return f.again.buf, err
	default:
		scanFrom = from
	}
	if f.tail != nil {
		return append(f.again.buf, f.tail...), nil
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

// sharedBound is what a set may share with the probe, as their signatures tell.
func (f *Finder) sharedBound(set uint32, size measure.Size) uint64 {
	return index.SharedBound(f.probe.facts.Distinct, size.Distinct, f.probe.facts.Signature, f.v.Table.Signature(set))
}
