package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/simdb/simdb/keys"
)

const (
	// dictionaryBytes is how much text a dictionary holds. Twice as much saves
	// another hundredth of the text only.
	dictionaryBytes = 32 << 10
	// excerptBytes is how much of a text goes into the dictionary at most.
	excerptBytes = 1 << 10
	// maxDictionaryText is the longest text that is compressed with the
	// dictionary: longer ones bring their own history.
	maxDictionaryText = 64 << 10
	dictionaryID      = 1
)

// dictionary is text that the texts of a collection are compressed against, as
// if it stood before each. Texts of 2 kB take a quarter less with it. Once made
// it never changes: every text stored since needs it.
type dictionary struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newDictionary(content []byte, maxText int64) (*dictionary, error) {
	enc, err := newEncoder(zstd.WithEncoderDictRaw(dictionaryID, content))
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	dec, err := newDecoder(maxText, zstd.WithDecoderDictRaw(dictionaryID, content))
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	return &dictionary{enc, dec}, nil
}

// wantsDictionary says whether so many sets have texts enough to make one of,
// given how many become a posting segment.
func (c *collection) wantsDictionary(sets int64, segmentSets uint32) bool {
	return c.dictionary.Load() == nil && sets >= int64(segmentSets/4)
}

// makeDictionary takes excerpts of texts all over the collection and logs them
// as its dictionary, which later texts are compressed with.
func (db *DB) makeDictionary(ctx context.Context, s *Snapshot, v *view) error {
	sets := v.live(0, v.next)
	step := max(len(sets)*excerptBytes/dictionaryBytes/2, 1)
	var content []byte
	r := s.bags(v)
	defer r.close()
	for i := 0; i < len(sets) && len(content) < dictionaryBytes; i += step {
		if err := s.interrupted(ctx); err != nil {
			return err
		}
		text, err := r.text(sets[i])
		if err != nil {
			return err
		}
		content = append(content, text[:min(len(text), excerptBytes, dictionaryBytes-len(content))]...)
	}
	o := operation{kind: opDictionary, c: v.collection, value: content}
	_, _, err := db.commit(prepared{ops: []operation{o}, record: o.encode(nil)})
	if errors.Is(err, ErrNotFound) {
		return nil // dropped meanwhile
	}
	return err
}

// setDictionary applies the record of makeDictionary.
func (a *applier) setDictionary(o *operation) error {
	d, err := newDictionary(o.value, a.db.opts.MaxDocBytes)
	if err != nil {
		return err
	}
	o.c.dictionary.Store(d)
	return a.batch.Set(o.c.key(keys.Dictionary), o.value, nil)
}

func (db *DB) loadDictionary(c *collection) error {
	content, err := get(db.pebble, c.key(keys.Dictionary))
	if err != nil || content == nil {
		return err
	}
	d, err := newDictionary(content, db.opts.MaxDocBytes)
	if err != nil {
		return err
	}
	c.dictionary.Store(d)
	return nil
}
