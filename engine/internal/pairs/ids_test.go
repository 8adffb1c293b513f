// Ids that a join keeps for its rows.

package pairs

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestKnownIDs(t *testing.T) {
	const seed, sets = 1, 500
	r := rand.New(rand.NewPCG(seed, 0))
	k, want := knownIDs{}, map[uint32][]string{}
	for range 300 {
		set := uint32(r.IntN(sets))
		if want[set] != nil {
			continue
		}
		ids := []string{}
		for range r.IntN(4) {
			ids = append(ids, strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(300)))
		}
		want[set] = ids
		k.add(set, sets, ids)
	}
	for set := range uint32(sets + 10) {
		ids, ok := k.get(set)
		if ok != (want[set] != nil) || !slices.Equal(ids, want[set]) || ok != k.has(set) {
			t.Errorf("seed %d: get(%d) = %q, %v, want %q", seed, set, ids, ok, want[set])
		}
	}
	if _, ok := new(knownIDs).get(7); ok {
		t.Error("ids of a set where none are known")
	}
}
