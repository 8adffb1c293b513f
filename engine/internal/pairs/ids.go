package pairs

// Compact storage for the ids of documents that a join has met, for its rows. In the store
// an id lies next to its text, so reading it again costs as much as the text. Ids beyond the
// memory go to a file.

import (
	"encoding/binary"
	"math"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/index/join"
)

// knownIDs stores the ids of the documents of some sets of a view. As strings in a map, the
// ids of a join of a million documents took 30 MB and slowed the garbage collector.
type knownIDs struct {
	room    int // bytes of records in memory
	scratch *join.FileScratch

	places  []uint32 // by set: word of its record + 1; 0: none
	records []uint32 // after the written ones
	written uint32   // words of records in the file
	full    bool     // accept no more ids; the rest are read again
}

// newKnownIDs returns a store for each view. Together they take room bytes of memory, plus
// four bytes per set.
func newKnownIDs(views int, room int64, scratch *disk.Scratch) []knownIDs {
	ids := make([]knownIDs, views)
	for i := range ids {
		ids[i] = knownIDs{room: int(room) / views, scratch: fileScratch(scratch)}
	}
	return ids
}

// add stores the ids of a set that has none yet; sets is the number of sets of the view. A
// record consists of its length in bytes, as a word; the number of ids, as a varint; and
// each id, after its length as a varint.
func (k *knownIDs) add(set, sets uint32, ids []string) {
	if k.full {
		return
	}
	if k.places == nil {
		k.places = make([]uint32, sets)
	}
	record := binary.AppendUvarint(make([]byte, 4, 64), uint64(len(ids)))
	for _, id := range ids {
		record = append(binary.AppendUvarint(record, uint64(len(id))), id...)
	}
	binary.NativeEndian.PutUint32(record, uint32(len(record)-4))
	for len(record)%4 > 0 {
		record = append(record, 0)
	}
	at := int64(k.written) + int64(len(k.records))
	if k.full = at+int64(len(record)/4) >= math.MaxUint32; k.full {
		return
	}
	k.places[set] = uint32(at) + 1
	for word := range len(record) / 4 {
		k.records = append(k.records, binary.NativeEndian.Uint32(record[4*word:]))
	}
	if 4*len(k.records) > k.room {
		k.spill()
	}
}

// spill moves the records to the file. If the file fails, it keeps them in memory and
// accepts no more.
func (k *knownIDs) spill() {
	if _, err := k.scratch.Append(k.records); err != nil {
		k.full = true
		return
	}
	k.written += uint32(len(k.records))
	k.records = make([]uint32, 0, len(k.records)) // an in-memory file system may retain the slice
}

// has reports whether the ids of a set are stored.
func (k *knownIDs) has(set uint32) bool { return int(set) < len(k.places) && k.places[set] > 0 }

// get returns the ids of a set, if stored.
func (k *knownIDs) get(set uint32) (ids []string, ok bool) {
	if !k.has(set) {
		return nil, false
	}
	record, ok := k.record(k.places[set] - 1)
	if !ok {
		return nil, false
	}
	next := func() int {
		x, n := binary.Uvarint(record)
		record = record[n:]
		return int(x)
	}
	ids = make([]string, next())
	for i := range ids {
		n := next()
		ids[i], record = string(record[:n]), record[n:]
	}
	return ids, true
}

// record returns the bytes of the record at a word. It returns false if the file cannot be
// read; the caller then reads the ids from the store.
func (k *knownIDs) record(at uint32) ([]byte, bool) {
	if at >= k.written {
		words := k.records[at-k.written:]
		return join.HalfBytes(words[1:])[:words[0]], true
	}
	const first = 16 // most records are shorter
	words := make([]uint32, min(first, k.written-at))
	if k.scratch.Read(words, 4*int64(at)) != nil {
		return nil, false
	}
	if n := 1 + (words[0]+3)/4; int(n) > len(words) {
		words = make([]uint32, n)
		if k.scratch.Read(words, 4*int64(at)) != nil {
			return nil, false
		}
	}
	return join.HalfBytes(words[1:])[:words[0]], true
}
