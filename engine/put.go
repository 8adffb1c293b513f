package engine

// Storing a document. Its text is analysed before the commit mutex, and again in a replay,
// because the log contains only the text.

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// put stores a document.
type put struct {
	document
	meta      []byte
	text      []byte // stored form
	textBytes int64
	*record.Derived
	place int // in the caller's batch

	fields record.FieldValues         // for the index of metadata fields
	alike  map[uint32]condition.Alike // similar sets, by grouping
	hash   [32]byte                   // of the text, for the ledger
}

func (o *put) record() record.Operation {
	return record.Operation{Kind: record.OpPut, Number: o.c.Number, Name: o.id, Meta: o.meta, Text: o.text}
}

// derive analyses the document of a put, outside of the commit mutex.
func (db *DB) derive(ctx context.Context, o *put, doc *api.Document, maxText int64) error {
	c := o.c
	content, err := view.Apart(ctx, db.shared, int64(len(doc.Text)), func() (string, error) { return c.Content(doc) })
	if err != nil {
		return err
	}
	if int64(len(content)) > maxText {
		return fmt.Errorf("%w: %d bytes of text and tokens, the limit is %d", api.ErrTooLarge, len(content), maxText)
	}
	done, err := db.shared.Analysing(ctx, int64(len(content)))
	if err != nil {
		return err
	}
	defer done()
	o.textBytes = int64(len(content))
	if o.Derived, err = view.Apart(ctx, db.shared, o.textBytes, func() (*record.Derived, error) { return c.Derive(content) }); err != nil {
		return err
	}
	o.text = db.shared.Codec.Encode(content, c.dictionaries.Load())
	if err := db.observers.derive(o); err != nil {
		return err
	}
	return db.observers.prepare(o, content)
}

// deriveLogged analyses a put from the log.
func (db *DB) deriveLogged(o *put) (err error) {
	if o.textBytes, o.Derived, err = db.deriveAgain(o.c, o.text); err != nil {
		return err
	}
	return db.observers.derive(o)
}

// deriveAgain derives the set and features from the stored form of a text. It also returns
// the length of the text.
func (db *DB) deriveAgain(c *collection, text []byte) (bytes int64, d *record.Derived, err error) {
	s := db.shared
	done, err := s.Analysing(s.Closing, s.Codec.TextBytes(text))
	if err != nil {
		return 0, nil, err
	}
	defer done()
	content, err := s.Codec.Decode(text, c.dictionaries.Load())
	if err != nil {
		return 0, nil, err
	}
	bytes = int64(len(content))
	d, err = view.Apart(s.Closing, s, bytes, func() (*record.Derived, error) { return c.Derive(content) })
	return bytes, d, err
}

// apply stores the document, moves it to its new set and updates the observers.
func (o *put) apply(a *applier) error {
	c := o.c
	a.touch(c)
	old, err := a.db.document(c, o.id)
	if err != nil {
		return err
	}
	r := record.DocumentRecord{TextBytes: o.textBytes, Written: a.at, Meta: o.meta}
	if r.Set, r.Joined, err = a.join(o); err != nil {
		return err
	}
	if old == nil {
		c.remember(seenID(o.id), a.db.opts.MemoryBytes)
		a.stats.Inserted++
		c.Documents++
	} else {
		a.stats.Replaced++
		if err := a.forget(&o.document, old, r.Set, old.Set == r.Set); err != nil {
			return err
		}
	}
	if err := a.db.observers.written(a, write{&o.document, old, r.Set, o.fields}); err != nil {
		return err
	}
	c.TextBytes += o.textBytes
	if r.Joined {
		key := keys.WithID(keys.OfJoined(c.Number, a.at.Record), o.id)
		if err := a.Store(key, binary.BigEndian.AppendUint32(nil, r.Set)); err != nil {
			return err
		}
	}
	if err := a.StoreSealed(keys.WithID(c.Key(keys.Document), o.id), r.Encode()); err != nil {
		return err
	}
	return a.StoreSealed(keys.WithID(c.Key(keys.Text, r.Set), o.id), o.text)
}
