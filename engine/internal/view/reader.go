package view

// Reader of sets: ids, texts and bags.

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/shingle"
)

// Reader reads ids, texts and exact bags of a collection's sets. The store keeps no shingle
// hashes: Reader derives a bag from the text of any document of the set (docs/decisions/0002).
// Use it from one goroutine and close it.
type Reader struct {
	Snapshot *Snapshot
	View     *View
	texts    *pebble.Iterator
	key      []byte
	at       bool   // texts is at the first document of the set
	set      uint32 // bounds of texts

	records  map[*record.KeySpace]*pebble.Iterator
	features record.Features // result of Features

	ctx  context.Context // of the current call
	done func()          // releases the room of the last text
}

// Reader returns a reader of the view. The caller must close it.
func (m *Snapshot) Reader(v *View) *Reader { return &Reader{Snapshot: m, View: v, ctx: m.Closing} }

// Heed sets the context that cancels waiting for room and analysis.
func (r *Reader) Heed(ctx context.Context) { r.ctx = ctx }

// Free releases the room of the last text. Call it before anything else waits for room, because
// holding room while waiting for more deadlocks.
func (r *Reader) Free() {
	if r.done != nil {
		r.done()
		r.done = nil
	}
}

// Close releases room and iterators.
func (r *Reader) Close() (err error) {
	r.Free()
	if r.texts != nil {
		err = r.texts.Close()
	}
	for _, it := range r.records {
		err = errors.Join(err, it.Close())
	}
	return err
}

// seek moves to the first document of a set; ok is false if this snapshot has none.
func (r *Reader) seek(set uint32) (ok bool, err error) {
	if r.texts == nil {
		if r.texts, err = r.Snapshot.Pebble.NewIter(nil); err != nil {
			return false, disk.PebbleError(err)
		}
	}
	if r.at && r.set == set {
		return true, nil
	}
	r.key = keys.Append(r.key[:0], keys.Text, r.View.Number, set)
	r.texts.SetBounds(r.key, keys.End(r.key)) // skips tables without the set
	r.at, r.set = r.texts.First(), set
	return r.at, disk.PebbleError(r.texts.Error())
}

// IDs appends the ids of the set's documents in ascending order; none if the set has ended.
func (r *Reader) IDs(set uint32, dst []string) ([]string, error) { return r.IDsOf(set, 0, dst) }

// IDsOf is IDs with a known number of documents, or 0 if unknown. It stops after so many, since
// looking for another could read one more block. Check finds surplus documents, which would be
// damage.
func (r *Reader) IDsOf(set, documents uint32, dst []string) ([]string, error) {
	ok, err := r.seek(set)
	for n := uint32(1); ok; n++ {
		dst = append(dst, string(r.texts.Key()[len(r.key):]))
		if r.at = n == 1; n == documents {
			return dst, nil
		}
		ok = r.texts.Next()
	}
	r.at = false
	return dst, errors.Join(err, disk.PebbleError(r.texts.Error()))
}

// Cached returns the bag of a set, if in memory.
func (r *Reader) Cached(set uint32) (shingle.Bag, bool) {
	return r.Snapshot.Cached(r.View, set)
}

// Cached returns the bag of a set of the view, if in memory.
func (s *Shared) Cached(v *View, set uint32) (shingle.Bag, bool) {
	if bag, ok := v.Fresh.get(set); ok {
		return bag, true
	}
	return s.bags.get(s.cacheKey(v, set))
}

// Bag returns the bag of a set from the cache or its text.
func (r *Reader) Bag(set uint32) (shingle.Bag, error) {
	if bag, ok := r.Cached(set); ok {
		return bag, nil
	}
	bag, err := r.derive(set)
	if err == nil {
		r.Snapshot.bags.set(r.Snapshot.cacheKey(r.View, set), bag, bagBytes(bag))
	}
	return bag, err
}

// derive derives the bag from a text and bypasses the cache.
func (r *Reader) derive(set uint32) (bag shingle.Bag, err error) {
	defer r.Free()
	content, err := r.content(set)
	if err != nil {
		return bag, err
	}
	bag, err = Apart(r.ctx, r.Snapshot.Shared, int64(len(content)), func() (shingle.Bag, error) { return r.View.Schema.Bag(content), nil })
	if err != nil {
		return bag, err
	}
	if size := r.View.Table.Size(set); uint64(len(bag.Set)) != size.Distinct || bag.Total != size.Total {
		return bag, fault.Corrupt("set %d: the text has %d shingles (%d distinct), the record says %d (%d)", set, bag.Total, len(bag.Set), size.Total, size.Distinct)
	}
	return bag, nil
}

// Once is Bag without adding to the cache, for a bag that is not needed again.
func (r *Reader) Once(set uint32) (shingle.Bag, error) {
	if bag, ok := r.Cached(set); ok {
		return bag, nil
	}
	return r.derive(set)
}

// WithIDs returns the bag of a set and the ids of its documents in ascending order; documents is
// their number, or 0 for all. Read sets in ascending order, which is that of the store.
func (r *Reader) WithIDs(set, documents uint32) (bag shingle.Bag, ids []string, err error) {
	if bag, err = r.Once(set); err != nil {
		return bag, nil, err
	}
	ids, err = r.IDsOf(set, documents, nil)
	return bag, ids, err
}

// Text returns the text of any document of a set, after reserving room to analyse it. In a
// collection with features the texts of a set are equal.
func (r *Reader) Text(set uint32) (string, error) {
	content, err := r.content(set)
	if err != nil {
		return "", err
	}
	return r.View.Text(content)
}

// content returns the content of any document of a set, with room reserved.
func (r *Reader) content(set uint32) (string, error) {
	ok, err := r.seek(set)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fault.Corrupt("set %d has no document", set)
	}
	return r.contentHere()
}

// contentHere returns the content of the current document, with room reserved.
func (r *Reader) contentHere() (string, error) {
	value, err := r.texts.ValueAndErr()
	if err != nil {
		return "", disk.PebbleError(err)
	}
	r.Free()
	if r.done, err = r.Snapshot.Analysing(r.ctx, r.Snapshot.Codec.TextBytes(value)); err != nil {
		return "", err
	}
	text, err := r.Snapshot.decode(r.View, r.texts.Key(), value)
	if err != nil {
		return "", fmt.Errorf("document %q: %w", r.texts.Key()[len(r.key):], err)
	}
	return text, nil
}
