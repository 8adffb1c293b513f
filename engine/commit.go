package engine

// The one way into the store: log, then store, under one mutex, so that the number in
// every batch tells how far the log has been applied (docs/decisions/0001).

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"
)

// commit is the one way into the store: under one mutex a sequence number is
// assigned, the record appended to the log and the batch applied, so that the
// applied number in every batch tells the truth. The caller waits for the
// log's sync outside, together with others.
func (db *DB) commit(p prepared) (wal.Ticket, api.BatchStats, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.commitNow(p)
}

// commitNow commits; the caller holds db.mu.
func (db *DB) commitNow(p prepared) (wal.Ticket, api.BatchStats, error) {
	if err := db.disk.Poisoned(); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	if err := db.admissible(p.ops); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	if err := db.unchanged(p.expected); err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	seq := db.seq + 1
	ticket, err := db.disk.Append(seq, record.Stamp(p.record, time.Now()))
	if err != nil {
		return wal.Ticket{}, api.BatchStats{}, err
	}
	db.last = ticket
	stats, err := db.apply(seq, p.ops)
	if err != nil {
		return wal.Ticket{}, api.BatchStats{}, db.disk.Poison(err)
	}
	stats.Superseded = p.superseded
	return ticket, stats, nil
}

// admissible checks what only the mutex can tell: nothing may fail for the
// caller's fault once the record is in the log.
func (db *DB) admissible(ops []operation) error {
	for _, o := range ops {
		switch {
		case o.Kind == record.OpCreate && db.collections[o.Name] != nil:
			return fmt.Errorf("collection %q %w", o.Name, api.ErrExists)
		case o.c != nil && o.Kind != record.OpCreate && o.c.dropped:
			return fmt.Errorf("collection %q %w: dropped meanwhile", o.c.Name, api.ErrNoCollection)
		case o.Kind == record.OpMeta:
			if err := db.updatable(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// isDurable waits until what a snapshot has seen survives a crash. Nobody may act on
// another's document that a crash could take back.
func (db *DB) isDurable(ctx context.Context, last wal.Ticket) error {
	if last == (wal.Ticket{}) {
		return nil // nothing was written since Open
	}
	return db.disk.Durable(ctx, last)
}

// How operations become one batch of the store: the step that a commit and the replay
// of the log share. Sets are counted here, so that equal texts are kept once
// (docs/decisions/0004).

// applier turns operations into one Pebble batch.
type applier struct {
	db *DB
	*disk.Changes
	at      record.Written       // the operation at hand
	sets    map[digestKey]uint32 // made or ended in this batch; Pebble does not show them yet
	touched map[*collection]bool
}

type digestKey struct {
	collection uint32
	digest     [16]byte
}

// apply changes the store and the state in memory; db.mu is held. An error
// leaves both in doubt, so the caller poisons the store.
func (db *DB) apply(seq uint64, ops []operation) (stats api.BatchStats, err error) {
	a := applier{db: db, Changes: db.disk.NewChanges(len(ops), storedBytes(ops)), sets: map[digestKey]uint32{}, touched: map[*collection]bool{}}
	defer a.Close()
	for i := range ops {
		o := &ops[i]
		a.at = record.Written{Record: seq, Place: uint32(i)}
		switch o.Kind {
		case record.OpPut:
			err = a.put(o, &stats)
		case record.OpDelete:
			err = a.delete(o, &stats)
		case record.OpMeta:
			err = a.update(o, &stats)
		case record.OpNote:
			if o.Value == nil {
				err = a.Batch.Delete(keys.OfNote(o.Name), nil)
			} else {
				err = disk.SetSealed(a.Batch, keys.OfNote(o.Name), o.Value)
			}
		case record.OpCreate:
			err = a.create(o)
		case record.OpDrop:
			err = a.drop(o)
		case record.OpDictionary:
			err = a.addDictionary(o)
		}
		if err != nil {
			return stats, err
		}
	}
	for c := range a.touched {
		if c.dropped {
			continue
		}
		if err := disk.SetSealed(a.Batch, c.Key(keys.Counters), c.Counters.Encode()); err != nil {
			return stats, err
		}
	}
	if err := a.Batch.Set(keys.Of(keys.Applied), binary.BigEndian.AppendUint64(nil, seq), nil); err != nil {
		return stats, err
	}
	batch, err := a.Gathered()
	if err != nil {
		return stats, err
	}
	if err := db.disk.Apply(batch); err != nil {
		return stats, err
	}
	db.seq = seq
	for c := range a.touched {
		if db.tailIsLong(c) || c.dictionaries.Load().Wants(c.Sets, db.opts.SegmentSets) {
			db.wakeBuilder()
		}
	}
	return stats, nil
}

// storedBytes is about what operations add to the store.
func storedBytes(ops []operation) int {
	const keyBytes = 200 // of all records of a document, with their lengths
	n := keyBytes
	for i := range ops {
		o := &ops[i]
		n += keyBytes + len(o.Name)*2 + len(o.Value) + len(o.Meta) + len(o.Text)
		if o.Derived != nil {
			n += 8 * len(o.Set.Signature)
		}
	}
	return n
}

func (a *applier) create(o *operation) error {
	c := o.c
	c.seen = &seen{} // it is empty
	c.Began = a.at.Record
	a.db.collections[c.Name] = c
	a.db.lastCollection = max(a.db.lastCollection, c.Number)
	a.touched[c] = true
	return disk.SetSealed(a.Batch, c.Key(keys.Collection), o.Value)
}

func (a *applier) drop(o *operation) error {
	o.c.dropped = true
	delete(a.db.collections, o.c.Name)
	if err := a.db.files.Retire(a.Batch, o.c.postings.Segments); err != nil {
		return err
	}
	return removeCollection(a.Batch, o.c.Number)
}

// addDictionary takes a dictionary that later texts are compressed with.
func (a *applier) addDictionary(o *operation) error {
	dictionaries := o.c.dictionaries.Load()
	longer, err := dictionaries.With(o.Value)
	if err != nil {
		return err
	}
	o.c.dictionaries.Store(longer)
	return disk.SetSealed(a.Batch, o.c.Key(keys.Dictionary, uint32(dictionaries.Size())), o.Value)
}
