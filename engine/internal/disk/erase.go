package disk

// Files without what was erased: tables, Pebble's manifest and copies (docs/decisions/0071).

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/internal/keys"
)

// How far the erasure of documents has come, in the first byte of the value of the key
// Erase without an id. Behind it is the number of the log record up to which it goes.
const (
	ErasingTables   = 1 // tables are to be written anew
	ErasingManifest = 2 // Pebble's manifest is to be written anew, which closing does
)

// RewriteHistory takes out of the kept log what change takes out of its records up to a
// number. No log segment may be retired meanwhile. STATE tells before: what is left of these
// records does not fit the tables of a copy that was made before them.
func (s *Store) RewriteHistory(ctx context.Context, upTo uint64, change func(history.Record) ([]byte, error)) error {
	if !s.keepsLog() {
		return nil
	}
	s.was.Erasing = max(s.was.Erasing, upTo)
	if err := s.saveState(s.saved.Applied, s.saved.Documents); err != nil {
		return err
	}
	return s.kept.Rewrite(ctx, upTo, change)
}

// RewriteTables is Compact that writes every table anew, so that none has a key that was
// deleted, if no snapshot sees it. Pebble would move some tables as they are, and leave those
// alone that nothing lies over. So all is brought down first, and then something that says
// nothing is laid over all of it.
func (s *Store) RewriteTables(ctx context.Context) error {
	if err := s.Compact(ctx); err != nil {
		return err
	}
	old, spaces, err := s.tables()
	if err != nil {
		return err
	}
	for space := range spaces {
		if err := s.pebble.RangeKeyDelete([]byte{space}, []byte{space + 1}, pebble.NoSync); err != nil {
			return PebbleError(err)
		}
	}
	s.unsaved.note()
	if err := s.Flush(ctx); err != nil {
		return err
	}
	if err := s.Compact(ctx); err != nil {
		return err
	}
	now, _, err := s.tables()
	for n := range now {
		if old[n] && err == nil {
			err = fmt.Errorf("table %d was not written anew; compact again", n)
		}
	}
	return err
}

// tables returns the numbers of Pebble's tables, and the key spaces that they have.
func (s *Store) tables() (numbers map[uint64]bool, spaces map[byte]bool, err error) {
	levels, err := s.pebble.SSTables()
	if err != nil {
		return nil, nil, PebbleError(err)
	}
	numbers, spaces = map[uint64]bool{}, map[byte]bool{}
	for _, t := range slices.Concat(levels...) {
		numbers[uint64(t.FileNum)] = true
		for space := t.Smallest.UserKey[0]; space <= t.Largest.UserKey[0]; space++ {
			spaces[space] = true
		}
	}
	return numbers, spaces, nil
}

// Unremoved is how many tables are there that are no longer needed, or are still read.
func (s *Store) Unremoved() int64 {
	m := s.pebble.Metrics().Table
	return m.ObsoleteCount + m.ZombieCount
}

// SetErased says durably that history and tables lack what was erased up to a record. No copy
// may be begun, and no log segment retired, meanwhile.
func (s *Store) SetErased(seq uint64) error {
	s.was.Erased = max(s.was.Erased, seq)
	return s.saveState(s.saved.Applied, s.saved.Documents)
}

// wantsManifest says whether the manifest names keys that were erased: Pebble's list of tables
// has the first and the last key of each, also of those that are gone.
func (s *Store) wantsManifest() bool {
	if s.opts.ReadOnly || s.Poisoned() != nil {
		return false
	}
	v, err := Get(s.pebble, keys.Of(keys.Erase))
	return err == nil && len(v) > 0 && v[0] == ErasingManifest
}

// renewManifest has Pebble begin a new manifest in a directory, which nobody has open, and
// deletes the others. Pebble begins one with the first flush after it was opened, and keeps the
// one before.
func (s *Store) renewManifest(dir string) error {
	f := s.opts.FS
	p, err := s.openPebble(dir)
	if err != nil {
		return err
	}
	err = p.Delete(keys.Of(keys.Erase), pebble.NoSync)
	if err == nil {
		err = s.flushAll(context.Background(), p)
	}
	err = errors.Join(err, p.Close())
	s.opts.Tables.give()
	if err = errors.Join(err, s.Poisoned()); err != nil {
		return PebbleError(err)
	}
	d, err := pebble.Peek(dir, f)
	if err != nil {
		return PebbleError(err)
	}
	names, err := listed(f, dir, "")
	for _, n := range names {
		if strings.HasPrefix(n, "MANIFEST-") && n != f.PathBase(d.ManifestFilename) {
			err = errors.Join(err, f.Remove(f.PathJoin(dir, n)))
		}
	}
	return errors.Join(err, durable.SyncDir(f, dir))
}

// Replace puts a copy that is whole in the place of another, which is deleted. Finish does
// what a crash has kept it from.
func Replace(f vfs.FS, dir, by string) error {
	if err := f.Rename(dir, dir+replacedSuffix); err != nil {
		return err
	}
	if err := f.Rename(by, dir); err != nil {
		return err
	}
	if err := durable.SyncDir(f, f.PathDir(dir)); err != nil {
		return err
	}
	return FinishReplace(f, dir)
}

// replacedSuffix is what the name of a copy ends in while another takes its place.
const replacedSuffix = ".replaced"

// FinishReplace deletes the copy that another has taken the place of. Where none has, because
// of a crash, it is the copy again.
func FinishReplace(f vfs.FS, dir string) error {
	old := dir + replacedSuffix
	switch {
	case !durable.Exists(f, old):
		return nil
	case !durable.Exists(f, dir):
		return errors.Join(f.Rename(old, dir), durable.SyncDir(f, f.PathDir(dir)))
	}
	return f.RemoveAll(old)
}
