package engine

import (
	"encoding/json"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/wal"
)

// replayWindow bounds the log records derived side by side.
const replayWindow = 8 << 20

// recovery applies again what the log holds beyond Pebble. Set numbers come out
// as before, because the next number is in the same batch as its set.
type recovery struct {
	db     *DB
	window []replayed
	bytes  int
}

// replayed is a log record on its way back.
type replayed struct {
	seq     uint64
	ops     []operation
	numbers []uint32
}

// replayLog returns how the log ended.
func (db *DB) replayLog(applied uint64) (wal.Replayed, error) {
	r := recovery{db: db}
	end, err := db.log.Replay(applied, r.add)
	if err == nil {
		err = r.flush()
	}
	return end, err
}

func (r *recovery) add(seq uint64, payload []byte) error {
	payload = append([]byte(nil), payload...)
	ops, numbers, err := decodeOperations(payload)
	if err != nil {
		return fmt.Errorf("log record %d: %w", seq, err)
	}
	settings := false
	for _, o := range ops {
		settings = settings || o.kind == opCreate || o.kind == opDrop || o.kind == opBook
	}
	if settings { // later records depend on it
		if err := r.flush(); err != nil {
			return err
		}
	}
	r.window = append(r.window, replayed{seq, ops, numbers})
	r.bytes += len(payload)
	if settings || r.bytes > replayWindow {
		return r.flush()
	}
	return nil
}

// flush derives the records of the window on all cores and applies them in order.
func (r *recovery) flush() error {
	var g errgroup.Group
	g.SetLimit(workers())
	for i := range r.window {
		g.Go(func() error { return r.db.derive(&r.window[i]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, w := range r.window {
		r.db.mu.Lock()
		_, err := r.db.apply(w.seq, w.ops)
		r.db.mu.Unlock()
		if err != nil {
			return fmt.Errorf("log record %d: %w", w.seq, err)
		}
	}
	r.window, r.bytes = nil, 0
	return nil
}

// derive resolves the collections of a record and analyses its texts again.
func (db *DB) derive(w *replayed) error {
	for i := range w.ops {
		o := &w.ops[i]
		switch o.kind {
		case opCreate:
			var r collectionRecord
			if err := json.Unmarshal(o.value, &r); err != nil {
				return corrupt("log record %d: settings of collection %q: %w", w.seq, o.name, err)
			}
			c, err := db.opts.newCollection(w.numbers[i], r.Name, r.Settings)
			if err != nil {
				return corrupt("log record %d: %w", w.seq, err)
			}
			o.c = c
		case opPut, opDelete, opDrop, opBook:
			if o.c = db.byNumber(w.numbers[i]); o.c == nil {
				return corrupt("log record %d: there is no collection %d", w.seq, w.numbers[i])
			}
		}
		if o.kind == opPut {
			text, err := db.codec.decode(o.text, o.c.dictionary.Load())
			if err != nil {
				return fmt.Errorf("log record %d: %w", w.seq, err)
			}
			o.derive(text)
		}
	}
	return nil
}

// readAgain analyses anew the collections that were read with the Unicode
// tables of another Go release: lower case and normal forms of characters that
// were unassigned then may differ. Every document is put once more; a crash
// between leaves the old version recorded, and the next Open starts over.
func (db *DB) readAgain() error {
	for _, c := range db.outdated {
		if c.dropped { // as the log says
			continue
		}
		if err := db.readCollectionAgain(c); err != nil {
			return fmt.Errorf("collection %q: %w", c.name, err)
		}
	}
	db.outdated = nil
	return nil
}

func (db *DB) readCollectionAgain(c *collection) error {
	db.opts.Logger.Info("reading texts again with newer Unicode tables", "collection", c.name, "documents", c.documents)
	s := db.snapshot()
	defer s.close()
	v, err := s.view(c.name)
	if err != nil {
		return err
	}
	a := again{store: db.putAgain}
	err = v.records(s.pebble, func(id string, r documentRecord) error {
		d, err := s.document(v, id, r)
		if err != nil {
			return err
		}
		return a.add(d, r)
	})
	if err == nil {
		err = a.flush()
	}
	if err != nil {
		return err
	}
	value, err := db.settingsJSON(c)
	if err != nil {
		return err
	}
	// Not logged: without it the next Open only does this work again.
	return db.pebble.Set(c.key(keys.Collection), value, pebble.NoSync)
}

// againBytes is about how much is stored again at a time.
const againBytes = 1 << 20

// again stores documents once more, some at a time.
type again struct {
	store func(*Batch) error
	batch Batch
	bytes int
}

// add takes the next document and its record as it was. The metadata counts too:
// a batch has a limit, which a document alone once kept.
func (a *again) add(d Document, r documentRecord) error {
	bytes := len(d.ID) + len(d.Text) + len(r.meta)
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
	p, err := db.prepare(b, maxTextBytes)
	if err != nil {
		return err
	}
	ticket, _, err := db.commit(p)
	if err != nil {
		return err
	}
	if err := db.waitDurable(db.ctx, ticket); err != nil {
		return err
	}
	if db.unflushed.Load() > maxUnflushed*db.opts.memTableBytes {
		return db.flush(db.ctx)
	}
	return nil
}

func (db *DB) byNumber(n uint32) *collection {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		if c.number == n {
			return c
		}
	}
	return nil
}
