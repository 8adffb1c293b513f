package pairs

// Joins of documents that a WHERE keeps: what an index of metadata knows of them confines
// the sets that are joined (docs/decisions/0033).

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
)

// confined are the sets of a view with documents that may be the a of a row, and those
// that may be the b; nil are all.
type confined struct{ a, b *search.Sets }

// confine asks the indexes of metadata what the sides of a row may be.
func (e *edges) confine(ctx context.Context) error {
	if e.q.Where != nil || e.q.WhereB != nil {
		e.q.Limit = 0 // edges of the sets do not tell how many rows there will be
	}
	for side, v := range e.views {
		c := &e.confined[side]
		for _, of := range []struct {
			sets **search.Sets
			must *search.Fields
			are  bool
		}{{&c.a, e.q.Where, e.against == 0 || side < e.against}, {&c.b, e.q.WhereB, e.against == 0 || side >= e.against}} {
			if !of.are {
				continue
			}
			sets, name, err := search.SetsOf(ctx, e.m, v, of.must)
			if err != nil {
				return err
			}
			if *of.sets = sets; sets != nil {
				e.asked = append(e.asked, api.FilterStat{Name: name, Safe: true, In: v.Sets, Out: int64(sets.GetCardinality())})
			}
		}
	}
	return nil
}

// keep confines the sides of groups to the sets with a document that is kept. An index of
// metadata spares the reading of all documents.
func (e *edges) keep(ctx context.Context) error {
	if e.q.Keep == nil {
		return nil
	}
	for side, v := range e.views {
		sets := new(search.Sets)
		look := func(id string, r record.DocumentRecord) error {
			if err := e.m.Interrupted(ctx); err != nil || r.Set == record.NoSet {
				return err
			}
			info, err := e.m.InfoOf(v, id, r)
			if err != nil {
				return err
			}
			ok, err := e.q.Keep(v.Name, info)
			if ok {
				sets.Add(r.Set)
			}
			return err
		}
		ids, name, known, err := search.IDsOf(ctx, e.m, v, e.q.Where)
		if err == nil && !known {
			name, err = "where", e.m.Records(v, look)
		}
		for _, id := range ids {
			if err != nil {
				return err
			}
			var r record.DocumentRecord
			if r, err = e.m.Record(v, id); err == nil {
				err = look(id, r)
			}
		}
		if err != nil {
			return err
		}
		e.confined[side] = confined{sets, sets}
		e.asked = append(e.asked, api.FilterStat{Name: name, Safe: true, In: v.Sets, Out: int64(sets.GetCardinality())})
	}
	return nil
}

// ordered says whether the sets of an edge come as a and b: in the order of the query, or
// of AGAINST.
func (e *edges) ordered() bool { return e.against > 0 || !e.q.Method().Symmetric() }

// may says whether two sets of a leg may have a row.
func (e *edges) may(l leg, from, to uint32) bool {
	f, t := &e.confined[l.from], &e.confined[l.to]
	return search.Has(f.a, from) && search.Has(t.b, to) || !e.ordered() && search.Has(f.b, from) && search.Has(t.a, to)
}

// pass is a join that looks for sets of one view in another.
type pass struct {
	leg
	of, in *search.Sets             // that are looked for, and where; nil: all
	again  func(of, in uint32) bool // whether another set or pass finds this pair too; nil: never
	access api.Access

	vectors bool // by words in memory, not by a search for each set
}

// passes cover the rows of a leg whose sets are confined. Where the measure allows it, the
// fewer sets are looked for among the more.
func (e *edges) passes(l leg) []pass {
	f, t := &e.confined[l.from], &e.confined[l.to]
	p := pass{leg: l, of: f.a, in: t.b}
	if !e.q.Method().Symmetric() {
		return []pass{p}
	}
	if fewer(p.in, p.of) {
		p.leg, p.of, p.in = leg{l.to, l.from}, p.in, p.of
	}
	if l.self() {
		p.again = func(x, y uint32) bool { return y < x && search.Has(p.of, y) && search.Has(p.in, x) }
		return []pass{p}
	}
	if e.against > 0 {
		return []pass{p}
	}
	o := pass{leg: l, of: f.b, in: t.a, again: func(x, y uint32) bool { return search.Has(f.a, x) && search.Has(t.b, y) }}
	if fewer(o.in, o.of) {
		o = pass{leg: leg{l.to, l.from}, of: t.a, in: f.b, again: func(x, y uint32) bool { return search.Has(f.a, y) && search.Has(t.b, x) }}
	}
	return []pass{p, o}
}

// fewer says whether some sets are fewer than others; nil are all.
func fewer(a, b *search.Sets) bool {
	return a != nil && (b == nil || a.GetCardinality() < b.GetCardinality())
}

// What a pass costs for each set that is looked for, in nanoseconds: its text is read, and
// it is looked up in the postings, or held against the signatures of others.
const (
	nanosPerProbe   = 60e3
	nanosPerLookup  = 150e3
	nanosPerCompare = 36.0
)

// confinedWay is the way of a leg whose sets are confined; false where a join of all is
// no slower. Fingerprints are joined in memory anyway.
func (e *edges) confinedWay(ctx context.Context, l leg) (w way, ok bool, err error) {
	f, t := &e.confined[l.from], &e.confined[l.to]
	if f.a == nil && f.b == nil && t.a == nil && t.b == nil || e.q.Measure == api.SimHash || e.q.Access == api.AccessInterval {
		return w, false, nil
	}
	w.passes = e.passes(l)
	nanos, looked := 0.0, uint64(0)
	for i := range w.passes {
		p := &w.passes[i]
		other := e.views[p.to]
		access, _, err := search.Choose(other, e.q)
		if err != nil {
			return w, false, err
		}
		of, in := uint64(e.views[p.from].Sets), uint64(other.Sets)
		if p.of != nil {
			of = p.of.GetCardinality()
		}
		if p.in != nil {
			in = p.in.GetCardinality()
		}
		each := float64(in) * nanosPerCompare
		if (access == api.AccessPrefix || access == api.AccessPostings) && each > nanosPerLookup {
			each = nanosPerLookup
		} else if e.q.Access == api.AccessAuto && !e.q.Measure.OfTexts() {
			access = api.AccessScan
		}
		p.access, w.access = access, access
		if e.wordsJoined(access) {
			why, cost := e.wordsWay(p)
			nanos, w.why = nanos+cost, "of the sets that WHERE may keep: "+why
			continue
		}
		nanos, looked = nanos+float64(of)*(nanosPerProbe+each), looked+of
	}
	w.nanos = nanos
	if w.why != "" {
		return w, true, nil
	}
	w.why = fmt.Sprintf("join: %d sets that WHERE may keep are looked for ≈ %.0f ms", looked, nanos/1e6)
	if o, shared, err := e.setsWay(ctx, l); err == nil && shared && e.q.Access == api.AccessAuto && o.nanos < nanos {
		return w, false, nil
	}
	return w, true, nil
}
