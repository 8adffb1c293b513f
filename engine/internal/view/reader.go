package view

// Reading sets: ids, texts, and the bags that are derived from texts, because hashes
// are not stored (docs/decisions/0002).

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

// Reader reads the sets of a collection: their ids, texts and exact bags. The
// 64-bit hashes of a bag are not stored. They are read again from the text of any
// document that has the set (docs/decisions/0002). A reader must be used from one
// goroutine and closed after use.
type Reader struct {
	Snapshot *Snapshot
	View     *View
	texts    *pebble.Iterator
	key      []byte
	at       bool   // texts is at the first document of set
	set      uint32 // that texts is bound to

	records  map[*record.KeySpace]*pebble.Iterator
	features record.Features // of the last set that was read

	ctx  context.Context // of the call that reads
	done func()          // gives the room of the last text back
}

// Reader reads the sets of a view.
func (m *Snapshot) Reader(v *View) *Reader { return &Reader{Snapshot: m, View: v, ctx: m.Closing} }

// Heed ends the reader's waiting with a context too.
func (r *Reader) Heed(ctx context.Context) { r.ctx = ctx }

// Free gives back the room that the last text is analysed in. It must be called before
// anything else may wait for room.
func (r *Reader) Free() {
	if r.done != nil {
		r.done()
		r.done = nil
	}
}

// Close ends the reading.
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

// seek moves to the first document of a set, if it has one in this snapshot.
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
	r.texts.SetBounds(r.key, keys.End(r.key)) // spares looking into tables without the set
	r.at, r.set = r.texts.First(), set
	return r.at, disk.PebbleError(r.texts.Error())
}

// IDs appends the ids of the documents that have the set, ascending; none if
// the set has ended.
func (r *Reader) IDs(set uint32, dst []string) ([]string, error) { return r.IDsOf(set, 0, dst) }

// IDsOf is IDs; the caller knows how many documents there are, or says 0. To see that
// there are no others may cost the reading of another block; should there be some, the
// store is damaged, as Check says.
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

// Cached returns the bag if it is in memory.
func (r *Reader) Cached(set uint32) (shingle.Bag, bool) {
	return r.Snapshot.Cached(r.View, set)
}

// Cached returns the bag of a set of the view if it is in memory.
func (s *Shared) Cached(v *View, set uint32) (shingle.Bag, bool) {
	if bag, ok := v.Fresh.get(set); ok {
		return bag, true
	}
	return s.bags.get(s.cacheKey(v, set))
}

// Bag returns the bag of a set of the view.
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

// derive reads the bag from a text, past the cache.
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

// Once is Bag for one use: it is not worth a place in the cache.
func (r *Reader) Once(set uint32) (shingle.Bag, error) {
	if bag, ok := r.Cached(set); ok {
		return bag, nil
	}
	return r.derive(set)
}

// WithIDs returns the bag of a set and the ids of its documents, ascending, so many
// or, if that is 0, all.
// Ascending sets are read in the order of the store.
func (r *Reader) WithIDs(set, documents uint32) (bag shingle.Bag, ids []string, err error) {
	if bag, err = r.Once(set); err != nil {
		return bag, nil, err
	}
	ids, err = r.IDsOf(set, documents, nil)
	return bag, ids, err
}

// Text returns the text of some document of a set, once there is room to analyse it. In
// a collection that keeps anything of texts all its documents have the same.
func (r *Reader) Text(set uint32) (string, error) {
	content, err := r.content(set)
	if err != nil {
		return "", err
	}
	return r.View.Text(content)
}

// content is what Text is part of.
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

// contentHere is content of the document that the reader stands at.
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
