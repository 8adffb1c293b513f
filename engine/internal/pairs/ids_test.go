// Ids that a join keeps for its rows.

package pairs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestKnownIDs(t *testing.T) {
	for _, room := range []int64{1 << 20, 5000, 0} { // all in memory, some, none
		t.Run(fmt.Sprint(room), func(t *testing.T) { testKnownIDs(t, room) })
	}
}

func testKnownIDs(t *testing.T, room int64) {
	const seed, sets = 1, 500
	r := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewMem()
	store := openStore(t, fs)
	defer store.Close()
	before, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	all := store.NewScratch()
	k, want := newKnownIDs(1, room, all)[0], map[uint32][]string{}
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
	if spilt := k.written > 0; spilt != (room < 1<<20) {
		t.Errorf("room for %d bytes: %d words in the file", room, k.written)
	}
	all.Remove()
	after, err := fs.List("db")
	slices.Sort(before)
	slices.Sort(after)
	if err != nil || !slices.Equal(after, before) {
		t.Errorf("files after Remove: %v, %v, before: %v", after, err, before)
	}
	if _, ok := new(knownIDs).get(7); ok {
		t.Error("ids of a set where none are known")
	}
}
