package engine

// Conversion of texts that were analysed with the Unicode tables of another Go release
// (docs/decisions/0011).

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// mayReadAgain returns ErrUnicode for a collection that needs a conversion which the
// options do not permit: its texts were analysed with another Unicode version, was. By
// default a store converts only to newer tables: otherwise two programs that alternate
// would convert it back and forth.
func (db *DB) mayReadAgain(name, was string) error {
	now := db.opts.unicode
	if was == now {
		return nil
	}
	refuse := func(advice string) error {
		return fmt.Errorf("%w: those of collection %q with Unicode %s, this program has Unicode %s; %s", api.ErrUnicode, name, was, now, advice)
	}
	switch older := olderVersion(was, now); {
	case db.opts.ReadOnly:
		return refuse("open it for writing once to convert it")
	case db.opts.Convert == api.ConvertNever:
		return refuse("permit the conversion on opening")
	case !older && db.opts.Convert != api.ConvertAlways:
		return refuse("use a program built with a newer Go, or convert the store always")
	}
	return nil
}

// olderVersion reports whether version a is older than b, as 9.0.0 is older than 15.0.0.
// Invalid versions count as old.
func olderVersion(a, b string) bool {
	numbers := func(version string) (out []int) {
		for part := range strings.SplitSeq(version, ".") {
			n, _ := strconv.Atoi(part)
			out = append(out, n)
		}
		return out
	}
	return cmp.Or(slices.Compare(numbers(a), numbers(b)), cmp.Compare(a, b)) < 0
}

// readAgain analyses again the collections that used the Unicode tables of another Go
// release, because lower case and normal forms of newly assigned characters may differ. It
// puts every document again and rebuilds the groups. After a crash the old version is still
// recorded, and the next Open starts over.
func (db *DB) readAgain() error {
	var total, done int64
	for _, c := range db.outdated {
		total += c.Documents
	}
	for _, c := range db.outdated {
		if c.dropped { // by a replayed log record
			continue
		}
		err := db.readCollectionAgain(c, func() {
			done++
			db.opts.OpenProgress(api.OpenProgress{Step: api.StepReadAgain, Done: done, Total: total})
		})
		if err != nil {
			return fmt.Errorf("collection %q: %w", c.Name, err)
		}
	}
	db.outdated = nil
	return nil
}

// readCollectionAgain converts one collection, and records the new version last.
func (db *DB) readCollectionAgain(c *collection, counted func()) error {
	db.opts.Logger.Info("reading texts again with other Unicode tables", "collection", c.Name, "documents", c.Documents)
	s := db.snapshot()
	defer s.close()
	m := s.view
	v, err := m.View(c.Name)
	if err != nil {
		return err
	}
	a := again{store: db.putAgain}
	err = m.Records(v, func(id string, r record.DocumentRecord) error {
		if err := db.shared.Closing.Err(); err != nil {
			return err
		}
		d, err := m.Document(v, id, r)
		if err != nil {
			return err
		}
		counted()
		return a.add(d, len(r.Meta))
	})
	if err == nil {
		err = a.flush()
	}
	if err == nil {
		err = db.regroup(c)
	}
	if err != nil {
		return err
	}
	value, err := c.Schema.Encode()
	if err != nil {
		return err
	}
	// Not logged: if it is lost, the next Open repeats the conversion.
	if err := db.disk.Change(func(b *pebble.Batch) error { return disk.SetSealed(b, c.Key(keys.Collection), value) }); err != nil {
		return err
	}
	return db.disk.Flush(db.shared.Closing) // before a caller sees the new group numbers
}

// againBytes is the approximate size of the batches of a conversion.
const againBytes = 1 << 20

// again stores documents again, in batches.
type again struct {
	store func(*Batch) error
	batch Batch
	bytes int
}

// add appends a document with meta bytes of metadata. The metadata counts, so that a batch
// exceeds againBytes only if it is a single document, which fitted into a batch before.
func (a *again) add(d api.Document, meta int) error {
	bytes := len(d.ID) + int(contentBytes(&d)) + meta
	if a.bytes+bytes > againBytes {
		if err := a.flush(); err != nil {
			return err
		}
	}
	a.batch.Put(d)
	a.bytes += bytes
	return nil
}

// flush stores the collected documents.
func (a *again) flush() error {
	b := a.batch
	a.batch, a.bytes = Batch{}, 0
	if b.Len() == 0 {
		return nil
	}
	return a.store(&b)
}

// maxTextBytes is a length limit that no text exceeds.
const maxTextBytes = 1<<63 - 1

// putAgain commits a batch during Open. The builder does not run yet, so putAgain must not
// wait for it. A text accepted once is accepted again, whatever its length.
func (db *DB) putAgain(b *Batch) error {
	b.again = true
	p, err := db.prepare(db.shared.Closing, b, maxTextBytes)
	if err != nil {
		return err
	}
	ticket, _, err := db.commitOnce(db.shared.Closing, b, p)
	if err != nil {
		return err
	}
	ctx := db.shared.Closing
	if err := db.disk.Durable(ctx, ticket); err != nil {
		return err
	}
	if db.disk.Full() {
		return db.disk.Flush(ctx)
	}
	return nil
}
