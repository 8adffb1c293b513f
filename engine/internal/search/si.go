package search

// Similarity indexes of paper 000: one number per text, stored in order.

import (
	"cmp"
	"context"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// siOf returns the similarity index that a search compares: the one in its arguments, or the
// first that the collection keeps.
func siOf(v *view.View, a api.Args) (sketch.SI, error) {
	if a.SI != "" {
		si, err := sketch.ParseSI(a.SI)
		if err != nil {
			return si, fault.Invalid("%w", err)
		}
		return si, nil
	}
	if len(v.Kept.SI) == 0 {
		return sketch.SI{}, fault.Invalid("collection %q keeps no similarity index: name one, as in si(method=43, variation='B', k=40)", v.Name)
	}
	return v.Kept.SI[0], nil
}

// siProbe compares similarity indexes (paper 000). For an index s of the probe and a
// distance d, sim is 1 − d/|s|, so values within 30 % of s have sim > 70 %. An index of 0
// matches nothing.
type siProbe struct {
	si    sketch.SI
	which int // place among the indexes that the collection keeps; negative: not kept
	value api.SIValue
}

// ofIndexes implements the measure si.
var ofIndexes = textMeasure{
	probe: func(v *view.View, by api.Method, _ *measure.Reading, text string) (textProbe, error) {
		return newSIProbe(v, by.Args, text)
	},
	keeps: func(v *view.View, a api.Args) (bool, string, error) {
		si, err := siOf(v, a)
		return slices.Contains(v.Kept.SI, si), "si = '" + si.String() + "'", err
	},
	ofView: func(v *view.View) (a api.Args) {
		if len(v.Kept.SI) == 0 {
			a.SI = defaultSI
		}
		return a
	},
	counts: func(v *view.View, by api.Method, doc string) (bool, error) {
		return counts(newSIProbe(v, by.Args, doc))
	},
}

// defaultSI is the index to compare where the collection keeps none: paper 000 found it
// best.
const defaultSI = "m43b k40"

// newSIProbe computes the index of text.
func newSIProbe(v *view.View, a api.Args, text string) (*siProbe, error) {
	si, err := siOf(v, a)
	if err != nil {
		return nil, err
	}
	return &siProbe{si: si, which: slices.Index(v.Kept.SI, si), value: record.SIOf(si, text)}, nil
}

// countsNothing reports whether the index is 0 or invalid, and so matches nothing.
func (p *siProbe) countsNothing() bool { return !p.value.Valid || p.value.Value == 0 }

// score computes the index of doc.
func (p *siProbe) score(_ context.Context, doc string) (measure.Score, error) {
	return p.compare(record.SIOf(p.si, doc)), nil
}

// scoreSet reads the stored index where possible.
func (p *siProbe) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	value, err := siOfSet(ctx, r, set, p.si, p.which)
	return p.compare(value), err
}

// siOfSet returns a similarity index of a set. It reads the record if the collection keeps
// the index, and computes it from the text otherwise.
func siOfSet(ctx context.Context, r *view.Reader, set uint32, si sketch.SI, which int) (api.SIValue, error) {
	if which >= 0 {
		f, err := r.Features(set)
		if err != nil {
			return api.SIValue{}, err
		}
		return f.SI[which], nil
	}
	defer r.Free()
	doc, err := r.Text(set)
	if err != nil {
		return api.SIValue{}, err
	}
	return view.Apart(ctx, r.Snapshot.Shared, int64(len(doc)), func() (api.SIValue, error) { return record.SIOf(si, doc), nil })
}

// foundSI returns the similarity index of a hit.
func foundSI(ctx context.Context, r *view.Reader, h Hit, a api.Args) (api.SIValue, error) {
	si, err := siOf(r.View, a)
	if err != nil {
		return api.SIValue{}, err
	}
	if h.id == "" {
		return siOfSet(ctx, r, h.Set, si, slices.Index(r.View.Kept.SI, si))
	}
	doc, err := r.Snapshot.Text(r.View, h.Set, h.id)
	if err != nil {
		return api.SIValue{}, err
	}
	return view.Apart(ctx, r.Snapshot.Shared, int64(len(doc)), func() (api.SIValue, error) { return record.SIOf(si, doc), nil })
}

// compare scores the index of the probe against another. Invalid indexes score 0.
func (p *siProbe) compare(other api.SIValue) measure.Score {
	if !p.value.Valid || !other.Valid {
		return measure.Score{}
	}
	return CompareSI(p.value.Value, other.Value)
}

// candidates scans the range of matching values in order.
func (p *siProbe) candidates(ctx context.Context, f *Finder, from uint32) (out []uint32, err error) {
	if !p.value.Valid {
		return nil, nil
	}
	low, high := SIAround(p.value.Value, f.q.Min)
	c, which := f.v.Schema, uint32(p.which)
	err = disk.ScanTo(f.m.Pebble, keys.OfSI(c.Number, which, low), keys.End(keys.OfSI(c.Number, which, high)), func(key, _ []byte) error {
		_, set, err := keys.SIEntry(key)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		if out = append(out, set); len(out)%1024 == 0 {
			return f.m.Interrupted(ctx)
		}
		return nil
	})
	f.plan.Filter("si range", true, f.v.Sets, int64(len(out)))
	return f.v.LiveOf(out, from), err
}

// distance returns |a − b|.
func distance(a, b int64) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(b) - uint64(a)
}

// SIValue is a set with its similarity index.
type SIValue struct {
	Value int64
	Set   uint32
}

// SIValues returns the similarity indexes of all sets, ascending. The collection must keep
// the index.
func SIValues(ctx context.Context, m *view.Snapshot, v *view.View, a api.Args) (out []SIValue, err error) {
	si, err := siOf(v, a)
	if err != nil {
		return nil, err
	}
	which := slices.Index(v.Kept.SI, si)
	err = view.EachFeatures(ctx, m, v, func(set uint32, f *record.Features) bool {
		if x := f.SI[which]; x.Valid {
			out = append(out, SIValue{x.Value, set})
		}
		return true
	})
	slices.SortFunc(out, func(a, b SIValue) int { return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Set, b.Set)) })
	return out, err
}

// CompareSI returns the score of two similarity indexes. It is relative to the query's.
func CompareSI(query, doc int64) measure.Score {
	size, dist := sketch.Magnitude(query), distance(query, doc)
	return measure.Score{Shared: size - min(size, dist), Union: size, Of: size}
}

// SIAround returns the range of similarity indexes that may score ≥ t with a query's.
func SIAround(query int64, t api.Threshold) (low, high int64) {
	size := sketch.Magnitude(query)
	return sketch.Around(query, size-min(size, t.Ceil(size)))
}
