package engine

// Apply writes operations as one Pebble batch, the step that a commit and a replay share.
// Each operation applies itself, in the file of its kind; the observers follow.

import (
	"encoding/binary"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// applier turns the operations of a plan into one Pebble batch.
type applier struct {
	db *DB
	*plan
	*disk.Changes
	at      record.Written       // the current operation
	sets    map[digestKey]uint32 // begun or ended in this batch, which reads of Pebble do not see yet
	touched []*collection        // collections with changed documents
	stats   api.BatchStats
}

// digestKey identifies a set by its content.
type digestKey struct {
	collection uint32
	digest     [16]byte
}

// apply changes the store and the state in memory. The caller holds db.mu. After an error
// both are in doubt, so the caller poisons the store.
func (db *DB) apply(p *plan) (api.BatchStats, error) {
	bytes := storedBytes(p.ops)
	a := &applier{db: db, plan: p, Changes: db.disk.NewChanges(len(p.ops), bytes)}
	defer a.Close()
	for i, o := range p.ops {
		a.at = record.Written{Record: p.seq, Place: uint32(i)}
		if err := o.apply(a); err != nil {
			return a.stats, err
		}
	}
	if err := db.observers.finish(a); err != nil {
		return a.stats, err
	}
	if err := a.commit(); err != nil {
		return a.stats, err
	}
	db.seq = p.seq
	for _, c := range a.touched {
		db.wakeBuilderFor(c)
	}
	return a.stats, nil
}

// touch marks a collection as changed by this record.
func (a *applier) touch(c *collection) {
	if c.changed != a.seq {
		c.changed = a.seq
		a.touched = append(a.touched, c)
	}
}

// commit writes the Pebble batch, with the counters of the collections and the applied
// sequence number. One batch has all of them, so after a crash either the whole record is
// stored, or a replay applies it again.
func (a *applier) commit() error {
	for _, c := range a.touched {
		if c.dropped {
			continue
		}
		if err := disk.SetSealed(a.Batch, c.Key(keys.Counters), c.Counters.Encode()); err != nil {
			return err
		}
	}
	if err := a.Batch.Set(keys.Of(keys.Applied), binary.BigEndian.AppendUint64(nil, a.seq), nil); err != nil {
		return err
	}
	batch, err := a.Gathered()
	if err != nil {
		return err
	}
	return a.db.disk.Apply(batch)
}

// storedBytes estimates the bytes that operations add to the store.
func storedBytes(ops []operation) int {
	const keyBytes = 200 // for all records of a document, with their lengths
	n := keyBytes
	for _, o := range ops {
		r := o.record()
		n += keyBytes + len(r.Name)*2 + len(r.Value) + len(r.Meta) + len(r.Text)
		if p, ok := o.(*put); ok && p.Derived != nil {
			n += 8 * len(p.Set.Signature)
		}
	}
	return n
}
