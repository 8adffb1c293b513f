package engine

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/keys"
)

// clearOlder begins to convert a store of an earlier format: what is derived of
// documents and stored in another way goes, in one batch with the note that it has
// gone. From format 3 that is the postings, which the builder makes anew; from
// earlier ones all, and the documents wait in key spaces that this format does
// not use. After a crash at any time the next Open goes on, as the state file
// tells it; the note stays, so that it does not begin again.
func (db *DB) clearOlder(from int) error {
	note := []byte{readAsIs}
	noted, err := get(db.pebble, keys.Of(keys.Cleared))
	if err != nil || bytes.Equal(noted, note) {
		return err
	}
	if len(noted) > 0 && noted[0] >= 3 { // a simdb of that format has begun, and may have come to the end but for the state file
		from = 3
	}
	b := db.pebble.NewBatch()
	defer b.Close()
	derived := []keys.Space{keys.Index, keys.Order}
	if from < 3 {
		derived = slices.DeleteFunc(slices.Clone(keys.PerCollection), func(s keys.Space) bool { return s == keys.Collection })
	}
	for _, s := range append(derived, keys.OlderDirectory, keys.OlderPage) {
		if err := deleteUnder(b, keys.Of(s)); err != nil {
			return err
		}
	}
	if err := b.Set(keys.Of(keys.Cleared), note, nil); err != nil {
		return err
	}
	return b.Commit(pebble.NoSync)
}

// putOlder stores the documents of the earlier format in this one. It comes
// before the log is replayed: they are what the log's records change.
func (db *DB) putOlder() error {
	for _, c := range db.collections {
		if err := db.putOlderOf(c); err != nil {
			return fmt.Errorf("collection %q: %w", c.name, err)
		}
	}
	b := db.pebble.NewBatch()
	defer b.Close()
	for _, s := range []keys.Space{keys.OlderDocument, keys.OlderText} {
		if err := deleteUnder(b, keys.Of(s)); err != nil {
			return err
		}
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return err
	}
	return db.flush(db.ctx)
}

func (db *DB) putOlderOf(c *collection) error {
	a := again{store: db.applyOlder}
	prefix := c.key(keys.OlderDocument)
	err := scan(db.pebble, prefix, func(key, value []byte) error {
		id := string(key[len(prefix):])
		r, err := decodeDocumentRecord(value)
		if err != nil {
			return err
		}
		d := Document{Collection: c.name, ID: id}
		if d.Meta, err = decodeMeta(r.meta); err != nil {
			return fmt.Errorf("document %q: %w", id, err)
		}
		stored, err := get(db.pebble, keys.WithID(c.key(keys.OlderText), id))
		if err != nil {
			return err
		}
		if d.Text, err = db.codec.decode(stored, nil); err != nil {
			return fmt.Errorf("document %q: %w", id, err)
		}
		return a.add(d, r)
	})
	if err != nil {
		return err
	}
	return a.flush()
}

// applyOlder stores documents without logging them.
func (db *DB) applyOlder(b *Batch) error {
	p, err := db.prepare(b, maxTextBytes)
	if err != nil {
		return err
	}
	db.mu.Lock()
	_, err = db.apply(db.seq, p.ops)
	db.mu.Unlock()
	if err == nil && db.unflushed.Load() > maxUnflushed*db.opts.memTableBytes {
		err = db.flush(db.ctx)
	}
	return err
}
