package engine

// Texts are read again when Open finds that they were read with the Unicode tables of
// another Go release (docs/decisions/0011).

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

// mayReadAgain says whether a collection that was read with these tables may be read
// with those of this program. A store must not be read again to and fro by programs
// that take turns, so unless Options.Convert says otherwise only newer tables do it.
func (db *DB) mayReadAgain(name, was string) error {
	now := db.opts.unicode
	if was == now {
		return nil
	}
	say := func(what string) error {
		return fmt.Errorf("%w: those of collection %q with Unicode %s, this program has Unicode %s; %s", api.ErrUnicode, name, was, now, what)
	}
	switch older := olderVersion(was, now); {
	case db.opts.ReadOnly:
		return say("to have them read again open it for writing once")
	case db.opts.Convert == api.ConvertNever:
		return say("to have them read again open it without ConvertNever")
	case !older && db.opts.Convert != api.ConvertAlways:
		return say("use a program built with a newer Go, or have them read again with ConvertAlways")
	}
	return nil
}

// olderVersion says whether a is older than b: 9.0.0 than 15.0.0. What is no version
// counts as old.
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

// readAgain analyses anew the collections that were read with the Unicode
// tables of another Go release: lower case and normal forms of characters that
// were unassigned then may differ. Every document is put once more, and groups are made
// anew; a crash between leaves the old version recorded, and the next Open starts over.
func (db *DB) readAgain() error {
	var total, done int64
	for _, c := range db.outdated {
		total += c.Documents
	}
	for _, c := range db.outdated {
		if c.dropped { // as the log says
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

func (db *DB) readCollectionAgain(c *collection, told func()) error {
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
		told()
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
	// Not logged: without it the next Open only does this work again.
	if err := db.disk.Change(func(b *pebble.Batch) error { return disk.SetSealed(b, c.Key(keys.Collection), value) }); err != nil {
		return err
	}
	return db.disk.Flush(db.shared.Closing) // before anyone sees the numbers of groups
}

// againBytes is about how much is stored again at a time.
const againBytes = 1 << 20

// again stores documents once more, some at a time.
type again struct {
	store func(*Batch) error
	batch Batch
	bytes int
}

// add takes the next document, with so many bytes of metadata. They count too: a batch has a
// limit, which a document alone once kept.
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

// flush stores what was added since the last time.
func (a *again) flush() error {
	b := a.batch
	a.batch, a.bytes = Batch{}, 0
	if b.Len() == 0 {
		return nil
	}
	return a.store(&b)
}

// maxTextBytes is no limit.
const maxTextBytes = 1<<63 - 1

// putAgain commits a batch while the store is being opened: there is no builder
// yet, so it must not be waited for, and a text that was taken once is taken
// again however long it is.
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
