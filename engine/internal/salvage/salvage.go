// Package salvage reads a store that does not open: every table of Pebble's and every
// segment of the log by itself, whatever else is missing. What they still say of
// collections and documents comes out; what was lost is told. It writes nothing into the
// store, and knows nothing of derived data, which is made anew from the documents
// (docs/decisions/0045).
package salvage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Store is what could be read of a broken store. Use it from one goroutine; Close it.
type Store struct {
	broken  *disk.Broken
	codec   *record.Codec
	unicode string
	lost    func(what string)
	scratch *pebble.DB
	fs      vfs.FS
	dir     string // of scratch
	layer   byte   // of scratch, which records are applied to: newestKey or olderKey

	ended   []span            // ranges that were deleted
	applied uint64            // of the log, as the tables have it
	last    uint64            // of all records that anything tells of
	puts    map[uint32]uint32 // by collection, those of records that the tables lack
	losses
	dictionaries map[uint32]int64 // by collection, the greatest number of a dictionary that its texts in tables name, and one more
}

// losses are what decides whether numbers that callers keep still hold.
type losses struct {
	damaged bool // a table is damaged or missing: numbers may be older than callers know
	unsure  bool // records of the log, or what they are read with, are lost
	inForce bool // what the history is read with could be read
}

// Open reads the tables and the log of a broken store, which the caller closes, into the
// scratch directory, which must not exist and is removed by Close. lost is told each thing that
// could not be read.
func Open(ctx context.Context, broken *disk.Broken, fs vfs.FS, scratch, unicode string, codec *record.Codec, lost func(what string)) (_ *Store, err error) {
	s := &Store{broken: broken, codec: codec, unicode: unicode, lost: lost, fs: fs, dir: scratch, layer: newestKey, puts: map[uint32]uint32{}, dictionaries: map[uint32]int64{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	s.scratch, err = pebble.Open(scratch, &pebble.Options{
		FS: fs, DisableWAL: true, FormatMajorVersion: pebble.FormatNewest, ErrorIfExists: true,
		Logger: quiet{slog.New(slog.DiscardHandler)},
	})
	if err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{s.readTables, s.resolve, s.readOlder, s.count, s.readLogs} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// quiet keeps Pebble from ending the process and from writing to standard error.
type quiet struct{ l *slog.Logger }

func (q quiet) Infof(format string, args ...any)  { q.l.Debug(fmt.Sprintf(format, args...)) }
func (q quiet) Errorf(format string, args ...any) { q.l.Info(fmt.Sprintf(format, args...)) }
func (q quiet) Fatalf(format string, args ...any) { q.l.Error(fmt.Sprintf(format, args...)) }

// Close removes the scratch directory.
func (s *Store) Close() error {
	var errs []error
	if s.scratch != nil {
		errs = append(errs, s.scratch.Close(), s.fs.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// The scratch has six kinds of keys.
const (
	entryKey   = 'e' // what tables have: a key of the store, escaped, and the complement of its sequence number
	newestKey  = 'n' // a key of the store: the newest sealed value
	olderKey   = 'o' // likewise, as records say that the tables have it (older.go)
	goneKey    = 'g' // the key of a document in that layer: the record that deleted it, 8 bytes
	deletedKey = 'x' // the key of a document that the log deleted
	soughtKey  = 't' // a collection, the id of a document, escaped, and a set that a text of it lies under
)

func newest(key []byte) []byte { return append([]byte{newestKey}, key...) }

// in is a key of the store in the layer that records are applied to.
func (s *Store) in(key []byte) []byte { return append([]byte{s.layer}, key...) }

func (s *Store) get(key []byte) ([]byte, error) {
	v, err := disk.Get(s.scratch, s.in(key))
	if v == nil || err != nil {
		return nil, err
	}
	return disk.Unseal(key, v)
}

// put stores a value as the store would have it.
func (s *Store) put(key, value []byte) error {
	return s.scratch.Set(s.in(key), disk.Seal(key, value), pebble.NoSync)
}

func (s *Store) remove(key []byte) error { return s.scratch.Delete(s.in(key), pebble.NoSync) }

// each goes through the newest values under a prefix of the store's keys. What is not
// what was stored is told as lost.
func (s *Store) each(ctx context.Context, prefix []byte, yield func(key, value []byte) error) error {
	return s.eachIn(ctx, newestKey, prefix, s.lost, yield)
}

func (s *Store) eachIn(ctx context.Context, layer byte, prefix []byte, lost func(what string), yield func(key, value []byte) error) error {
	return disk.Scan(s.scratch, append([]byte{layer}, prefix...), func(k, sealed []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		value, err := disk.Unseal(k[1:], sealed)
		if err != nil {
			lost(err.Error())
			return nil
		}
		return yield(k[1:], value)
	})
}

// escape writes a key so that others sort after it and not between what follows it.
func escape(dst, key []byte) []byte {
	for _, c := range key {
		if dst = append(dst, c); c == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 1)
}

func unescape(b []byte) (key []byte, seq uint64) {
	n := len(b) - 10
	for i := 0; i < n; i++ {
		if key = append(key, b[i]); b[i] == 0 {
			i++
		}
	}
	return key, ^binary.BigEndian.Uint64(b[n+2:])
}

// kept says which key spaces are read: those of what cannot be derived.
func kept(key []byte) bool {
	if len(key) == 0 {
		return false
	}
	switch keys.Space(key[0]) {
	case keys.Applied, keys.Collection, keys.Counters, keys.Note, keys.Dictionary, keys.Erase, keys.Document, keys.Text, keys.Ledger:
		return true
	}
	return grouped(keys.Space(key[0]))
}

// Spaces whose values are taken as they are: the numbers of groups follow from them.
var Groups = []keys.Space{keys.GroupDoc, keys.GroupOf, keys.Group, keys.GroupID}

func grouped(s keys.Space) bool { return s == keys.Grouping || slices.Contains(Groups, s) }
