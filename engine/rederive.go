package engine

// How Open goes on with a repair: collection by collection everything derived is made
// anew, first the sets from the texts, then what hangs on the records of documents. Each
// batch holds what was made, and how far that is (docs/decisions/0048).

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// goOnRepairing makes anew what a repair has cleared, from where it was left.
func (db *DB) goOnRepairing() error {
	mark, err := db.repairMark()
	if db.repairing = mark != nil; err != nil || mark == nil || mark.Made {
		return err
	}
	if db.opts.ReadOnly {
		return fault.Corrupt("a repair of the store has not ended; open it for writing, which goes on with it")
	}
	if !mark.Cleared {
		if err := db.clearDerived(mark); err != nil {
			return err
		}
	}
	r := &rederiver{db: db, mark: mark, batch: db.disk.Pebble().NewIndexedBatch()}
	defer func() { r.batch.Close() }()
	all := slices.SortedFunc(maps.Values(db.collections), func(a, b *collection) int { return cmp.Compare(a.Number, b.Number) })
	for _, c := range all {
		if c.Number < mark.Collection {
			continue
		}
		if err := r.collection(c); err != nil {
			return err
		}
	}
	mark.Made = true
	if err := r.commit(); err != nil {
		return err
	}
	return db.disk.Flush(db.shared.Closing)
}

// endRepair ends a repair once the log is replayed. Marks of callers may be older than
// next set numbers that had to be guessed: to them such a collection is a new one.
func (db *DB) endRepair() error {
	mark, err := db.repairMark()
	if err != nil || mark == nil {
		return err
	}
	db.repairing = false
	for _, c := range db.collections {
		if err := db.regroup(c); err != nil {
			return err
		}
	}
	err = db.disk.Change(func(b *pebble.Batch) error {
		err := b.Delete(keys.Of(keys.Repair), nil)
		for _, c := range db.collections {
			if slices.Contains(mark.Guessed, c.Number) {
				c.Began = db.seq + 1
				err = errors.Join(err, disk.SetSealed(b, c.Key(keys.Counters), c.Counters.Encode()))
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return db.disk.Flush(db.shared.Closing)
}

// rederiver derives everything once more.
type rederiver struct {
	db    *DB
	mark  *record.RepairMark
	batch *pebble.Batch // with what was made since the last commit; reads see it
}

// collection makes one anew, or what is left of it to do.
func (r *rederiver) collection(c *collection) error {
	m := r.mark
	if !m.Begun || m.Collection != c.Number {
		if err := r.begin(c); err != nil {
			return err
		}
	}
	if !m.Records {
		if err := r.texts(c); err != nil {
			return err
		}
		m.Records, m.After = true, nil
	}
	if err := r.records(c); err != nil {
		return err
	}
	if err := disk.SetSealed(r.batch, c.Key(keys.Counters), m.Counters.Encode()); err != nil {
		return err
	}
	m.Collection, m.Begun, m.Records, m.After = c.Number+1, false, false, nil
	return r.commit()
}

// begin finds the number that the next set has.
func (r *rederiver) begin(c *collection) error {
	m := r.mark
	m.Collection, m.Begun, m.Records, m.After, m.Counters = c.Number, true, false, nil, record.Counters{}
	stored, err := disk.GetSealed(r.batch, c.Key(keys.Counters))
	if err == nil && stored != nil {
		m.Counters, err = record.DecodeCounters(stored)
	}
	if err != nil && !errors.Is(err, api.ErrCorrupt) {
		return err
	}
	if stored == nil || err != nil {
		m.Guessed = append(m.Guessed, c.Number)
		if m.Counters.Next, err = r.afterLastSet(c); err != nil {
			return err
		}
	}
	m.Counters.Documents, m.Counters.TextBytes, m.Counters.Sets = 0, 0, 0
	m.End = m.Counters.Next
	return nil
}

// afterLastSet is the number behind the greatest that a text lies under.
func (r *rederiver) afterLastSet(c *collection) (next uint32, err error) {
	it, err := r.db.disk.Pebble().NewIter(&pebble.IterOptions{LowerBound: c.Key(keys.Text), UpperBound: c.Key(keys.Text, record.NoSet)})
	if err != nil {
		return 0, disk.PebbleError(err)
	}
	if it.Last() {
		n, _, bad := keys.Numbers(it.Key(), 2)
		if next = n[1] + 1; bad != nil {
			err = fault.Corrupt("%w", bad)
		}
	}
	return next, errors.Join(err, disk.PebbleError(it.Close()))
}

// commit applies what was made since the last time, and says how far that is.
func (r *rederiver) commit() error {
	db := r.db
	if err := setRepairMark(r.batch, r.mark); err != nil {
		return err
	}
	if err := errors.Join(db.shared.Closing.Err(), db.disk.Poisoned()); err != nil {
		return err
	}
	if err := db.disk.Apply(r.batch); err != nil {
		return err
	}
	r.batch.Close()
	r.batch = db.disk.Pebble().NewIndexedBatch()
	db.opts.OpenProgress(api.OpenProgress{Step: api.StepRepair, Done: r.mark.Done, Total: max(r.mark.Done, r.mark.Total)})
	if db.disk.Full() {
		return db.disk.Flush(db.shared.Closing)
	}
	return nil
}

// scan reads on under a prefix, behind the last key that was read, some at a time: until take
// says that it is enough for one batch. Then it lets that be made and commits it.
func (r *rederiver) scan(prefix []byte, take func(key, value []byte) (enough bool, err error), then func() error) error {
	for more := true; more; {
		from := prefix
		if r.mark.After != nil {
			from = append(slices.Clip(r.mark.After), 0)
		}
		more = false
		err := disk.ScanFrom(r.db.disk.Pebble(), prefix, from, func(key, value []byte) (err error) {
			r.mark.After = append(r.mark.After[:0:0], key...)
			r.mark.Done++
			if more, err = take(key, value); more {
				return disk.ErrEnough
			}
			return errors.Join(err, r.db.shared.Closing.Err())
		})
		if err == nil {
			err = then()
		}
		if err == nil {
			err = r.commit()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// of returns the batch for a change of a key: there is but one.
func (r *rederiver) of([]byte) *pebble.Batch { return r.batch }

// store sets a key that is not sealed.
func (r *rederiver) store(key, value []byte) error { return r.batch.Set(key, value, nil) }

// lost tells of what cannot be derived.
func (r *rederiver) lost(c *collection, id, what string) {
	r.db.opts.Logger.Warn("a repair cannot bring this back: "+what, "collection", c.Name, "id", id)
}

// A repair makes anew what hangs on the records of documents: the index of metadata, what
// says that they joined a set, and the counters.

// storedRecord is the record of a document as it is stored.
type storedRecord struct{ key, sealed []byte }

// records goes through all records of a collection. Its sets are made.
func (r *rederiver) records(c *collection) error {
	prefix := c.Key(keys.Document)
	var window []storedRecord
	size := 0
	return r.scan(prefix, func(key, sealed []byte) (bool, error) {
		window = append(window, storedRecord{bytes.Clone(key), bytes.Clone(sealed)})
		size += len(key) + len(sealed)
		return int64(size) > min(againBytes, r.db.shared.AnalysisRoom()/view.AnalysisBytes), nil
	}, func() error {
		for _, s := range window {
			if err := r.record(c, string(s.key[len(prefix):]), s); err != nil {
				return err
			}
		}
		window, size = nil, 0
		return nil
	})
}

func (r *rederiver) record(c *collection, id string, s storedRecord) error {
	r.mark.Counters.Documents++
	value, err := disk.Unseal(s.key, s.sealed)
	if err != nil {
		return nil // its text has told
	}
	d, err := record.DecodeDocumentRecord(value)
	if err != nil {
		return nil
	}
	r.mark.Counters.TextBytes += d.TextBytes
	has, err := disk.Has(r.batch, keys.WithID(c.Key(keys.Text, d.Set), id))
	if err != nil {
		return err
	}
	if !has {
		r.lost(c, id, "the text of a document: it is missing")
		if err := r.update(c, id, &d, record.NoSet, false); err != nil {
			return err
		}
	}
	if d.Joined {
		key := keys.WithID(keys.OfJoined(c.Number, d.Written.Record), id)
		if err := r.store(key, binary.BigEndian.AppendUint32(nil, d.Set)); err != nil {
			return err
		}
	}
	values, err := c.FieldValues(d.Meta)
	if errors.Is(err, api.ErrCorrupt) {
		r.lost(c, id, "the metadata of a document: "+err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	for _, v := range values {
		if err := r.store(c.FieldKey(v, d.Set, id), nil); err != nil {
			return err
		}
	}
	return nil
}
