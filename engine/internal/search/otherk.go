package search

// Search by shingles of another length than the collection's. No index serves it, so every
// text is read again (docs/decisions/0059).

import (
	"context"
	"fmt"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// otherK explains why a search by a measure of bags reads every text; "" if the collection
// keeps the shingles of the measure.
func otherK(v *view.View, a api.Args) string {
	if !v.OtherK(a.K) {
		return ""
	}
	return fmt.Sprintf("every text is read, as collection %s keeps shingles of k = %d, not %d", v.Name, v.Analysis.K, a.K)
}

// RefuseOtherK returns an error if a method uses another shingle length than the collection
// keeps. feature names the operation in the message.
func RefuseOtherK(c *record.Schema, feature string, by api.Method) error {
	if !c.OtherK(by.Args.K) {
		return nil
	}
	return fault.Invalid("%s by %s: collection %q keeps shingles of k = %d; import its documents into a collection that was created WITH (k = %d)",
		feature, by.Measure.Describe(by.Args), c.Name, c.Analysis.K, by.Args.K)
}

// bagAt returns the bag of the target with shingles of k tokens.
func (t *target) bagAt(ctx context.Context, m *view.Snapshot, v *view.View, k int) (bag shingle.Bag, err error) {
	if _, err := t.readText(m); err != nil {
		return bag, err
	}
	content, err := view.Apart(ctx, m.Shared, int64(len(t.text)), func() (string, error) { return t.content(v) })
	if err != nil {
		return bag, err
	}
	done, err := m.Analysing(ctx, int64(len(content)))
	if err != nil {
		return bag, err
	}
	defer done()
	return view.Apart(ctx, m.Shared, int64(len(content)), func() (shingle.Bag, error) { return v.BagAt(content, k), nil })
}

// reread compares the probe, read with the k of the search, with every text that may match,
// on all cores.
func (f *Finder) reread(ctx context.Context, p Probe, from uint32) (hits []Hit, err error) {
	begun := time.Now()
	k, size := f.q.Args.K, measure.SizeOf(p.bag)
	all := f.live(from)
	sets := make([]uint32, 0, len(all))
	for _, set := range all {
		if f.longEnough(size, f.v.Table.Size(set), k) {
			sets = append(sets, set)
		}
	}
	f.plan.Filter("length", true, int64(len(all)), int64(len(sets)))
	defer f.plan.Compared(f.plan.Found(begun))
	type compared struct {
		documents int64
		hits      []Hit
	}
	err = view.EachSet(ctx, f.m, f.v, sets, func(r *view.Reader, set uint32) (c compared, err error) {
		// Documents of one set may differ at another k, so each is compared by itself.
		err = r.EachBagAt(set, k, func(id string, bag shingle.Bag) {
			c.documents++
			if score, ok := f.formula.Match(p.bag, bag, f.q.Min); ok {
				c.hits = append(c.hits, Hit{set, score, id})
			}
		})
		return c, err
	}, func(_ uint32, c compared) error {
		f.plan.Candidates += c.documents
		f.plan.Verified += c.documents
		hits = append(hits, c.hits...)
		return nil
	})
	return hits, err
}

// longEnough is a safe filter by the stored size of a set. If a text has n shingles of the
// collection's k₀, repetitions counted, it has n+k₀−1 tokens, and n+k₀−k shingles of k tokens,
// at least one. A text with a single shingle may be shorter than k₀ tokens. How often its
// shingles of k tokens repeat is unknown, so it always passes for a measure that counts
// repetitions. The number of distinct shingles is unknown too; the score is greatest if it
// equals the probe's.
func (f *Finder) longEnough(query, stored measure.Size, k int) bool {
	if stored.Total == 1 && !f.formula.OfSets() {
		return true
	}
	total := max(int64(stored.Total)+int64(f.v.Analysis.K)-int64(k), 1)
	doc := measure.Size{Distinct: min(query.Distinct, uint64(total)), Total: uint64(total)}
	b := f.formula.Bound(query, doc, doc.Distinct)
	return b.Shared > 0 && b.Reaches(f.q.Min)
}
