package engine

// Repair makes anew, in place, what a damaged store derives from its documents
// (docs/decisions/0048).

import (
	"context"
	"errors"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/check"
	"github.com/simdb/simdb/engine/internal/fault"
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
