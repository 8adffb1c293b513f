// Package keys builds and parses every key of the store. A key begins with a byte for
// its key space, followed by the parts in the table below, usually first the number of
// the collection. Numbers are big-endian, so that byte order is numeric order. The
// package knows neither the values nor the store. Begin with Append and Numbers.
//
//	space       key after the space          value
//	Applied     –                            sequence number of the last applied log record, 8 bytes
//	Collection  collection u32               name and settings, JSON
//	Counters    collection u32               next set number, documents, text bytes, sets: varints
//	Note        name                         bytes of the caller
//	Dictionary  collection u32, number u32   dictionary of phrases that compresses texts (engine/internal/record/dictionary.go)
//	Retired     –                            how often posting segments were retired, 8 bytes (engine/internal/segment/dir.go)
//	Erase      collection u32, id           number of the log record that erased the document, 8 bytes, until compaction; without an id: of the whole collection; without either: the progress of that (engine/erase.go)
//	Document    collection u32, id           set number + 1, text length, stored metadata (engine/internal/record/document.go)
//	Digest      collection u32, digest 16    set number u32
//	SI          collection u32, which u32, value 8, set u32      –, values in their order
//	Field       collection u32, which u32, value, set u32, id    –, values of indexed metadata in their order (engine/internal/record/field.go)
//	Ledger      collection u32, record u64, place u32    row of the ledger: a document and its match at write time (engine/internal/record/ledger.go)
//	Set         collection u32, set u32      sizes, SimHash, digest, parity signature (engine/internal/record/set.go)
//	Text        collection u32, set u32, id  codec byte, text of a document that has this set
//	Shares      collection u32, set u32      number of documents with this set, only where it is above 1
//	Features    collection u32, set u32      features for the measures of texts (engine/internal/record/features.go)
//	Grams       collection u32, set u32      chosen grams in their order (engine/internal/record/grams.go)
//	Ended       collection u32, set u32      –, of a set removed since its posting segment was written (engine/internal/segment/facts.go)
//	Joined      collection u32, record u64, id           set number u32, of a document added to an existing set by this log record, its last write
//	GroupDoc, GroupOf, GroupSet, Group, GroupID, Alike, Grouping    collection u32, grouping u32, …    materialised groups (engine/internal/groups/grouping.go)
//	Index       collection u32               manifest of the posting segments, which are files (engine/internal/segment/manifest.go)
//	Order       collection u32, order u32, chunk u32     a piece of the encoded order
//
// Documents with their texts, ledgers, notes and settings are the primary data. All
// other spaces from Digest on are derived from them and can be rebuilt. In the spaces
// from Set on, new keys mostly sort after the existing ones.
package keys

import (
	"encoding/binary"
	"fmt"
)

// Space is the first byte of a key.
type Space byte

const (
	Applied    Space = 0x01
	Collection Space = 0x02
	Counters   Space = 0x03
	Note       Space = 0x04
	Dictionary Space = 0x05
	Retired    Space = 0x06
	Erase      Space = 0x08
	Document   Space = 0x10
	Digest     Space = 0x11
	SI         Space = 0x12
	Field      Space = 0x13
	Ledger     Space = 0x14

	// Ascending is the first space with mostly ascending new keys, because set numbers
	// and log records ascend.
	Ascending = Set

	Set      Space = 0x20
	Text     Space = 0x22
	Shares   Space = 0x23
	Features Space = 0x24
	Grams    Space = 0x25
	Ended    Space = 0x26
	Joined   Space = 0x27
	GroupDoc Space = 0x28
	GroupOf  Space = 0x29
	GroupSet Space = 0x2a
	Group    Space = 0x2b
	GroupID  Space = 0x2c
	Alike    Space = 0x2d
	Grouping Space = 0x2e
	Index    Space = 0x30
	Order    Space = 0x31
)

// PerCollection lists the spaces with a collection number after the space byte.
// Dropping a collection removes these keys.
var PerCollection = []Space{Collection, Counters, Dictionary, Document, Digest, SI, Field, Ledger, Set, Text, Shares, Features, Grams, Ended, Joined, GroupDoc, GroupOf, GroupSet, Group, GroupID, Alike, Grouping, Index, Order}

// Append appends a key to dst: the space, then the numbers in order.
func Append(dst []byte, s Space, numbers ...uint32) []byte {
	dst = append(dst, byte(s))
	for _, n := range numbers {
		dst = binary.BigEndian.AppendUint32(dst, n)
	}
	return dst
}

// Of returns the key of Append in a new slice.
func Of(s Space, numbers ...uint32) []byte {
	return Append(make([]byte, 0, 1+4*len(numbers)), s, numbers...)
}

// WithID appends the id of a document to a key.
func WithID(key []byte, id string) []byte { return append(key, id...) }

// OfDigest returns the key of a digest, which maps it to its set.
func OfDigest(collection uint32, digest [16]byte) []byte {
	return append(Of(Digest, collection), digest[:]...)
}

// OfSI returns the key prefix of all sets with a value of a similarity index, given by
// its number. Keys sort by value, negative values first.
func OfSI(collection, which uint32, value int64) []byte {
	return binary.BigEndian.AppendUint64(Of(SI, collection, which), uint64(value)^1<<63)
}

// SIEntry parses the value and the set from a key of space SI.
func SIEntry(key []byte) (value int64, set uint32, err error) {
	if len(key) != 1+4+4+8+4 {
		return 0, 0, fmt.Errorf("key %x: want a value and a set", key)
	}
	return int64(binary.BigEndian.Uint64(key[9:]) ^ 1<<63), binary.BigEndian.Uint32(key[17:]), nil
}

// OfJoined returns the key prefix of the documents that a log record added to existing
// sets of a collection.
func OfJoined(collection uint32, record uint64) []byte {
	return binary.BigEndian.AppendUint64(Of(Joined, collection), record)
}

// JoinedID parses the document id from a key of space Joined.
func JoinedID(key []byte) (string, error) {
	if len(key) <= 1+4+8 {
		return "", fmt.Errorf("key %x: want a record and an id", key)
	}
	return string(key[1+4+8:]), nil
}

// OfLedger returns the key prefix of the rows that a log record added to the ledger of
// a collection.
func OfLedger(collection uint32, record uint64) []byte {
	return binary.BigEndian.AppendUint64(Of(Ledger, collection), record)
}

// LedgerEntry parses the log record from a key of space Ledger.
func LedgerEntry(key []byte) (record uint64, err error) {
	if len(key) != 1+4+8+4 {
		return 0, fmt.Errorf("key %x: want a record and a place", key)
	}
	return binary.BigEndian.Uint64(key[5:]), nil
}

// OfNote returns the key of a note.
func OfNote(name string) []byte { return append([]byte{byte(Note)}, name...) }

// OfErase returns the key of a pending erasure of a document. ErasedID parses it.
func OfErase(collection uint32, id string) []byte { return WithID(Of(Erase, collection), id) }

// ErasedID parses a key of space Erase. id is empty if the whole collection is erased;
// ok is false for the key that records the progress.
func ErasedID(key []byte) (collection uint32, id string, ok bool) {
	n, rest, err := Numbers(key, 1)
	return n[0], string(rest), err == nil
}

// End returns the least key above all keys with a prefix, nil if there is none.
func End(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// Numbers parses the n numbers after the space byte and returns the rest of the key,
// which shares memory with it. A key that is too short is an error.
func Numbers(key []byte, n int) (numbers [4]uint32, rest []byte, err error) {
	if n > len(numbers) || len(key) < 1+4*n {
		return numbers, nil, fmt.Errorf("key %x: want %d numbers after the space", key, n)
	}
	for i := range n {
		numbers[i] = binary.BigEndian.Uint32(key[1+4*i:])
	}
	return numbers, key[1+4*n:], nil
}
