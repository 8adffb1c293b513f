package search

// Finding candidates by the members that they share with the probe, as postings count
// them: by any measure of bags (docs/decisions/0041).

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// overlap is how the postings of a collection answer one probe.
type overlap struct {
	*index.Overlap
	beyond []uint32 // sets that the postings may lack, because they repeat so much
}

// beyond are the sets that repeat more than all others with postings.
type beyond struct {
	repeats measure.Repeats // of the others
	sets    []uint32
}

// beyondPostings finds them, where the measure asks for it.
func beyondPostings(m *view.Moment, v *view.View, by measure.Measure) (b beyond) {
	if by != measure.Repetition {
		return b
	}
	for _, s := range v.Postings.Segments {
		repeats, sets := s.Repeats(v.Table, m.Applied)
		b.repeats, b.sets = max(b.repeats, repeats), append(b.sets, sets...)
	}
	return b
}

// access is the name of the way.
func (o *overlap) access() Access {
	if o.All() {
		return AccessPostings
	}
	return AccessPrefix
}

// overlapFor prepares the way for a probe. ok is false where the postings may lack a match.
func overlapFor(m *view.Moment, v *view.View, q Search, p Probe) (o *overlap, ok bool) {
	if v.Postings.Order == nil || p.facts.Distinct == 0 {
		return nil, false
	}
	b := beyondPostings(m, v, q.Measure)
	o = &overlap{beyond: b.sets}
	o.Overlap, ok = v.Layout(v.Postings.Order).Overlap(p.bag, p.facts, q.Method().Formula(), q.Min, b.repeats)
	return o, ok
}

// postingsServe says whether postings of a collection have all matches of texts that
// hardly repeat their shingles, and by which access. What they lack of a text that repeats
// much is scanned for.
func postingsServe(v *view.View, q Search) (Access, bool) {
	usual := measure.Size{Distinct: 1 << 16, Total: 1 << 16}
	w, _ := q.Method().Formula().Window(usual, q.Min, 0)
	tier, ok := v.Tiers.For(&w)
	switch {
	case !ok:
		return "", false
	case v.Tiers.All() && int(tier) == len(v.Tiers)-1:
		return AccessPostings, true
	}
	return AccessPrefix, true
}

// cost predicts how many nanoseconds the way takes.
func (o *overlap) cost(v *view.View, q Search) float64 {
	const nanosPerCount = 4.0
	segments := float64(len(v.Postings.Segments))
	postings := o.EstimatePostings(v.Layout(v.Postings.Order), int(v.Postings.Built))
	return float64(o.LookUps())*segments*nanosPerBucket + postings*nanosPerCount +
		float64(len(o.beyond))*(nanosPerSet+nanosPerSignature) + signatureCost(v, q, v.Tail)
}

// chooseOverlap chooses between the postings and a pass over the signatures for a probe.
func chooseOverlap(m *view.Moment, v *view.View, q Search, p Probe) (a Access, why string, o *overlap) {
	if len(v.Postings.Segments) == 0 {
		return AccessSignature, noSegment(v), nil
	}
	o, ok := overlapFor(m, v, q, p)
	if !ok {
		return AccessScan, "the postings lack matches of a text that repeats so many of its shingles", nil
	}
	// By these measures, or at these thresholds, signatures may leave most sets: of 14,000
	// of linuxdoc 9,000 by containment(of='doc') >= 0.8.
	postings, signature := o.cost(v, q), signatureCost(v, q, v.Sets)+float64(v.Sets)*nanosPerFolded
	why = whichCosts(string(o.access()), postings, signature)
	if postings <= signature {
		return o.access(), why, o
	}
	return AccessSignature, why, nil
}

// byOverlap appends the candidates among the sets with postings. It says false where the
// postings do not serve the probe.
func (f *Finder) byOverlap(ctx context.Context, from uint32) (ok bool, err error) {
	o := f.overlap
	if o == nil {
		if o, ok = overlapFor(f.m, f.v, f.q, f.probe); !ok {
			return false, nil
		}
	}
	var passed index.Passed
	l := f.v.Layout(f.v.Postings.Order)
	for _, s := range f.m.LookFrom(ctx, f.v, from) {
		if err := f.m.Interrupted(ctx); err != nil {
			return false, err
		}
		if f.again.buf, err = o.Candidates(l, s, f.v.Table, f.again.buf, &passed); err != nil {
			return false, segment.PageError(err)
		}
	}
	name := "prefix buckets"
	if o.All() {
		name = "postings"
	}
	f.plan.Filter(name, true, int64(f.v.Postings.Built), int64(passed.Met))
	f.plan.Filter("shared shingles", true, int64(passed.Met), int64(passed.Counted))
	f.plan.Filter("parity signature", true, int64(passed.Counted), int64(passed.Signature))
	if passed.Recounted > 0 {
		f.plan.Filter("all shared shingles", true, int64(passed.Recounted), int64(passed.Exact))
	}
	if len(o.beyond) > 0 {
		before := len(f.again.buf)
		f.again.buf = append(f.again.buf, o.beyond...)
		kept := f.again.buf[:before]
		for _, set := range o.beyond {
			if _, ok := f.possible(set, f.probe.facts.Distinct); ok {
				kept = append(kept, set)
			}
		}
		f.plan.Filter("much repeated", true, int64(len(o.beyond)), int64(len(kept)-before))
		f.again.buf = kept
	}
	f.again.buf = f.v.LiveOf(f.again.buf, from)
	return true, nil
}

// noSegment is why no postings are asked.
func noSegment(v *view.View) string {
	return fmt.Sprintf("no posting segment before %d sets", v.Postings.Built+v.Cut(record.SegmentSets))
}
