package engine

// Repair makes anew, in place, what a damaged store derives from its documents
// (docs/decisions/0048).

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/check"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
)

// Repair checks the store in a directory, which nobody may have open, and unless all is
// well makes everything anew that follows from texts, metadata and settings. It takes as
// long as an import, and memory as MemoryBytes says. When it is given up, or killed, no
// document is lost: the next Open for writing goes on where it was. What is damaged of
// the documents themselves stays, and Left names it. An error means that the store could
// not be repaired: Salvage saves what can be read then.
func Repair(ctx context.Context, path string, opts *Options) (*api.RepairReport, error) {
	if ctx == nil {
		return nil, fault.Invalid("repair %s: the context is nil", path)
	}
	o := opts.withDefaults()
	if o.ReadOnly || o.InMemory {
		return nil, fault.Invalid("repair %s: it writes to a directory; ReadOnly and InMemory do not go with it", path)
	}
	o.MustExist = true
	r := &repairing{path: path, opts: o}
	found, err := r.look(ctx)
	if err != nil {
		return nil, err
	}
	r.report.Found, r.report.Left = *found, *found
	if found.Found > 0 {
		if err := r.begin(ctx); err != nil {
			return nil, err
		}
	}
	if !r.report.Rebuilt {
		return &r.report, nil
	}
	left, err := r.finish(ctx)
	if err != nil {
		return nil, err
	}
	r.report.Left = *left
	return &r.report, nil
}

// repairing is a repair under way.
type repairing struct {
	path   string
	opts   Options
	report api.RepairReport
}

// open opens the store, which goes on with a repair.
func (r *repairing) open(ctx context.Context) (*DB, error) {
	o := r.opts
	var stage *progress.Stage
	begun, done := false, int64(0)
	o.OpenProgress = func(p api.OpenProgress) {
		r.opts.OpenProgress(p)
		if p.Step != api.StepRepair {
			return
		}
		if !begun {
			begun, r.report.Rebuilt = true, true
			_, stage = progress.Begin(ctx, "texts and records repaired", p.Total)
		}
		stage.Add(int(p.Done - done))
		done = p.Done
	}
	return OpenContext(ctx, r.path, &o)
}

// look says what is amiss.
func (r *repairing) look(ctx context.Context) (*api.CheckReport, error) {
	db, err := r.open(ctx)
	found := &api.CheckReport{}
	if err == nil {
		var report *api.CheckReport
		if report, err = db.Check(ctx, nil); err == nil {
			found = report
		}
		err = errors.Join(err, db.Close())
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, api.ErrCorrupt):
		check.Add(found, api.Problem{Kind: check.KindStore, What: err.Error()})
	default:
		return nil, err
	}
	return found, nil
}

// begin clears everything derived. Pebble compacts nothing meanwhile: it would take
// tables that cannot be read for a failing disk.
func (r *repairing) begin(ctx context.Context) error {
	o := r.opts
	o.beginRepair = true
	_, err := OpenContext(ctx, r.path, &o)
	if !errors.Is(err, errRepairBegun) {
		return err
	}
	r.report.Rebuilt = true
	return nil
}

// finish lets Open make everything anew, makes the postings, and checks.
func (r *repairing) finish(ctx context.Context) (left *api.CheckReport, err error) {
	db, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Compact(ctx); err != nil && !errors.Is(err, api.ErrCorrupt) {
		return nil, fmt.Errorf("repair %s: %w", r.path, err)
	}
	return db.Check(ctx, nil)
}

// The first steps of a repair: that nothing is lost by it is made sure before anything is
// changed, and then everything derived is cleared (docs/decisions/0048).

// errRepairBegun ends an Open that was only to begin a repair.
var errRepairBegun = errors.New("the repair has begun")

// beginRepair clears everything derived, unless a repair is under way, and returns
// errRepairBegun. Collections and dictionaries have been read.
func (db *DB) beginRepair() error {
	was, err := db.repairMark()
	if err != nil {
		return err
	}
	if was != nil && was.Cleared {
		return errRepairBegun
	}
	if err := db.refuseOrphans(keys.Document, keys.Text, keys.Dictionary, keys.Ledger); err != nil {
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
	return db.disk.Change(func(b *pebble.Batch) (err error) {
		for _, o := range strays {
			err = errors.Join(err, b.Delete(keys.Of(keys.Counters, o.Number), nil))
		}
		return err
	})
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
	return db.disk.Change(func(b *pebble.Batch) error { return setRepairMark(b, m) })
}

// setRepairMark adds the mark to a batch.
func setRepairMark(b *pebble.Batch, m *record.RepairMark) error {
	value, err := m.Encode()
	if err != nil {
		return err
	}
	return disk.SetSealed(b, keys.Of(keys.Repair), value)
}
