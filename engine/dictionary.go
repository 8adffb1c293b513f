package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/phrase"
)

const (
	// sampleBytes is how much text the phrases of a book are chosen from, and
	// excerptBytes how much of one text.
	sampleBytes  = 512 << 10
	excerptBytes = 4 << 10
	// firstSampleBytes is sampleBytes for a load, which waits for its first book.
	firstSampleBytes = 128 << 10
	// maxPhrases is how many phrases a book has, if there is sample enough for one
	// in bytesPerPhrase. Twice as many save another twentieth of real texts, and
	// take twice the memory.
	maxPhrases     = 4096
	bytesPerPhrase = 64
)

// dictionary is what the texts of a collection are compressed with. What has been
// made once stays: texts stored since need it. A nil dictionary is none.
type dictionary struct {
	books  []*phrase.Book // the last is used for new texts
	learnt int64          // how many sets there were then
}

// wantsDictionary says whether so many sets have texts enough to choose phrases
// from, given how many become a posting segment. It is done twice: soon, so that
// the first texts are compressed too, and when there are enough to choose well.
func (c *collection) wantsDictionary(sets int64, segmentSets uint32) bool {
	enough := int64(segmentSets / 4)
	return c.wantsFirst(sets, segmentSets) || c.learnt() < enough && sets >= enough
}

// wantsFirst is wantsDictionary for the first of the two.
func (c *collection) wantsFirst(sets int64, segmentSets uint32) bool {
	some := int64(max(segmentSets/64, 1))
	return c.learnt() < some && sets >= some
}

// learnt is how many sets the newest book was made from.
func (c *collection) learnt() int64 {
	if d := c.dictionary.Load(); d != nil {
		return d.learnt
	}
	return 0
}

// makeDictionary chooses phrases from texts all over the collection and logs them
// as a book, which later texts are compressed with.
func (db *DB) makeDictionary(ctx context.Context, s *Snapshot, v *view) error {
	sets := v.live(0, v.next)
	step := max(len(sets)*int(min(excerptBytes, v.textBytes/max(v.documents, 1)))/sampleBytes, 1)
	var sample []string
	size := 0
	r := s.bags(v)
	defer r.close()
	for i := 0; i < len(sets) && size < sampleBytes; i += step {
		if err := s.interrupted(ctx); err != nil {
			return err
		}
		text, err := r.text(sets[i])
		if err != nil {
			return err
		}
		sample = append(sample, text[:min(len(text), excerptBytes)])
		size += len(sample[len(sample)-1])
	}
	return db.learn(v.collection, sample, int64(len(sets)))
}

// learnFrom makes the first book of a collection from a batch that is to fill it:
// a load has many texts on their way before any is stored.
func (db *DB) learnFrom(ctx context.Context, b *Batch) error {
	var c *collection
	var sample []string
	size := 0
	for i := range b.ops {
		o := &b.ops[i]
		if o.kind != opPut || c != nil && o.collection != c.name {
			continue
		}
		if c == nil {
			var err error
			if c, err = db.collection(o.collection); err != nil {
				return err
			}
			if !c.wantsFirst(int64(len(b.ops)), db.opts.segmentSets) {
				return nil
			}
		}
		if size < firstSampleBytes {
			sample = append(sample, o.doc.Text[:min(len(o.doc.Text), excerptBytes)])
			size += len(sample[len(sample)-1])
		}
	}
	if c == nil || !c.wantsFirst(int64(len(sample)), db.opts.segmentSets) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.learn(c, sample, int64(len(sample)))
}

// learn logs a book of phrases, chosen from a sample that so many sets gave.
func (db *DB) learn(c *collection, sample []string, sets int64) error {
	size := 0
	for _, text := range sample {
		size += len(text)
	}
	book := phrase.Learn(sample, min(256+size/bytesPerPhrase, maxPhrases))
	o := operation{kind: opBook, c: c, value: book.Append(binary.AppendUvarint(nil, uint64(sets)))}
	_, _, err := db.commit(prepared{ops: []operation{o}, record: o.encode(nil)})
	if errors.Is(err, ErrNotFound) {
		return nil // dropped meanwhile
	}
	return err
}

// addBook applies the record of makeDictionary.
func (a *applier) addBook(o *operation) error {
	var d dictionary
	if old := o.c.dictionary.Load(); old != nil {
		d = *old
	}
	key := o.c.key(keys.Dictionary, uint32(len(d.books)))
	d.books = slices.Clone(d.books)
	if err := d.add(o.value); err != nil {
		return err
	}
	o.c.dictionary.Store(&d)
	return a.batch.Set(key, o.value, nil)
}

// add takes a stored book: the number of sets it was made from as a varint, and
// the book itself.
func (d *dictionary) add(value []byte) error {
	learnt, n := binary.Uvarint(value)
	if n <= 0 {
		return corrupt("dictionary: %d bytes", len(value))
	}
	book, err := phrase.Parse(value[n:])
	if err != nil {
		return corrupt("dictionary: %w", err)
	}
	d.books, d.learnt = append(d.books, book), int64(learnt)
	return nil
}

// loadDictionary reads what a collection has.
func (db *DB) loadDictionary(c *collection) error {
	var d dictionary
	err := scan(db.pebble, c.key(keys.Dictionary), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil || int(n[1]) != len(d.books) {
			return corrupt("dictionary key %x", key)
		}
		return d.add(value)
	})
	if err != nil || len(d.books) == 0 {
		return err
	}
	c.dictionary.Store(&d)
	return nil
}
