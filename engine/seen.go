package engine

// What need not be looked up: a filter over all ids and digests that a new collection
// was given.

import (
	"encoding/binary"
	"hash/maphash"
	"math"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// seen remembers, as a Bloom filter does, the ids and digests that a collection
// was ever given, so that new ones need not be looked up in the store. It is only
// kept of a collection that was empty when this process first saw it: what it
// does not have is not there. What it has may be.
//
// It grows by layers: the first few eightfold, so that there are few to ask, the others each
// twice as large as the one before. nil knows nothing.
type seen struct {
	layers [][]uint64
	room   int // entries that the last layer still takes
	bytes  int64
}

const (
	firstSeen    = 1 << 13 // entries of the first layer
	seenBits     = 12      // of a layer for each entry
	seenProbes   = 4
	seenShare    = 4 // of the memory setting, for one collection: 14 million documents of 256 MiB
	seenHashStep = 0x9e3779b97f4a7c15
)

var seenSeed = maphash.MakeSeed()

func seenID(id string) uint64 { return maphash.String(seenSeed, id) }

func seenDigest(d [16]byte) uint64 {
	return binary.LittleEndian.Uint64(d[:]) ^ binary.LittleEndian.Uint64(d[8:])*seenHashStep
}

// has reports whether a hash may have been added. All probes of a hash are in
// one cache line.
func (s *seen) has(hash uint64) bool {
	if s == nil {
		return true
	}
	for _, layer := range s.layers {
		line, mask := place(layer, hash)
		found := true
		for i := range mask {
			found = found && line[i]&mask[i] == mask[i]
		}
		if found {
			return true
		}
	}
	return false
}

// add takes a hash in. It returns nil when it has grown beyond the budget: a
// filter that misses anything is of no use.
func (s *seen) add(hash uint64, budget int64) *seen {
	if s == nil {
		return nil
	}
	if s.room == 0 {
		n := len(s.layers)
		entries := firstSeen << min(3*n, n+6)
		words := (entries*seenBits/64 + 7) &^ 7
		if s.bytes += int64(8 * words); s.bytes > budget {
			return nil
		}
		s.layers = append(s.layers, make([]uint64, words))
		s.room = entries
	}
	s.room--
	line, mask := place(s.layers[len(s.layers)-1], hash)
	for i := range mask {
		line[i] |= mask[i]
	}
	return s
}

// place returns the cache line of a hash, and its bits there.
func place(layer []uint64, hash uint64) (line *[8]uint64, mask [8]uint64) {
	lines := uint64(len(layer) / 8)
	at := (hash >> 32) * lines / (math.MaxUint32 + 1) * 8
	bits := hash * seenHashStep
	for range seenProbes {
		mask[bits>>61] |= 1 << (bits >> 55 & 63)
		bits <<= 9
	}
	return (*[8]uint64)(layer[at : at+8]), mask
}

// Lookups that the filter saves.

// document reads the stored record of a document; nil if it is not there. A batch holds
// each id once, so Pebble's answer is not out of date.
func (db *DB) document(c *collection, id string) (*record.DocumentRecord, error) {
	if !c.seen.has(seenID(id)) {
		return nil, nil
	}
	return view.ReadRecord(db.disk.Pebble(), c.Schema, id)
}

// setOf finds the set of a digest as it is stored; it may have ended in this batch.
func (db *DB) setOf(c *collection, digest [16]byte) (set uint32, known bool, err error) {
	if !c.seen.has(seenDigest(digest)) {
		return 0, false, nil
	}
	v, err := disk.Get(db.disk.Pebble(), keys.OfDigest(c.Number, digest))
	if err != nil || len(v) != 4 {
		return 0, false, err
	}
	return binary.BigEndian.Uint32(v), true, nil
}

// remember adds an id or a digest to the filter of a collection.
func (c *collection) remember(hash uint64, memory int64) {
	c.seen = c.seen.add(hash, memory/seenShare)
}
