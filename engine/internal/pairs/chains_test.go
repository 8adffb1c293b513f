// Large groups: their members in little memory, and the ones with members that are not similar.

package pairs

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/simdb/simdb/index/join"
)

// groupOf returns one group of n sets; every tenth set has two documents.
func groupOf(n int) (c *grouped, idsOf func(node) ([]string, error)) {
	c = &grouped{connected: join.NewUnionFind(uint32(n))}
	for i := range n {
		s := groupedSet{node: node{set: uint32(i)}, documents: 1, place: fmt.Sprintf("%08d", i)}
		if i%10 == 0 {
			s.documents = 2
		}
		c.sets = append(c.sets, s)
		c.connected.Union(uint32(i/2), uint32(i))
	}
	return c, func(x node) ([]string, error) {
		return []string{c.sets[x.set].place, fmt.Sprintf("%08d", int(x.set)+15) + "+"}, nil
	}
}

// TestAGroupOfAMillion lists a group of a million sets. Its ranks take 4 bytes each, the second
// document of every tenth set some 100 bytes, and the first documents no more than their sets hold.
func TestAGroupOfAMillion(t *testing.T) {
	const n = 1_000_000
	c, idsOf := groupOf(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	members, groups, last := 0, 0, member{}
	for ranks := range c.groups {
		groups++
		for m, err := range c.members(ranks, idsOf) {
			if err != nil {
				t.Fatal(err)
			}
			if members++; compareMembers(last, m) >= 0 {
				t.Fatalf("member %d is %q, after %q", members, m.id, last.id)
			}
			last = m
		}
	}
	runtime.ReadMemStats(&after)
	if groups != 1 || members != n+n/10 {
		t.Errorf("%d groups of %d members, want 1 of %d", groups, members, n+n/10)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 32*n {
		t.Errorf("a group of %d sets allocates %d bytes, %d a set, want at most 32 a set", n, took, took/n)
	}
}

// TestMembersStop reads a group in parts.
func TestMembersStop(t *testing.T) {
	c, idsOf := groupOf(40)
	ranks := slices.Collect(c.groups)[0]
	var all []string
	for m := range c.members(ranks, idsOf) {
		all = append(all, m.id)
	}
	for stop := range all {
		n := 0
		for m := range c.members(ranks, idsOf) {
			if m.id != all[n] {
				t.Fatalf("member %d = %q, want %q", n, m.id, all[n])
			}
			if n++; n > stop {
				break
			}
		}
	}
	failing := func(node) ([]string, error) { return nil, fmt.Errorf("unreadable") }
	for _, err := range c.members(ranks, failing) {
		if err == nil {
			t.Error("members of unreadable sets: no error")
		}
	}
}
