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
		of, err := m.shinglesOf(t.Context(), nil, []SetChange{left, {Record: 2, Set: joined, Documents: 1, Bag: shingle.Bag{Set: shingle.Set{1, 2}}}})
		if known := of != nil; err != nil || known != (joined == left.Set) {
			t.Errorf("set %d left, set %d joined: %v, %v", left.Set, joined, of, err)
		}
	}
}
