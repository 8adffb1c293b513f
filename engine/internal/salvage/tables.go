package salvage

// Pebble tables, each read by itself. The manifest may be damaged, so it does not decide which
// tables count: the newest entry of each key wins.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
)

// span is a deleted key range.
type span struct {
	start, end []byte
	seq        uint64
}

// readTables reads every table; damage to a table does not stop the others.
func (s *Store) readTables(ctx context.Context) error {
	paths, err := s.broken.Tables()
	if err != nil {
		return err
	}
	ctx, stage := progress.Begin(ctx, "tables read", int64(len(paths)))
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		stage.Add(1)
		err := s.readTable(ctx, path)
		if _, ok := errors.AsType[*scratchError](err); ok || ctx.Err() != nil {
			return err
		}
		if err != nil {
			s.damaged = true
			s.lost(fmt.Sprintf("%s: %s", path, strings.ReplaceAll(err.Error(), "\n", "; ")))
		}
	}
	return nil
}

// scratchError marks errors that are not damage: of the scratch database or of the context.
type scratchError struct{ error }

// readTable copies the entries of a table to the scratch database. It reads a damaged table from
// both ends up to the damage.
func (s *Store) readTable(ctx context.Context, path string) (err error) {
	defer func() {
		if r := recover(); r != nil { // Pebble panics on damage that its checksums miss
			err = fmt.Errorf("%v", r)
		}
	}()
	f, err := s.broken.Open(path)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	var o pebble.Options
	o.EnsureDefaults()
	r, err := sstable.NewReader(ctx, readable, o.MakeReaderOptions())
	if err != nil {
		return errors.Join(err, f.Close())
	}
	defer r.Close()
	return errors.Join(s.readEntries(ctx, r, false), s.readRanges(ctx, r))
}

// readEntries reads entries in one direction until the end or damage. If it meets damage on the way
// forwards, it also reads backwards from the end.
func (s *Store) readEntries(ctx context.Context, r *sstable.Reader, backwards bool) (err error) {
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.TableBlobContext{})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, it.Close())
		var full *scratchError
		if err != nil && !backwards && !errors.As(err, &full) {
			if again := s.readEntries(ctx, r, true); errors.As(again, &full) {
				err = again
			}
		}
	}()
	move, kv := it.Next, it.First
	if backwards {
		move, kv = it.Prev, it.Last
	}
	for e := kv(); e != nil; e = move() {
		if err := ctx.Err(); err != nil {
			return &scratchError{err}
		}
		if !kept(e.K.UserKey) {
			continue
		}
		value, _, err := e.Value(nil)
		if err != nil {
			return err
		}
		if err := s.take(e.K.UserKey, uint64(e.K.SeqNum()), e.K.Kind(), value); err != nil {
			return &scratchError{err}
		}
	}
	return it.Error()
}

// take stores an entry with its sequence number.
func (s *Store) take(key []byte, seq uint64, kind pebble.InternalKeyKind, value []byte) error {
	to := binary.BigEndian.AppendUint64(escape([]byte{entryKey}, key), ^seq)
	switch kind {
	case pebble.InternalKeyKindSet, pebble.InternalKeyKindSetWithDelete:
		return s.set(to, append([]byte{1}, value...))
	case pebble.InternalKeyKindDelete, pebble.InternalKeyKindSingleDelete, pebble.InternalKeyKindDeleteSized:
		return s.set(to, []byte{0})
	}
	return nil
}

// readRanges reads the range deletions of a table.
func (s *Store) readRanges(ctx context.Context, r *sstable.Reader) error {
	it, err := r.NewRawRangeDelIter(ctx, sstable.NoFragmentTransforms, sstable.NoReadEnv)
	if it == nil || err != nil {
		return err
	}
	defer it.Close()
	for sp, err := it.First(); sp != nil || err != nil; sp, err = it.Next() {
		if err != nil {
			return err
		}
		if len(sp.Keys) > 0 { // keys are sorted newest first
			s.ended = append(s.ended, span{bytes.Clone(sp.Start), bytes.Clone(sp.End), uint64(sp.Keys[0].SeqNum())})
		}
	}
	return nil
}

// resolve keeps the newest entry of each key, unless a newer range deletion covers it.
func (s *Store) resolve(ctx context.Context) error {
	var last []byte
	batch := s.scratch.NewBatch()
	defer batch.Close()
	move := func() error {
		err := s.write(func(b *pebble.Batch) error { return b.Apply(batch, nil) })
		batch.Reset()
		return err
	}
	err := disk.Scan(s.scratch, []byte{entryKey}, func(k, value []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		// Entries of a key are sorted newest first: the complement of the sequence number ends the
		// scratch key.
		key, seq := unescape(k[1:])
		if bytes.Equal(key, last) {
			return nil
		}
		last = key
		if len(value) == 0 || value[0] == 0 || s.isDeleted(key, seq) {
			return nil
		}
		s.noteDictionary(key, value[1:])
		if err := batch.Set(newest(key), value[1:], nil); err != nil {
			return err
		}
		if batch.Len() < 1<<20 {
			return nil
		}
		return move()
	})
	if err != nil {
		return err
	}
	if err := move(); err != nil {
		return err
	}
	if v, err := disk.Get(s.scratch, newest(keys.Of(keys.Applied))); err == nil && len(v) == 8 && binary.BigEndian.Uint64(v) <= mostRecords {
		s.applied = binary.BigEndian.Uint64(v)
	}
	return s.write(func(b *pebble.Batch) error { return disk.DeleteUnder(b, []byte{entryKey}) })
}

// isDeleted reports whether a range deletion after seq covers a key.
func (s *Store) isDeleted(key []byte, seq uint64) bool {
	for _, sp := range s.ended {
		if seq < sp.seq && bytes.Compare(sp.start, key) <= 0 && bytes.Compare(key, sp.end) < 0 {
			return true
		}
	}
	return false
}
