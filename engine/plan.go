package engine

import (
	"fmt"
	"time"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/measure"
)

// The costs the planner compares, in nanoseconds. Only their ratios matter. On
// 100,000 generated texts at 0.8 a probe took 0.30 µs for each of 216 buckets
// and a signature scan 20 ns for each of 89,000 sets: 1.7 times what the figures
// below say of a scan, because the machine was busy.
const (
	nanosPerBucket    = 180.0 // look one bucket up in one segment
	nanosPerPosting   = 6.0   // read, filter by tier and length, merge
	nanosPerSet       = 6.0   // pass over one set in a signature scan
	nanosPerSignature = 29.0  // compare one signature
	nanosPerMember    = 100.0 // read a text again to post a shingle of it
)

// serves says whether an access path can answer a measure at a threshold. This
// is the table of measure × filter: what is not named here may lose matches.
func (v *view) serves(a Access, m measure.Measure, args measure.Args, t measure.Threshold) error {
	indexed := t.Cmp(v.minSim) >= 0
	if m.OfTexts() && a != AccessScan {
		index, why, err := v.indexOf(Search{Measure: m, Args: args, Min: t})
		switch {
		case err != nil:
			return err
		case index == a:
			return nil
		case index == "":
			return invalid("access %q cannot serve %s: %s", a, m, why)
		}
		return invalid("access %q may lose matches of %s: use %q or 'scan'", a, m, index)
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
	case AccessInterval:
		switch {
		case m == measure.SimHash || m == measure.ContainmentOfDoc || m == measure.ContainmentOfQuery:
		case len(v.intervals) == 0:
			return invalid("collection %q keeps no interval buckets: create it WITH (intervals = 'paper')", v.name)
		case indexed:
			return nil
		}
	default:
		return invalid("unknown access %q: want prefix, signature, interval, rotated, range, chunks, terms or scan", a)
	}
	if (a == AccessPrefix || a == AccessInterval) && !indexed {
		return invalid("access %q serves sim >= %s in collection %q, not %s: use 'scan'", a, v.minSim, v.name, t)
	}
	return invalid("access %q may lose matches of %s: use 'scan'", a, m)
}

// access chooses how to look for the probe, or takes what the search names.
// probe is nil for a join; joins of fingerprints have nearJoin.
func (v *view) access(q Search, probe *index.Probe) (a Access, why string, err error) {
	if !q.Measure.Valid() {
		return "", "", invalid("unknown measure %d", q.Measure)
	}
	if q.Access != AccessAuto {
		return q.Access, "asked for", v.serves(q.Access, q.Measure, q.Args, q.Min)
	}
	if q.Measure.OfTexts() {
		if a, why, err = v.indexOf(q); a == "" {
			a = AccessScan
		}
		return a, why, err
	}
	n := float64(v.sets)
	if q.Measure == measure.SimHash {
		near, flat := index.NearCost(int(v.sets), len(v.index.segments), maxDist(q.Min))
		why = fmt.Sprintf("rotated tables ≈ %.0f µs, flat scan ≈ %.0f µs", near/1e3, flat/1e3)
		if near < flat && len(v.index.segments) > 0 {
			return AccessRotated, why, nil
		}
		return AccessScan, why, nil
	}
	if v.serves(AccessPrefix, q.Measure, q.Args, q.Min) != nil {
		if q.Measure == measure.Jaccard {
			return AccessScan, fmt.Sprintf("%s is below the collection's min_sim %s", q.Min, v.minSim), nil
		}
		return AccessScan, "no index is safe for " + q.Measure.String(), nil
	}
	if len(v.index.segments) == 0 {
		return AccessSignature, fmt.Sprintf("no posting segment before %d sets", v.index.built+v.cut(segmentSets)), nil
	}
	if probe == nil {
		return AccessPrefix, "join of the postings", nil
	}
	l := v.layout(v.index.order)
	segments := float64(len(v.index.segments))
	buckets := float64(index.PrefixLen(len(probe.Bag.Set), q.Min))
	// A share of about 1−t of the sets is within the length window.
	perSet := nanosPerSet + (1-q.Min.Float64())*nanosPerSignature
	prefix := buckets*segments*nanosPerBucket + probe.EstimatePostings(l, int(v.index.built))*nanosPerPosting + float64(v.tail)*perSet
	signature := n * perSet
	why = fmt.Sprintf("prefix ≈ %.0f µs, signature ≈ %.0f µs", prefix/1e3, signature/1e3)
	if prefix <= signature {
		return AccessPrefix, why, nil
	}
	return AccessSignature, why, nil
}

// maxDist is the largest Hamming distance with (64−d)/64 ≥ t.
func maxDist(t measure.Threshold) int { return 64 - int(t.Ceil(64)) }

func newPlan(q Search, a Access, why string) *Plan {
	return &Plan{
		Measure: q.Measure.Describe(q.Args), MinSim: q.Min.String(),
		Access: string(a), Exact: a != AccessInterval, Why: why, Filters: []FilterStat{},
	}
}

// filter adds to the counts of a filter, in the order first met.
func (p *Plan) filter(name string, safe bool, in, out int64) {
	for i := range p.Filters {
		if p.Filters[i].Name == name {
			p.Filters[i].In += in
			p.Filters[i].Out += out
			return
		}
	}
	p.Filters = append(p.Filters, FilterStat{name, safe, in, out})
}

// add sums the counts of another collection's or worker's share.
func (p *Plan) add(o *Plan) {
	if p.Access != o.Access {
		p.Access += ", " + o.Access
		p.Why += "; " + o.Why
		p.Exact = p.Exact && o.Exact
	}
	for _, f := range o.Filters {
		p.filter(f.Name, f.Safe, f.In, f.Out)
	}
	p.Candidates += o.Candidates
	p.Verified += o.Verified
}

func (p *Plan) took(start time.Time) { p.Micros += time.Since(start).Microseconds() }
