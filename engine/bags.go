package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
	"github.com/simdb/simdb/sketch"
)

// bagReader gives the exact bags of a collection's sets: the 64-bit hashes are
// not stored but read again from the text of any document that has the set
// (docs/decisions/0002). For one goroutine; close it.
type bagReader struct {
	s     *Snapshot
	v     *view
	texts *pebble.Iterator
	key   []byte
	at    bool   // texts is at the first document of set
	set   uint32 // that texts is bound to

	gramRecords *pebble.Iterator
}

func (s *Snapshot) bags(v *view) *bagReader { return &bagReader{s: s, v: v} }

func (r *bagReader) close() (err error) {
	for _, it := range []*pebble.Iterator{r.texts, r.gramRecords} {
		if it != nil {
			err = errors.Join(err, it.Close())
		}
	}
	return err
}

// seek moves to the first document of a set, if it has one in this snapshot.
func (r *bagReader) seek(set uint32) (ok bool, err error) {
	if r.texts == nil {
		if r.texts, err = r.s.pebble.NewIter(nil); err != nil {
			return false, storeError(err)
		}
	}
	if r.at && r.set == set {
		return true, nil
	}
	r.key = keys.Append(r.key[:0], keys.Text, r.v.number, set)
	r.texts.SetBounds(r.key, keys.End(r.key)) // spares looking into tables without the set
	r.at, r.set = r.texts.First(), set
	return r.at, storeError(r.texts.Error())
}

// ids appends the ids of the documents that have the set, ascending; none if
// the set has ended.
func (r *bagReader) ids(set uint32, dst []string) ([]string, error) { return r.idsOf(set, 0, dst) }

// idsOf is ids for who knows how many documents there are; 0 if not. To see that
// there are no others may cost the reading of another block; should there be some, the
// store is damaged, as Check says.
func (r *bagReader) idsOf(set, documents uint32, dst []string) ([]string, error) {
	ok, err := r.seek(set)
	for n := uint32(1); ok; n++ {
		dst = append(dst, string(r.texts.Key()[len(r.key):]))
		if r.at = n == 1; n == documents {
			return dst, nil
		}
		ok = r.texts.Next()
	}
	r.at = false
	return dst, errors.Join(err, storeError(r.texts.Error()))
}

// cached returns the bag if it is in memory.
func (r *bagReader) cached(set uint32) (shingle.Bag, bool) {
	if bag, ok := r.v.fresh.get(set); ok {
		return bag, true
	}
	return r.s.db.cache.bags.Get(bagKey(r.v.collection, set))
}

// bag returns the bag of a set of the view.
func (r *bagReader) bag(set uint32) (shingle.Bag, error) {
	if bag, ok := r.cached(set); ok {
		return bag, nil
	}
	bag, err := r.derive(set)
	if err == nil {
		r.s.db.cache.bags.Set(bagKey(r.v.collection, set), bag, bagBytes(bag))
	}
	return bag, err
}

// derive reads the bag from a text, past the cache.
func (r *bagReader) derive(set uint32) (bag shingle.Bag, err error) {
	text, err := r.text(set)
	if err != nil {
		return bag, err
	}
	bag = r.v.analysis.Bag(text)
	if size := r.v.table.Size(set); uint64(len(bag.Set)) != size.Distinct || bag.Total != size.Total {
		return bag, corrupt("set %d: the text has %d shingles (%d distinct), the record says %d (%d)", set, bag.Total, len(bag.Set), size.Total, size.Distinct)
	}
	return bag, nil
}

// once is bag for one use: it is not worth a place in the cache.
func (r *bagReader) once(set uint32) (shingle.Bag, error) {
	if bag, ok := r.cached(set); ok {
		return bag, nil
	}
	return r.derive(set)
}

// withIDs returns the bag of a set and the ids of its documents, ascending, so many
// or, if that is 0, all.
// Ascending sets are read in the order of the store.
func (r *bagReader) withIDs(set, documents uint32) (bag shingle.Bag, ids []string, err error) {
	if bag, err = r.once(set); err != nil {
		return bag, nil, err
	}
	ids, err = r.idsOf(set, documents, nil)
	return bag, ids, err
}

// text returns the text of some document of a set. In a collection that keeps
// anything of texts all its documents have the same.
func (r *bagReader) text(set uint32) (string, error) {
	ok, err := r.seek(set)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", corrupt("set %d has no document", set)
	}
	value, err := r.texts.ValueAndErr()
	if err != nil {
		return "", storeError(err)
	}
	text, err := r.s.db.codec.decode(value, r.v.dictionary.Load())
	if err != nil {
		return "", fmt.Errorf("document %q: %w", r.texts.Key()[len(r.key):], err)
	}
	return text, nil
}

// query reads a set as a measure needs it.
func (r *bagReader) query(set uint32, m measure.Measure) (q query, err error) {
	q.facts, q.of, q.set = r.v.facts(set), r.v, set
	switch {
	case m.OfBags():
		q.bag, err = r.bag(set)
	case m.OfTexts():
		q.text, err = r.text(set)
	}
	return q, err
}

// posted is what the postings of a set are made of.
type posted struct {
	bag      shingle.Bag
	features features
	words    measure.Vector
}

func (r *bagReader) posted(set uint32) (p posted, err error) {
	if p.bag, err = r.once(set); err != nil {
		return p, err
	}
	k := &r.v.kept
	if k.record() {
		if p.features, err = readFeatures(r.s.pebble, r.v.collection, set); err != nil {
			return p, err
		}
	}
	if k.patricia {
		if p.features.grams, err = r.grams(set); err != nil {
			return p, err
		}
		p.features.grams = slices.Clone(p.features.grams)
	}
	if k.words {
		doc, err := r.text(set)
		if err != nil {
			return p, err
		}
		p.words = measure.WordsOf(doc)
	}
	return p, nil
}

// grams returns the chosen grams of a set. They are valid until the next call.
func (r *bagReader) grams(set uint32) (sketch.Grams, error) {
	if r.gramRecords == nil { // ascending sets lie in few blocks: an iterator reads each once
		prefix := r.v.key(keys.Grams)
		var err error
		if r.gramRecords, err = r.s.pebble.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: keys.End(prefix)}); err != nil {
			return nil, storeError(err)
		}
	}
	r.key = keys.Append(r.key[:0], keys.Grams, r.v.number, set)
	if !r.gramRecords.SeekGE(r.key) || !bytes.Equal(r.gramRecords.Key(), r.key) {
		if err := r.gramRecords.Error(); err != nil {
			return nil, storeError(err)
		}
		return nil, corrupt("grams of set %d are missing", set)
	}
	b, err := r.gramRecords.ValueAndErr()
	if err == nil && len(b)%4 != 0 {
		err = corrupt("grams of set %d: a record of %d bytes", set, len(b))
	}
	return b, storeError(err)
}

// eachSet calls yield with what derive makes of sets of the view, in their
// order, on all cores. At most a few chunks are in memory.
func eachSet[T any](ctx context.Context, s *Snapshot, v *view, numbers []uint32, derive func(*bagReader, uint32) (T, error), yield func(set uint32, item T) error) error {
	const chunk = 32
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	chunks := (len(numbers) + chunk - 1) / chunk
	w := min(workers(), max(1, chunks))
	out := make([]chan []T, w) // chunk i comes from worker i mod w, so order is kept
	for i := range w {
		out[i] = make(chan []T, 2)
		g.Go(func() error {
			defer close(out[i])
			r := s.bags(v)
			defer r.close()
			for c := i; c < chunks; c += w {
				part := numbers[c*chunk : min((c+1)*chunk, len(numbers))]
				items := make([]T, len(part))
				for j, set := range part {
					if err := s.interrupted(ctx); err != nil {
						return err
					}
					var err error
					if items[j], err = derive(r, set); err != nil {
						return err
					}
				}
				select {
				case out[i] <- items:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		for c := range chunks {
			items, ok := <-out[c%w]
			if !ok {
				return nil // its worker's error is the group's
			}
			for j, item := range items {
				if err := yield(numbers[c*chunk+j], item); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return g.Wait()
}

// live lists the numbers in [lo,hi) that have a set.
func (v *view) live(lo, hi uint32) []uint32 {
	var out []uint32
	for set := lo; set < min(hi, v.table.Len()); set++ {
		if v.table.Size(set).Distinct > 0 {
			out = append(out, set)
		}
	}
	return out
}

// facts gathers what is in memory of a set.
func (v *view) facts(set uint32) index.Facts {
	return index.Facts{
		Size: v.table.Size(set), Collisions: v.table.Collisions(set),
		SimHash: v.table.SimHash(set), Signature: v.table.Signature(set),
	}
}
