package engine

// Salvage copies the readable part of a damaged store into a new store, which can replace
// it (docs/decisions/0045, docs/decisions/0079).

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/check"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/salvage"
)

// Salvage copies everything readable from the store in directory from into a new store in
// directory to: collections with settings, documents with texts and metadata, ledgers, and
// groupings with their group numbers. The new store keeps the history and the UUID, so
// marks stay valid. Everything else is derived again, so damage to it does not matter.
// Salvage does not need to open the old store, and never writes to it.
//
// Salvage calls lost for each missing or damaged item as it finds it. It copies notes only
// if nothing was lost: otherwise an import would resume after a gap. It builds the store in
// to.partial, and renames it once it is complete and checked.
func Salvage(ctx context.Context, from, to string, opts *Options, lost func(what string)) (api.Salvaged, error) {
	s, err := newSalvager(ctx, from, to, opts, lost)
	if err != nil {
		return api.Salvaged{}, err
	}
	if _, err := s.opts.fs.Stat(to); err == nil {
		return api.Salvaged{}, fmt.Errorf("salvage to %s: %w", to, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return api.Salvaged{}, err
	}
	err = s.salvage(ctx, false, func() error { return disk.Whole(s.opts.fs, to) })
	return s.done, err
}

// SalvageInPlace salvages a store and puts the new store in its place. It keeps the damaged
// store at the path Salvaged.Old. If the process is killed, one of the two stores is at
// dir. On systems that cannot exchange two names atomically, dir may be missing; the next
// call puts the damaged store back and starts again. It returns ErrLocked if another
// process has the store open.
func SalvageInPlace(ctx context.Context, dir string, opts *Options, lost func(what string)) (api.Salvaged, error) {
	s, err := newSalvager(ctx, dir, dir, opts, lost)
	if err != nil {
		return api.Salvaged{}, err
	}
	if s.from, err = disk.Resolved(s.opts.fs, dir); err != nil {
		return api.Salvaged{}, err
	}
	s.to = s.from
	if err := disk.PutBack(s.opts.fs, s.from); err != nil {
		return api.Salvaged{}, err
	}
	err = s.salvage(ctx, true, func() (err error) {
		s.done.Old, err = s.broken.Replace()
		return err
	})
	return s.done, err
}

// salvager is one run of a salvage.
type salvager struct {
	from, to string
	opts     Options // of the new store
	lost     func(what string)
	done     api.Salvaged
	broken   *disk.Broken
}

// newSalvager checks the arguments, and wraps lost to count its calls.
func newSalvager(ctx context.Context, from, to string, opts *Options, lost func(what string)) (*salvager, error) {
	if ctx == nil {
		return nil, fault.Invalid("salvage %s: the context is nil", from)
	}
	s := &salvager{from: from, to: to, opts: opts.withDefaults()}
	if s.opts.InMemory {
		return nil, fault.Invalid("salvage %s: the new store cannot be in memory", from)
	}
	s.opts.MustExist, s.opts.ReadOnly, s.opts.MaxDocBytes, s.opts.Shared, s.opts.KeepLog = false, false, maxTextBytes, nil, nil
	s.lost = func(what string) {
		s.done.Lost++
		lost(what)
	}
	return s, nil
}

// salvage builds the new store in its partial directory, and calls put to move it into
// place. alone locks the old store exclusively.
func (s *salvager) salvage(ctx context.Context, alone bool, put func() error) (err error) {
	files, partial := s.opts.fs, disk.Partial(s.to)
	if _, err := files.Stat(s.from); err != nil {
		return fmt.Errorf("salvage: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("salvage %s: %w", s.from, err)
		}
	}()
	if s.broken, err = disk.OpenBroken(ctx, files, s.from, alone); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.broken.Close()) }()
	if err := disk.ClearPartial(files, s.to); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, files.RemoveAll(partial))
		}
	}()
	if err := s.fill(ctx, partial); err != nil {
		return err
	}
	if err := s.finish(ctx, partial); err != nil {
		return err
	}
	return put()
}

// fill writes the primary data of the new store, and the data derived from single
// documents.
func (s *salvager) fill(ctx context.Context, partial string) (err error) {
	db, err := OpenContext(ctx, partial, &s.opts)
	if err != nil {
		return err
	}
	defer func() {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	old, err := salvage.Open(ctx, s.broken, s.opts.fs, s.opts.fs.PathJoin(partial, disk.SalvageName), s.opts.unicode, db.shared.Codec, s.lost)
	if err != nil {
		return err
	}
	defer func() {
		if old != nil {
			err = errors.Join(err, old.Close())
		}
	}()
	r := &rederiver{salvager: s, db: db, old: old, ctx: ctx, groupings: map[string]bool{}}
	defer r.end()
	if err := r.all(); err != nil {
		return err
	}
	err = errors.Join(old.Close(), db.Close())
	old, db = nil, nil
	if err != nil {
		return err
	}
	return s.broken.Inherit(ctx, partial, r.seq, s.done.Documents, r.goesOn)
}

// finish builds the groups and postings of the new store, and checks it.
func (s *salvager) finish(ctx context.Context, partial string) (err error) {
	o := s.opts
	o.regroup = true
	db, err := OpenContext(ctx, partial, &o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Compact(ctx); err != nil {
		return err
	}
	report, err := db.Check(ctx, nil)
	if err != nil {
		return err
	}
	for _, p := range report.Problems {
		if p.Kind != check.KindConstraint {
			return fmt.Errorf("the new store is not sound: %s: %s", p.Place, p.What)
		}
		s.lost(fmt.Sprintf("a constraint of collection %q: document %q: %s", p.Collection, p.ID, p.What)) // the salvage restored an earlier version of the document
	}
	return nil
}
