package engine

// The first steps of a repair: that nothing is lost by it is made sure before anything is
// changed, and then everything derived is cleared (docs/decisions/0048).

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// errRepairBegun ends an Open that was only to begin a repair.
var errRepairBegun = errors.New("the repair has begun")

// beginRepair clears everything derived, unless a repair is under way, and returns
// errRepairBegun. Collections and books have been read.
func (db *DB) beginRepair() error {
	was, err := db.repairMark()
	if err != nil {
		return err
	}
	if was != nil && was.Cleared {
		return errRepairBegun
	}
	if err := db.refuseOrphans(keys.Document, keys.Text, keys.Dictionary); err != nil {
		return err
	}
	n, err := db.countReadable()
	if err != nil {
		return err
	}
	mark := &record.RepairMark{Total: n}
	if err := db.storeRepairMark(mark); err != nil {
		return err
	}
	if err := db.clearDerived(mark); err != nil {
		return err
	}
	return errRepairBegun
}

// countReadable reads every key that a repair begins with, and counts texts and records.
// Where a table cannot be read the repair would end half-way.
func (db *DB) countReadable() (n int64, err error) {
	for _, space := range []keys.Space{keys.Document, keys.Text} {
		err := disk.Scan(db.disk.Pebble(), keys.Of(space), func(key, _ []byte) error {
			n++
			return db.shared.Closing.Err()
		})
		if err != nil {
			return 0, err
		}
	}
	return n, db.disk.Poisoned()
}

// clearDerived removes everything derived, whether it can be read or not. The mark is
// durable: whatever a crash leaves of it, the next Open clears the rest.
func (db *DB) clearDerived(mark *record.RepairMark) error {
	ctx := db.shared.Closing
	if err := db.disk.Flush(ctx); err != nil {
		return err
	}
	for _, space := range keys.Derived {
		if err := db.disk.Clear(ctx, space); err != nil {
			return err
		}
	}
	if err := db.removeStrayCounters(); err != nil {
		return err
	}
	mark.Cleared = true
	if err := db.storeRepairMark(mark); err != nil {
		return err
	}
	return db.disk.Flush(ctx)
}

// removeStrayCounters removes the counters of collections that there are not.
func (db *DB) removeStrayCounters() error {
	strays, err := view.Orphans(db.disk.Pebble(), db.known(), keys.Counters)
	if err != nil {
		return err
	}
	b := db.disk.Pebble().NewBatch()
	defer b.Close()
	for _, o := range strays {
		if err := b.Delete(keys.Of(keys.Counters, o.Number), nil); err != nil {
			return err
		}
	}
	return db.disk.Apply(b)
}

// repairMark reads how far a repair has come; nil if none is under way. A mark that
// cannot be read is one of a repair that has done nothing.
func (db *DB) repairMark() (*record.RepairMark, error) {
	b, err := disk.GetSealed(db.disk.Pebble(), keys.Of(keys.Repair))
	if b == nil && err == nil {
		return nil, nil
	}
	var m record.RepairMark
	if err == nil {
		m, err = record.DecodeRepairMark(b)
	}
	if err != nil && !errors.Is(err, api.ErrCorrupt) {
		return nil, err
	}
	return &m, nil
}

func (db *DB) storeRepairMark(m *record.RepairMark) error {
	b := db.disk.Pebble().NewBatch()
	defer b.Close()
	if err := setRepairMark(b, m); err != nil {
		return err
	}
	return db.disk.Apply(b)
}

// setRepairMark adds the mark to a batch.
func setRepairMark(b *pebble.Batch, m *record.RepairMark) error {
	value, err := m.Encode()
	if err != nil {
		return err
	}
	return disk.SetSealed(b, keys.Of(keys.Repair), value)
}
