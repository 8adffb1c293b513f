package index

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/shingle"
)

func TestPrefixLen(t *testing.T) {
	for _, c := range []struct {
		n        int
		num, den uint64
		want     int
	}{
		{0, 1, 2, 0}, {1, 1, 1, 1}, {1, 1, 2, 1}, {2, 1, 2, 2}, {5, 1, 1, 1},
		{10, 9, 10, 2},                               // in float64 one too few
		{8, 9, 10, 1}, {9, 9, 10, 1}, {19, 9, 10, 2}, // paper 003, page 3: one symbol up to 9, two from 10 to 19,
		{20, 9, 10, 3}, {29, 9, 10, 3}, // and from 20 to 29 three by its formula, two by its text
		{10, 0, 1, 10}, {100, 8, 10, 21}, {255, 8, 10, 52}, {3, 2, 3, 2},
	} {
		if got := PrefixLen(c.n, api.Ratio(c.num, c.den)); got != c.want {
			t.Errorf("PrefixLen(%d, %d/%d) = %d, want %d", c.n, c.num, c.den, got, c.want)
		}
	}
}

// A query at t reads, of any set, at least the prefix for t, and no tier more
// than it must.
func TestTiersCoverEveryThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		den := rapid.Uint64Range(1, 1000).Draw(t, "t.den")
		at := api.Ratio(rapid.Uint64Range(0, den).Draw(t, "t.num"), den)
		tier := firstTier(func(u api.Threshold) bool { return u.Cmp(at) <= 0 })
		if tiers[tier].Cmp(at) > 0 || tier > 0 && tiers[tier-1].Cmp(at) <= 0 {
			t.Fatalf("the tier of %v is %d", at, tier)
		}
		l := Layout{Order: NewOrderBuilder(1).Order()}
		for i := range rapid.IntRange(0, maxIntervals).Draw(t, "intervals") {
			l.Intervals = append(l.Intervals, uint32(i+1))
		}
		interval := rapid.IntRange(0, len(l.Intervals)).Draw(t, "interval")
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		var bag shingle.Bag
		for i := range n {
			bag.Set, bag.Counts = append(bag.Set, uint64(i)<<(64-TokenBits-SuffixBits)), append(bag.Counts, uint32(interval+1))
		}
		posts := map[uint64]int{}
		read, posted, last := 0, 0, uint8(0)
		l.Postings(bag, 5, func(key uint64, e uint32) {
			part := int(key >> TokenBits)
			tierOf := l.Tier(part, e)
			if PayloadSet(Prefix, e) != 5 || l.interval(e) != interval || tierOf < last || part != PartOf(tierOf) {
				t.Fatalf("posting %d of %d: key %x, entry %x", posted, n, key, e)
			}
			suffixed := l.Suffixed(part, key, e)
			if posts[suffixed]++; suffixed>>SuffixBits != key%(1<<TokenBits) || posts[suffixed] > 1 && part == 0 && len(l.Intervals) == 0 {
				t.Fatalf("entry %x of key %x with its suffix is %x, as %d before", e, key, suffixed, posts[suffixed]-1)
			}
			last = tierOf
			if posted++; tierOf <= tier {
				read++
			}
		})
		if posted != n || read != PrefixLen(n, tiers[tier]) || read < PrefixLen(n, at) {
			t.Fatalf("n %d: %d posted, %d read at %v", n, posted, read, at)
		}
	})
}
