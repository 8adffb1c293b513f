package engine

// Dictionaries: the phrases that compress the texts of a collection. A collection learns
// them early from a few texts, and again from many (docs/decisions/0023).

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/phrase"
)

const (
	// sampleBytes is the length of the text sample of a dictionary, excerptBytes the
	// maximum from one text.
	sampleBytes  = 512 << 10
	excerptBytes = 4 << 10
	// firstSampleBytes replaces sampleBytes in a load, which waits for its first
	// dictionary.
	firstSampleBytes = 128 << 10
	// maxPhrases is the maximum number of phrases; a small sample yields one phrase per
	// bytesPerPhrase. Doubling it saves another twentieth of real texts, but doubles the
	// memory.
	maxPhrases     = 4096
	bytesPerPhrase = 64
)

// makeDictionary chooses phrases from texts across the collection and logs them as a
// dictionary for later texts.
func (db *DB) makeDictionary(ctx context.Context, c *collection, m *view.Snapshot, v *view.View) error {
	sets := v.Live(0, v.Table.Len())
	step := max(len(sets)*int(min(excerptBytes, v.TextBytes/max(v.Documents, 1)))/sampleBytes, 1)
	var sample []string
	size := 0
	r := m.Reader(v)
	defer r.Close()
	for i := 0; i < len(sets) && size < sampleBytes; i += step {
		if err := m.Interrupted(ctx); err != nil {
			return err
		}
		text, err := r.Text(sets[i])
		if err != nil {
			return err
		}
		sample = append(sample, text[:min(len(text), excerptBytes)])
		size += len(sample[len(sample)-1])
	}
	return db.learn(c, sample, int64(len(sets)))
}

// learnFrom creates the first dictionary of a collection from a batch about to fill it: in
// a load, many texts are analysed before any is stored.
func (db *DB) learnFrom(ctx context.Context, b *Batch) error {
	var c *collection
	var sample []string
	size := 0
	for i := range b.ops {
		o := &b.ops[i]
		if o.kind != record.OpPut || c != nil && o.collection != c.Name {
			continue
		}
		if c == nil {
			var err error
			if c, err = db.collection(o.collection); err != nil {
				return err
			}
			if !c.dictionaries.Load().WantsFirst(int64(len(b.ops)), db.opts.SegmentSets) {
				return nil
			}
		}
		if size < firstSampleBytes {
			sample = append(sample, o.doc.Text[:min(len(o.doc.Text), excerptBytes)])
			size += len(sample[len(sample)-1])
		}
	}
	if c == nil || !c.dictionaries.Load().WantsFirst(int64(len(sample)), db.opts.SegmentSets) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.learn(c, sample, int64(len(sample)))
}

// learn logs a dictionary of phrases from a sample. sets is the number of sets that the
// sample represents.
func (db *DB) learn(c *collection, sample []string, sets int64) error {
	size := 0
	for _, text := range sample {
		size += len(text)
	}
	learned := phrase.Learn(sample, min(256+size/bytesPerPhrase, maxPhrases))
	_, _, err := db.commit(single(&dictionary{of{c}, learned.Append(binary.AppendUvarint(nil, uint64(sets)))}))
	if errors.Is(err, api.ErrNotFound) {
		return nil // dropped in between
	}
	return err
}

// dictionary adds a dictionary to a collection, for later texts.
type dictionary struct {
	of
	value []byte
}

func (o *dictionary) record() record.Operation {
	return record.Operation{Kind: record.OpDictionary, Number: o.c.Number, Value: o.value}
}

// apply stores the dictionary. Readers load the new list atomically.
func (o *dictionary) apply(a *applier) error {
	dictionaries := o.c.dictionaries.Load()
	longer, err := dictionaries.With(o.value)
	if err != nil {
		return err
	}
	o.c.dictionaries.Store(longer)
	return disk.SetSealed(a.Batch, o.c.Key(keys.Dictionary, uint32(dictionaries.Size())), o.value)
}
