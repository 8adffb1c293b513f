package disk

// Rewriting tables, Pebble's manifest and copies so that they lack erased documents
// (docs/decisions/0071).

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/internal/keys"
)

// Stages of an erasure: the first byte of the value under the key Erase without an id. The rest
// of the value is the number of the last log record that the erasure covers.
const (
	ErasingTables   = 1 // the tables need rewriting
	ErasingManifest = 2 // Pebble's manifest needs rewriting, which Close does
)

// RewriteHistory applies change, which removes erased documents from a record, to the kept log
// records up to upTo, and settings to their settings. The caller must keep log segments from retiring during the call. STATE
// records the erasure first, because the remaining records no longer fit the tables of an older
// copy.
func (s *Store) RewriteHistory(ctx context.Context, upTo uint64, change, settings func(history.Record) ([]byte, error)) error {
	if !s.keepsLog() {
		return nil
	}
	s.was.Erasing = max(s.was.Erasing, upTo)
	if err := s.saveState(s.saved.Applied, s.saved.Documents); err != nil {
		return err
	}
	return s.kept.Rewrite(ctx, upTo, change, settings)
}

// RewriteTables compacts the store so that every table is rewritten, and none holds a deleted
// key that no snapshot can see. Pebble would move some tables unchanged, and skip tables without
// overlap. So RewriteTables compacts everything, lays a range deletion without effect over each
// key space, and compacts again. It returns an error if an old table remains.
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
	s.pressure.unsaved.note()
	if err := s.Flush(ctx); err != nil {
		return err
	}
	if err := s.Compact(ctx); err != nil {
		return err
	}
	now, _, err := s.tables()
	for n := range now {
		if old[n] && err == nil {
			err = fmt.Errorf("table %d was not rewritten; compact again", n)
		}
	}
	return err
}

// tables returns the numbers of Pebble's tables and the key spaces in them.
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

// Unremoved returns the number of tables that are obsolete but still read or not yet deleted.
func (s *Store) Unremoved() int64 {
	m := s.pebble.Metrics().Table
	return m.ObsoleteCount + m.ZombieCount
}

// SetErased durably records that history and tables lack all documents erased up to record seq.
// The caller must keep copies from beginning, and log segments from retiring, during the call.
func (s *Store) SetErased(seq uint64) error {
	s.was.Erased = max(s.was.Erased, seq)
	return s.saveState(s.saved.Applied, s.saved.Documents)
}

// needsManifest reports whether the manifest may name erased keys: it lists the first and last
// key of each table, including deleted tables.
func (s *Store) needsManifest() bool {
	if s.opts.ReadOnly || s.Poisoned() != nil {
		return false
	}
	v, err := Get(s.pebble, keys.Of(keys.Erase))
	return err == nil && len(v) > 0 && v[0] == ErasingManifest
}

// renewManifest makes Pebble begin a new manifest in a directory, and deletes all others. The
// Pebble of the directory must be closed. Pebble begins a manifest at the first flush after
// opening, and keeps the previous one.
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
	s.opts.Tables.release()
	if err = errors.Join(err, s.Poisoned()); err != nil {
		return PebbleError(err)
	}
	return errors.Join(s.removeManifests(dir), durable.SyncDir(f, dir))
}

// removeManifests removes all manifests of a closed Pebble but the current one.
func (s *Store) removeManifests(dir string) error {
	f := s.opts.FS
	names, err := list(f, dir, "")
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, "MANIFEST-") })
	if err != nil || len(names) < 2 {
		return err
	}
	d, err := pebble.Peek(dir, f)
	if err != nil {
		return PebbleError(err)
	}
	for _, n := range names {
		if n != f.PathBase(d.ManifestFilename) {
			err = errors.Join(err, f.Remove(f.PathJoin(dir, n)))
		}
	}
	return err
}

// Replace moves the finished copy at by to dir, and deletes the old copy there. After a crash,
// FinishReplace completes or undoes the replacement.
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

// replacedSuffix ends the name of the old copy during Replace.
const replacedSuffix = ".replaced"

// FinishReplace completes or undoes a Replace that a crash interrupted: it deletes the old copy,
// or renames it back if the new copy is not in place yet.
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

// KeptSettings returns the settings that decode the history. The caller keeps log segments from
// retiring.
func (s *Store) KeptSettings() (all [][]byte) {
	_, of, _ := history.Read(s.opts.FS, s.path) // without a history there are none
	for _, o := range of {
		all = append(all, o.Settings)
	}
	return all
}

// Logged iterates over the records of history and log up to record upTo, which must be synced. The
// caller keeps log segments from retiring.
func (s *Store) Logged(ctx context.Context, upTo uint64) iter.Seq2[[]byte, error] {
	return s.kept.Payloads(ctx, upTo)
}
