// Package salvage reads a store that does not open: each Pebble table and each log segment by
// itself, whatever else is missing. It yields the readable collections and documents and reports
// the rest as lost. It never writes to the broken store. It skips derived data, which the new
// store derives from the documents (docs/decisions/0045). Begin with Open, which fills a
// scratch database, and Documents, which reads it.
package salvage

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Store is the readable part of a broken store. Use it from one goroutine, and Close it.
type Store struct {
	broken  *disk.Broken
	codec   *record.Codec
	unicode string
	lost    func(what string)
	under   *disk.Store // of scratch
	scratch *pebble.DB  // for reading
	fs      vfs.FS
	dir     string // of the scratch database
	layer   byte   // target of apply: newestKey or olderKey

	ended   []span            // deleted key ranges
	applied uint64            // last log record in the tables
	last    uint64            // greatest record number found anywhere
	puts    map[uint32]uint32 // by collection, puts in records that the tables lack
	losses
	dictionaries map[uint32]int64 // by collection, one more than the greatest dictionary number in its table texts
}

// losses decide whether numbers in callers' marks remain valid.
type losses struct {
	damaged bool // a table is damaged or missing, so known numbers may be too low
	unsure  bool // log records, or settings to decode them, are lost
	inForce bool // the settings of the history are readable
}

// Open reads the tables and the log of a broken store into a scratch database. The directory
// scratch must not exist; Close removes it. The caller closes broken. lost receives a description
// of each unreadable part. An error means that the scratch cannot be written or ctx ended, never
// damage.
func Open(ctx context.Context, broken *disk.Broken, fs vfs.FS, scratch, unicode string, codec *record.Codec, lost func(what string)) (_ *Store, err error) {
	s := &Store{broken: broken, codec: codec, unicode: unicode, lost: lost, fs: fs, dir: scratch, layer: newestKey, puts: map[uint32]uint32{}, dictionaries: map[uint32]int64{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	s.under, err = disk.Open(ctx, scratch, disk.Options{FS: fs, MemTableBytes: 4 << 20, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	s.under.Opened()
	s.scratch = s.under.Pebble()
	// count precedes readLogs, because counters and STATE describe the tables alone. readOlder needs
	// the applied number, which resolve reads.
	for _, step := range []func(context.Context) error{s.readTables, s.resolve, s.readOlder, s.count, s.readLogs} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Close removes the scratch directory.
func (s *Store) Close() error {
	var err error
	if s.under != nil {
		err = s.under.Close()
	}
	return errors.Join(err, s.fs.RemoveAll(s.dir))
}

// write applies changes to the scratch database. It waits while the database lags behind, and
// returns the first error of its disk.
func (s *Store) write(add func(b *pebble.Batch) error) error {
	for {
		advanced := s.under.Advancing()
		if err := s.under.Poisoned(); err != nil {
			return err
		}
		if !s.under.Behind() {
			return s.under.Change(add)
		}
		select {
		case <-advanced:
		case <-s.under.Failed():
		}
	}
}

// set stores a value under a key of the scratch database.
func (s *Store) set(key, value []byte) error {
	return s.write(func(b *pebble.Batch) error { return b.Set(key, value, nil) })
}

// Key prefixes of the scratch database.
const (
	entryKey   = 'e' // table entries: escaped store key, complement of its sequence number
	newestKey  = 'n' // store key: newest sealed value
	olderKey   = 'o' // likewise, from records that the tables contain (older.go)
	goneKey    = 'g' // document key in the older layer: number of the record that deleted it, 8 bytes
	deletedKey = 'x' // document key that the log deleted
	soughtKey  = 't' // collection, escaped document id, set under which the document has a text
)

// newest returns the scratch key of a store key.
func newest(key []byte) []byte { return append([]byte{newestKey}, key...) }

// in returns the key in the current layer.
func (s *Store) in(key []byte) []byte { return append([]byte{s.layer}, key...) }

// get returns an unsealed value of the current layer; nil if there is none.
func (s *Store) get(key []byte) ([]byte, error) {
	v, err := disk.Get(s.scratch, s.in(key))
	if v == nil || err != nil {
		return nil, err
	}
	return disk.Unseal(key, v)
}

// put seals and stores a value in the current layer.
func (s *Store) put(key, value []byte) error {
	return s.set(s.in(key), disk.Seal(key, value))
}

// remove deletes a key of the current layer.
func (s *Store) remove(key []byte) error { return s.delete(s.in(key)) }

// delete removes a key of the scratch database.
func (s *Store) delete(key []byte) error {
	return s.write(func(b *pebble.Batch) error { return b.Delete(key, nil) })
}

// each calls yield with the newest values under a prefix, and reports values with a wrong seal as
// lost.
func (s *Store) each(ctx context.Context, prefix []byte, yield func(key, value []byte) error) error {
	return s.eachIn(ctx, newestKey, prefix, s.lost, yield)
}

// eachIn is each for any layer and any receiver of losses.
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

// escape appends a key in a form that keeps the order of keys. No other key sorts between an escaped
// key and the same with a suffix.
func escape(dst, key []byte) []byte {
	for _, c := range key {
		if dst = append(dst, c); c == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 1)
}

// unescape splits the output of escape and the sequence number after it.
func unescape(b []byte) (key []byte, seq uint64) {
	n := len(b) - 10
	for i := 0; i < n; i++ {
		if key = append(key, b[i]); b[i] == 0 {
			i++
		}
	}
	return key, ^binary.BigEndian.Uint64(b[n+2:])
}

// kept reports whether salvage reads a key: its value cannot be derived from documents.
func kept(key []byte) bool {
	if len(key) == 0 {
		return false
	}
	switch keys.Space(key[0]) {
	case keys.Applied, keys.Collection, keys.Counters, keys.Note, keys.Dictionary, keys.Erase, keys.Document, keys.Text, keys.Ledger:
		return true
	}
	return isGroupSpace(keys.Space(key[0]))
}

// Groups are the key spaces that are copied unchanged, so that groups keep their numbers.
var Groups = []keys.Space{keys.GroupDoc, keys.GroupOf, keys.Group, keys.GroupID}

// isGroupSpace reports whether a key space belongs to a grouping.
func isGroupSpace(s keys.Space) bool { return s == keys.Grouping || slices.Contains(Groups, s) }
