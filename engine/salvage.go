package engine

// Salvage: what can still be read of a damaged store goes into a new one, which can take its
// place (docs/decisions/0045, docs/decisions/0079).

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

// Salvage copies all that can be read of the store in a directory, which need not open and
// is never written, to a new store: collections with their settings, documents with their
// texts and metadata, ledgers, and groupings with the numbers of their groups. The new store
// is the old one to callers: it keeps the UUID, so that marks hold, and the history. All else
// is derived anew, so it does not matter what is damaged there.
//
// Salvage calls lost with each thing that is missing or damaged, as it is found. Notes come
// along only if nothing was lost: an import would else go on behind what is gone. The new
// store gets its name when it is whole and checked; until then it is to.partial.
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

// SalvageInPlace is Salvage to a store that takes the place of the damaged one, which nobody
// may have open. The damaged one stays beside: Salvaged.Old is its path. Whenever the process
// is killed, one of the two stores has the name of the directory; where the system cannot
// exchange two names in one step there may be none, and the next call begins anew. ErrLocked
// if another process has the store open.
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

// salvager fills a new store.
type salvager struct {
	from, to string
	opts     Options // of the new store
	lost     func(what string)
	done     api.Salvaged
	broken   *disk.Broken
}

func newSalvager(ctx context.Context, from, to string, opts *Options, lost func(what string)) (*salvager, error) {
	if ctx == nil {
		return nil, fault.Invalid("salvage %s: the context is nil", from)
	}
	s := &salvager{from: from, to: to, opts: opts.withDefaults()}
	if s.opts.InMemory {
		return nil, fault.Invalid("salvage %s: InMemory does not go with it", from)
	}
	s.opts.MustExist, s.opts.ReadOnly, s.opts.MaxDocBytes, s.opts.Shared, s.opts.KeepLog = false, false, maxTextBytes, nil, nil
	s.lost = func(what string) {
		s.done.Lost++
		lost(what)
	}
	return s, nil
}

// salvage makes the new store beside its place, where it is put in the end.
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

// fill writes the ground state of the new store, and what follows from single documents.
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

// finish makes the groups and the postings of the new store, and checks it.
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
		s.lost(fmt.Sprintf("a constraint of collection %q: document %q: %s", p.Collection, p.ID, p.What)) // an earlier state came back
	}
	return nil
}
