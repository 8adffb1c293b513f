package pairs

// The ids of documents that a join has met, kept small until the rows need them.

import (
	"encoding/binary"
	"math"
)

// knownIDs keeps the ids of the documents of some sets of a view. As strings in a
// map, those of a join of a million documents took 30 MB and the collector's time.
type knownIDs struct {
	places  []uint32 // by set: one more than where its record begins, 0 if it has none
	records []byte   // how many ids, then each with its length before it, in varints
}

// bytes is about what they take.
func (k *knownIDs) bytes() int64 { return int64(len(k.records)) + 4*int64(len(k.places)) }

// add keeps the ids of one of so many sets that has none yet, as long as places can
// be told.
func (k *knownIDs) add(set, sets uint32, ids []string) {
	if int64(len(k.records)) >= math.MaxUint32 {
		return
	}
	if k.places == nil {
		k.places = make([]uint32, sets)
	}
	k.places[set] = uint32(len(k.records)) + 1
	k.records = binary.AppendUvarint(k.records, uint64(len(ids)))
	for _, id := range ids {
		k.records = append(binary.AppendUvarint(k.records, uint64(len(id))), id...)
	}
}

func (k *knownIDs) has(set uint32) bool { return int(set) < len(k.places) && k.places[set] > 0 }

// get returns the ids of a set, if it has them.
func (k *knownIDs) get(set uint32) (ids []string, ok bool) {
	if !k.has(set) {
		return nil, false
	}
	b := k.records[k.places[set]-1:]
	next := func() int {
		x, n := binary.Uvarint(b)
		b = b[n:]
		return int(x)
	}
	ids = make([]string, next())
	for i := range ids {
		n := next()
		ids[i], b = string(b[:n]), b[n:]
	}
	return ids, true
}
