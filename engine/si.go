package engine

import (
	"context"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/sketch"
)

// siOf is the similarity index that a search means.
func (v *view) siOf(a measure.Args) (sketch.SI, error) {
	if a.SI != "" {
		si, err := sketch.ParseSI(a.SI)
		if err != nil {
			return si, invalid("%w", err)
		}
		return si, nil
	}
	if len(v.kept.si) == 0 {
		return sketch.SI{}, invalid("collection %q keeps no similarity index: say which, as si(method=43, variation='B', k=40)", v.name)
	}
	return v.kept.si[0], nil
}

// siProbe compares similarity indexes (paper 000): with a distance d between
// that of the probe, s, and another, sim is 1 − d/|s|. So the values strictly
// within 30 % of s are those with sim > 70 %; an index of 0 is like none, not
// even itself.
type siProbe struct {
	si    sketch.SI
	which int // of those that the collection keeps; negative: none
	value SI
}

func (v *view) newSIProbe(a measure.Args, text string) (*siProbe, error) {
	si, err := v.siOf(a)
	if err != nil {
		return nil, err
	}
	return &siProbe{si: si, which: slices.Index(v.kept.si, si), value: valueOf(si, text)}, nil
}

func (p *siProbe) score(doc string) measure.Score { return p.compare(valueOf(p.si, doc)) }

func valueOf(si sketch.SI, doc string) SI {
	v, ok := si.Value(doc)
	return SI{v, ok}
}

func (p *siProbe) scoreSet(r *bagReader, set uint32) (measure.Score, error) {
	value, err := r.si(set, p.si, p.which)
	return p.compare(value), err
}

// si returns a similarity index of a set, from its record if it is one of those
// that the collection keeps.
func (r *bagReader) si(set uint32, si sketch.SI, which int) (SI, error) {
	if which >= 0 {
		f, err := readFeatures(r.s.pebble, r.v.collection, set)
		if err != nil {
			return SI{}, err
		}
		return f.si[which], nil
	}
	doc, err := r.text(set)
	if err != nil {
		return SI{}, err
	}
	return valueOf(si, doc), nil
}

// foundSI returns the similarity index by which a search found a hit.
func (r *bagReader) foundSI(h hit, a measure.Args) (SI, error) {
	si, err := r.v.siOf(a)
	if err != nil {
		return SI{}, err
	}
	if h.id == "" {
		return r.si(h.set, si, slices.Index(r.v.kept.si, si))
	}
	doc, err := r.s.text(r.v, h.set, h.id)
	if err != nil {
		return SI{}, err
	}
	return valueOf(si, doc), nil
}

func (p *siProbe) compare(other SI) measure.Score {
	if !p.value.Valid || !other.Valid {
		return measure.Score{}
	}
	size, dist := sketch.Magnitude(p.value.Value), distance(p.value.Value, other.Value)
	return measure.Score{Shared: size - min(size, dist), Union: size, Of: size}
}

// candidates is a range scan over the values in order.
func (p *siProbe) candidates(ctx context.Context, f *finder, from uint32) (out []uint32, err error) {
	if !p.value.Valid {
		return nil, nil
	}
	size := sketch.Magnitude(p.value.Value)
	low, high := sketch.Around(p.value.Value, size-min(size, f.q.Min.Ceil(size)))
	c, which := f.v.collection, uint32(p.which)
	it, err := f.s.pebble.NewIter(&pebble.IterOptions{
		LowerBound: keys.OfSI(c.number, which, low), UpperBound: keys.End(keys.OfSI(c.number, which, high)),
	})
	if err != nil {
		return nil, storeError(err)
	}
	defer it.Close()
	n := int64(0)
	for ok := it.First(); ok; ok = it.Next() {
		if n++; n%1024 == 0 {
			if err := f.s.interrupted(ctx); err != nil {
				return nil, err
			}
		}
		_, set, err := keys.SIEntry(it.Key())
		if err != nil {
			return nil, corrupt("%w", err)
		}
		out = append(out, set)
	}
	f.plan.filter("si range", true, f.v.sets, n)
	return f.v.liveOf(out, from), storeError(it.Error())
}

// distance is |a − b|.
func distance(a, b int64) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(b) - uint64(a)
}
