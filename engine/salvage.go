package engine

// Salvage: what can still be read of a store that does not open goes into a new one
// (docs/decisions/0045).

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/salvage"
	"github.com/simdb/simdb/internal/progress"
)

// Salvage copies all that can be read of the store in a directory, which need not open and
// is never written, to a new store: collections with their settings, and documents with
// their texts and metadata. lost is told each thing that is missing or damaged, as it is
// found. The new store gets its name when it is whole; until then it is to.partial. Notes
// come along only where nothing was lost: an import would else go on behind what is gone.
func Salvage(ctx context.Context, from, to string, opts *Options, lost func(what string)) (done api.Salvaged, err error) {
	o := opts.withDefaults()
	files := o.fs
	partial := disk.Partial(to)
	for _, path := range []string{to, partial} {
		if _, err := files.Stat(path); err == nil {
			return done, fmt.Errorf("salvage to %s: %s: %w", to, path, fs.ErrExist)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return done, err
		}
	}
	if _, err := files.Stat(from); err != nil {
		return done, fmt.Errorf("salvage: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("salvage %s: %w", from, errors.Join(err, files.RemoveAll(partial)))
		}
	}()
	target := o
	target.MustExist, target.ReadOnly, target.MaxDocBytes = false, false, maxTextBytes
	db, err := OpenContext(ctx, partial, &target)
	if err != nil {
		return done, err
	}
	s := salvager{db: db, lost: func(what string) {
		done.Lost++
		lost(what)
	}, done: &done}
	err = errors.Join(s.run(ctx, files, from, files.PathJoin(partial, "salvage")), db.Close())
	if err != nil {
		return done, err
	}
	return done, disk.Whole(files, to)
}

// salvager fills a new store.
type salvager struct {
	db   *DB
	lost func(what string)
	done *api.Salvaged
}

func (s *salvager) run(ctx context.Context, files vfs.FS, from, scratch string) (err error) {
	old, err := salvage.Open(ctx, files, from, scratch, s.db.opts.unicode, s.db.shared.Codec, s.lost)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	all, err := old.Collections(ctx)
	if err != nil {
		return err
	}
	ctx, stage := progress.Begin(ctx, "documents salvaged", 0)
	a := again{store: func(b *Batch) error { return s.store(ctx, b) }}
	for _, c := range all {
		if err := s.db.CreateCollection(ctx, c.Schema.Name, c.Schema.Settings); err != nil {
			return fmt.Errorf("collection %q: %w", c.Schema.Name, err)
		}
		s.done.Collections++
		err := old.Documents(ctx, c, func(d api.Document) error {
			stage.Add(1)
			return a.add(d, 0)
		})
		if err = errors.Join(err, a.flush()); err == nil {
			err = s.groupings(ctx, old, c)
		}
		if err != nil {
			return err
		}
	}
	if s.done.Lost > 0 {
		return nil
	}
	return old.Notes(ctx, func(name string, value []byte) error {
		var b Batch
		b.Note(name, append([]byte{}, value...))
		_, err := s.db.Commit(ctx, &b)
		s.done.Notes++
		return err
	})
}

// groupings makes the groupings of a collection anew.
func (s *salvager) groupings(ctx context.Context, old *salvage.Store, c *salvage.Collection) error {
	kept := map[string]api.Grouping{}
	err := old.Groupings(ctx, c, func(name string, value []byte) error {
		delete(kept, name)
		if len(value) == 0 {
			return nil
		}
		g, err := groups.Decode(c.Schema, value)
		if err != nil {
			s.lost(err.Error())
			return nil
		}
		kept[g.Name] = g.Grouping
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		err := s.db.CreateGroups(ctx, kept[name])
		switch {
		case errors.Is(err, api.ErrExists), errors.Is(err, api.ErrInvalid):
			s.lost(fmt.Sprintf("groups %q of collection %q: %v", name, c.Schema.Name, err))
		case err != nil:
			return err
		}
	}
	return nil
}

// store stores documents. Where one is refused, the others are stored one by one.
func (s *salvager) store(ctx context.Context, b *Batch) error {
	_, err := s.db.Commit(ctx, b)
	if err == nil {
		s.done.Documents += int64(b.Len())
		return nil
	}
	if !refusedDocument(err) {
		return err
	}
	for _, o := range b.ops {
		err := s.db.Put(ctx, o.doc)
		switch {
		case err == nil:
			s.done.Documents++
		case refusedDocument(err):
			s.lost(fmt.Sprintf("document %q of collection %q: %v", o.doc.ID, o.doc.Collection, err))
		default:
			return err
		}
	}
	return nil
}

func refusedDocument(err error) bool {
	return errors.Is(err, api.ErrSimilar) || errors.Is(err, api.ErrInvalid) || errors.Is(err, api.ErrTooLarge)
}
