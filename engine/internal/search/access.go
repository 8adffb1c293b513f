package search

// Choice of the access path: the paths that lose no match, and the cheapest of them. EXPLAIN
// calls the same functions as a search.

import (
	"fmt"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
)

// Serves returns nil if an access path answers a measure at a threshold without losing
// matches. It is the table of measures and safe filters: any combination not listed may lose
// matches and is api.ErrInvalid.
func Serves(v *view.View, a api.Access, m api.Measure, args api.Args, t api.Threshold) error {
	if why := otherK(v, args); why != "" && a != api.AccessScan {
		return fault.Invalid("access %q cannot serve %s: %s", a, m.Describe(args), why)
	}
	if m.OfTexts() && a != api.AccessScan {
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
	case api.AccessScan:
		return nil
	case api.AccessRotated:
		if m.OfFingerprints() {
			return nil
		}
	case api.AccessSignature:
		if !m.OfFingerprints() {
			return nil
		}
	case api.AccessPrefix, api.AccessPostings:
		if m.OfBags() && (a == api.AccessPostings || postingsAccess(Search{Measure: m, Args: args, Min: t}) == a) {
			return nil
		}
		if m.OfBags() {
			return fault.Invalid("access %q may lose matches of %s >= %s: use 'postings'", a, m, t)
		}
	case api.AccessInterval:
		switch {
		case !slices.Contains(m.Accesses(), api.AccessInterval):
		case len(v.Intervals) == 0:
			return fault.Invalid("the postings of collection %q have no intervals: create it WITH (intervals = 'paper')", v.Name)
		default:
			return nil
		}
	default:
		return fault.Invalid("unknown access %q: want prefix, postings, signature, interval, rotated, range, chunks, terms or scan", a)
	}
	return fault.Invalid("access %q may lose matches of %s: use 'scan'", a, m)
}

// Choose returns the access path of a search in a collection, with the reason for EXPLAIN. If
// the search names a path, Choose returns that path, or api.ErrInvalid if the path may lose
// matches.
func Choose(v *view.View, q Search) (a api.Access, why string, err error) {
	if q.Access != api.AccessAuto {
		// Ignored shingles are cut out of the texts, and no index covers the rest.
		if q.Measure.OfTexts() && q.ReadsBags() && q.Access != api.AccessScan && !q.Measure.OfLetters() {
			return "", "", fault.Invalid("access %q cannot serve %s IGNORING shingles: use 'scan'", q.Access, q.Measure)
		}
		return q.Access, "asked for", Serves(v, q.Access, q.Measure, q.Args, q.Min)
	}
	if why := otherK(v, q.Args); why != "" {
		return api.AccessScan, why, nil
	}
	if q.Measure.OfTexts() {
		if a, why, err = indexOf(v, q); a == "" {
			a = api.AccessScan
		}
		return a, why, err
	}
	if q.Measure.OfFingerprints() {
		near, flat := nearCosts(v, q)
		why = fmt.Sprintf("rotated tables ≈ %.0f µs, flat scan ≈ %.0f µs", near/1e3, flat/1e3)
		if near < flat && len(v.Postings.Segments) > 0 {
			return api.AccessRotated, why, nil
		}
		return api.AccessScan, why, nil
	}
	if q.ReadsBags() {
		return api.AccessPostings, "its shingles are looked up, in the tail too", nil
	}
	if len(v.Postings.Segments) == 0 {
		return api.AccessSignature, noSegment(v), nil
	}
	return postingsAccess(q), "the postings serve it", nil
}

// EachCost estimates the nanoseconds of a separate search for each of the given sets by a
// measure of bags. Access a must serve q in v. It samples about eight sets, read through r.
func EachCost(r *view.Reader, v *view.View, q Search, a api.Access, sets []uint32) (nanos float64, err error) {
	const sample, nanosPerProbe = 8, 50000 // reading a text and the texts of its matches
	tried := 0
	for i := 0; i < len(sets); i += 1 + len(sets)/sample {
		tried++
		var c *counting
		if a == api.AccessPrefix || a == api.AccessPostings {
			p, err := ProbeOfSet(r, sets[i], q.Measure)
			if err != nil {
				return 0, err
			}
			c = countingFor(r.Snapshot, v, q, p)
		}
		if c != nil {
			nanos += c.cost(v, q)
		} else {
			nanos += signatureCost(v, q, v.Sets)
		}
	}
	return (nanos/float64(max(tried, 1)) + nanosPerProbe) * float64(len(sets)), nil
}

// NearCost estimates the nanoseconds of a search for a fingerprint.
func NearCost(v *view.View, q Search, a api.Access) float64 {
	near, flat := nearCosts(v, q)
	if a == api.AccessRotated {
		return near
	}
	return flat
}

// nearCosts returns the costs of the rotated tables and of a flat scan.
func nearCosts(v *view.View, q Search) (near, flat float64) {
	return index.NearCost(int(v.Sets), len(v.Postings.Segments), MaxDist(q.Min))
}

// MaxDist returns the largest Hamming distance d with (64−d)/64 ≥ t.
func MaxDist(t api.Threshold) int { return 64 - int(t.Ceil(64)) }

// planFor chooses the access path for one probe and stores the plan and its counting in the
// finder.
func (f *Finder) planFor(p Probe) (api.Access, error) {
	f.counting = nil
	if wantsNearest(f.v, f.q) {
		f.plan = NewPlan(f.q, api.AccessNearest, fmt.Sprintf("the best %d of all", f.q.Limit))
		return api.AccessNearest, nil
	}
	access, why, err := Choose(f.v, f.q)
	if err != nil {
		return "", err
	}
	if (access == api.AccessPrefix || access == api.AccessPostings) && !f.q.ReadsBags() {
		if f.counting = countingFor(f.m, f.v, f.q, p); f.counting != nil && f.q.Access == api.AccessAuto {
			access, why = f.counting.access(), fmt.Sprintf("postings ≈ %.0f µs", f.counting.cost(f.v, f.q)/1e3)
		}
	}
	f.plan = NewPlan(f.q, access, why)
	return access, nil
}
