package engine

// A Bloom filter that saves lookups in a collection that was empty when first opened.

import (
	"encoding/binary"
	"hash/maphash"
	"math"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// seen is a Bloom filter of all ids and digests that a collection ever received. It saves
// looking up new ones in the store. It exists only for a collection that was empty when
// this process first saw it, so an id or digest that the filter lacks is not stored. An
// id or digest that the filter has may be stored or not.
//
// It grows in layers. Each of the first layers is eight times as large as the one before,
// so that few need probing; later layers double. A nil filter has every id and digest.
type seen struct {
	layers [][]uint64
	room   int // entries left in the last layer
	bytes  int64
}

const (
	firstSeen    = 1 << 13 // entries of the first layer
	seenBits     = 12      // per entry of a layer
	seenProbes   = 4
	seenShare    = 4 // 1/seenShare of the memory setting, per collection: 14 million documents with 256 MiB
	seenHashStep = 0x9e3779b97f4a7c15
)

var seenSeed = maphash.MakeSeed()

// seenID returns the hash of an id.
func seenID(id string) uint64 { return maphash.String(seenSeed, id) }

// seenDigest returns the hash of a set's digest, which is random already.
func seenDigest(d [16]byte) uint64 {
	return binary.LittleEndian.Uint64(d[:]) ^ binary.LittleEndian.Uint64(d[8:])*seenHashStep
}

// has reports whether a hash may have been added. All probes of a layer are in one cache
// line.
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

// add adds a hash. It returns nil beyond the budget, because an incomplete filter is
// useless.
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

// Lookups with the filter.

// document reads the stored record of a document; nil if it does not exist. A batch
// contains each id once, so Pebble's answer is current.
func (db *DB) document(c *collection, id string) (*record.DocumentRecord, error) {
	if !c.seen.has(seenID(id)) {
		return nil, nil
	}
	return view.ReadRecord(db.disk.Pebble(), c.Schema, id)
}

// setOf looks up the set of a digest in the store. The set may have ended earlier in the
// present batch, which the store does not contain yet.
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

// remember adds the hash of an id or a digest to the filter of a collection.
func (c *collection) remember(hash uint64, memory int64) {
	c.seen = c.seen.add(hash, memory/seenShare)
}
