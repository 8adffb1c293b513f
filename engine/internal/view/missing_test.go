package view

import (
	"testing"

	"github.com/simdb/simdb/internal/shingle"
)

// A change without a text needs a bag of its set: else its shingles are unknown, and counted again.
func TestChangesWithoutText(t *testing.T) {
	var m *Snapshot
	left := SetChange{Record: 2, Set: 7, Documents: -1}
	for _, joined := range []uint32{6, 7} {
		of, err := m.shinglesOf(t.Context(), nil, []SetChange{left, {Record: 2, Set: joined, Documents: 1, Bag: shingle.Bag{Set: shingle.Set{1, 2}}}}, 4)
		if known := of != nil; err != nil || known != (joined == left.Set) {
			t.Errorf("set %d left, set %d joined: %v, %v", left.Set, joined, of, err)
		}
	}
}

// Changes of all collections together stay within a sixteenth of the memory setting. The collection
// with the most loses its changes.
func TestChangesShareMemory(t *testing.T) {
	s := &Shared{MemoryBytes: 1 << 20}
	held := func() (n int64) {
		for _, o := range s.changes.of {
			for _, x := range o.list {
				n += x.bytes()
			}
		}
		return n
	}
	for c := range uint32(12) {
		s.changes.keep(c)
		for i := range 100 {
			s.Note(c, SetChange{Record: uint64(i), Set: 1, Text: make([]byte, 50*(12-c))})
		}
		if n := held(); n > s.MemoryBytes/16 || n != s.changes.bytes {
			t.Fatalf("changes of %d collections take %d bytes, counted as %d, want at most %d", c+1, n, s.changes.bytes, s.MemoryBytes/16)
		}
	}
	if s.Follows(0) || !s.Follows(11) {
		t.Error("the collection with the most changes kept them, or the one with the fewest lost them")
	}
}

// Changes with too many shingles are not read: a count takes less memory.
func TestManyChangedShingles(t *testing.T) {
	var m *Snapshot
	changes := []SetChange{{Set: 1, Bag: shingle.Bag{Set: make(shingle.Set, 3)}}, {Set: 2, Bag: shingle.Bag{Set: make(shingle.Set, 2)}}, {Set: 3, Text: []byte("x")}}
	if of, err := m.shinglesOf(t.Context(), nil, changes[:2], 5); len(of) != 2 || err != nil {
		t.Errorf("5 of at most 5 shingles: %v, %v", of, err)
	}
	if of, err := m.shinglesOf(t.Context(), nil, changes, 4); of != nil || err != nil { // before the text, which m cannot read
		t.Errorf("5 of at most 4 shingles: %v, %v", of, err)
	}
}
