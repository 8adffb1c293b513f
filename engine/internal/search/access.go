package search

// How candidates are found: which ways lose no match, and which of these costs least.
// EXPLAIN asks the same functions as a search.

import (
	"fmt"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// The costs the planner compares, in nanoseconds. Only their ratios matter. On
// 100,000 generated texts at 0.8 a probe took 0.30 µs for each of 216 buckets
// and a signature scan 20 ns for each of 89,000 sets: 1.7 times what the figures
// below say of a scan, because the machine was busy.
const (
	nanosPerBucket    = 180.0  // look one bucket up in one segment
	nanosPerPosting   = 6.0    // read, filter by tier and length, merge
	nanosPerSet       = 6.0    // pass over one set in a signature scan
	nanosPerSignature = 29.0   // compare one signature
	nanosPerFolded    = 2000.0 // read one folded set
)

// Serves says whether an access path can answer a measure at a threshold. This
// is the table of measure × filter: what is not named here may lose matches.
func Serves(v *view.View, a Access, m measure.Measure, args measure.Args, t measure.Threshold) error {
	indexed := t.Cmp(v.MinSim) >= 0
	if why := otherK(v, args); why != "" && a != AccessScan {
		return fault.Invalid("access %q cannot serve %s: %s", a, m.Describe(args), why)
	}
	if m.OfTexts() && a != AccessScan {
		index, why, err := indexOf(v, Search{Measure: m, Args: args, Min: t})
		switch {
		case err != nil:
			return err
		case index == a:
			return nil
		case index == "":
			return fault.Invalid("access %q cannot serve %s: %s", a, m, why)
		}
		return fault.Invalid("access %q may lose matches of %s: use %q or 'scan'", a, m, index)
	}
	switch a {
	case AccessScan:
		return nil
	case AccessRotated:
		if m == measure.SimHash {
			return nil
		}
	case AccessSignature:
		if m != measure.SimHash {
			return nil
		}
	case AccessPrefix:
		if m == measure.Jaccard && indexed {
			return nil
		}
		if by, ok := postingsServe(v, Search{Measure: m, Args: args, Min: t}); m.OfBags() && ok && by == a {
			return nil
		}
	case AccessPostings:
		switch {
		case !m.OfBags():
		case v.Tiers.All():
			return nil
		default:
			return fault.Invalid("collection %q has no posting for every shingle: create it WITH (postings = 'all')", v.Name)
		}
	case AccessInterval:
		switch {
		case m == measure.SimHash || m == measure.ContainmentOfDoc || m == measure.ContainmentOfQuery:
		case len(v.Intervals) == 0:
			return fault.Invalid("collection %q keeps no interval buckets: create it WITH (intervals = 'paper')", v.Name)
		case indexed:
			return nil
		}
	default:
		return fault.Invalid("unknown access %q: want prefix, postings, signature, interval, rotated, range, chunks, terms or scan", a)
	}
	if (a == AccessPrefix && m == measure.Jaccard || a == AccessInterval) && !indexed {
		return fault.Invalid("access %q serves sim >= %s in collection %q, not %s: use 'scan'", a, v.MinSim, v.Name, t)
	}
	return fault.Invalid("access %q may lose matches of %s: use 'scan'", a, m)
}

// Choose says how the sets like a probe are found in a collection: as the search
// asks, or the cheapest way that loses no match. ranked is the probe of a search by
// resemblance in the order of the postings, nil where many are looked for.
func Choose(v *view.View, q Search, ranked *index.Probe) (a Access, why string, err error) {
	if q.Access != AccessAuto {
		return q.Access, "asked for", Serves(v, q.Access, q.Measure, q.Args, q.Min)
	}
	if why := otherK(v, q.Args); why != "" {
		return AccessScan, why, nil
	}
	if q.Measure.OfTexts() {
		if a, why, err = indexOf(v, q); a == "" {
			a = AccessScan
		}
		return a, why, err
	}
	if q.Measure == measure.SimHash {
		near, flat := nearCosts(v, q)
		why = fmt.Sprintf("rotated tables ≈ %.0f µs, flat scan ≈ %.0f µs", near/1e3, flat/1e3)
		if near < flat && len(v.Postings.Segments) > 0 {
			return AccessRotated, why, nil
		}
		return AccessScan, why, nil
	}
	a, ok := postingsServe(v, q)
	switch {
	case !ok && q.Measure == measure.Jaccard:
		return AccessScan, fmt.Sprintf("%s is below the collection's min_sim %s", q.Min, v.MinSim), nil
	case !ok:
		return AccessScan, fmt.Sprintf("only postings = 'all' would serve %s at %s", q.Measure, q.Min), nil
	case len(v.Postings.Segments) == 0:
		return AccessSignature, noSegment(v), nil
	case ranked == nil:
		return a, "the postings serve it", nil
	}
	prefix, signature := prefixCost(v, q, ranked), signatureCost(v, q, v.Sets)
	why = whichCosts("prefix", prefix, signature)
	if prefix <= signature {
		return AccessPrefix, why, nil
	}
	return AccessSignature, why, nil
}

// whichCosts says which costs were compared.
func whichCosts(name string, nanos, signature float64) string {
	return fmt.Sprintf("%s ≈ %.0f µs, signature ≈ %.0f µs", name, nanos/1e3, signature/1e3)
}

// prefixCost is that of a search by the prefix buckets and of the tail.
func prefixCost(v *view.View, q Search, ranked *index.Probe) float64 {
	segments := float64(len(v.Postings.Segments))
	buckets := float64(index.PrefixLen(len(ranked.Bag.Set), q.Min))
	postings := ranked.EstimatePostings(v.Layout(v.Postings.Order), int(v.Postings.Built))
	return buckets*segments*nanosPerBucket + postings*nanosPerPosting + signatureCost(v, q, v.Tail)
}

// signatureCost is that of a pass over so many sets. A share of about 1−t of them is
// within the length window.
func signatureCost(v *view.View, q Search, sets int64) float64 {
	return float64(sets) * (nanosPerSet + (1-q.Min.Float64())*nanosPerSignature)
}

// EachCost predicts how many nanoseconds a search by a measure of bags in a view takes for
// each of some sets, by an access that serves it. A sample of them is read, by a reader of
// theirs.
func EachCost(r *view.Reader, v *view.View, q Search, a Access, sets []uint32) (nanos float64, err error) {
	const sample, nanosPerProbe = 8, 50000 // to read a text and the texts of matches
	tried := 0
	for i := 0; i < len(sets); i += 1 + len(sets)/sample {
		tried++
		if a != AccessPrefix && a != AccessPostings || v.Postings.Order == nil { // without a segment signatures are compared
			nanos += signatureCost(v, q, v.Sets)
			if a == AccessScan { // the folded sets are read
				nanos += float64(v.Sets) * nanosPerFolded
			}
			continue
		}
		p, err := ProbeOfSet(r, sets[i], q.Measure)
		if err != nil {
			return 0, err
		}
		if indexed(v, q) {
			nanos += prefixCost(v, q, v.Layout(v.Postings.Order).Probe(p.bag, p.facts, q.Min))
		} else if o, ok := overlapFor(r.Moment, v, q, p); ok {
			nanos += o.cost(v, q)
		} else {
			nanos += signatureCost(v, q, v.Sets)
		}
	}
	return (nanos/float64(max(tried, 1)) + nanosPerProbe) * float64(len(sets)), nil
}

// NearCost predicts how many nanoseconds a search for a fingerprint takes.
func NearCost(v *view.View, q Search, a Access) float64 {
	near, flat := nearCosts(v, q)
	if a == AccessRotated {
		return near
	}
	return flat
}

func nearCosts(v *view.View, q Search) (near, flat float64) {
	return index.NearCost(int(v.Sets), len(v.Postings.Segments), MaxDist(q.Min))
}

// MaxDist is the largest Hamming distance with (64−d)/64 ≥ t.
func MaxDist(t measure.Threshold) int { return 64 - int(t.Ceil(64)) }

// indexed says whether a search is by resemblance at min_sim or above, which takes no
// counting.
func indexed(v *view.View, q Search) bool {
	return q.Measure == measure.Jaccard && q.Min.Cmp(v.MinSim) >= 0
}

// planFor chooses the access for one probe in one collection, and gives the finder what
// it prepared for that.
func (f *Finder) planFor(p Probe) (Access, error) {
	f.ranked, f.overlap = nil, nil
	if wantsNearest(f.v, f.q) {
		f.plan = NewPlan(f.q, AccessNearest, fmt.Sprintf("the best %d of all", f.q.Limit))
		return AccessNearest, nil
	}
	if q := f.q; q.Access == AccessAuto && f.v.Postings.Order != nil && q.Measure.OfBags() && !f.v.OtherK(q.Args.K) && p.facts.Distinct > 0 {
		if indexed(f.v, q) {
			f.ranked = f.v.Layout(f.v.Postings.Order).Probe(p.bag, p.facts, q.Min)
		} else if _, ok := postingsServe(f.v, q); ok {
			var access Access
			var why string
			access, why, f.overlap = chooseOverlap(f.m, f.v, q, p)
			f.plan = NewPlan(q, access, why)
			return access, nil
		}
	}
	access, why, err := Choose(f.v, f.q, f.ranked)
	if err != nil {
		return "", err
	}
	f.plan = NewPlan(f.q, access, why)
	return access, nil
}
