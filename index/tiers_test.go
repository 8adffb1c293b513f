package index

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/simdb/simdb/internal/measure"
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
		if got := PrefixLen(c.n, measure.Ratio(c.num, c.den)); got != c.want {
			t.Errorf("PrefixLen(%d, %d/%d) = %d, want %d", c.n, c.num, c.den, got, c.want)
		}
	}
}

// A query at t reads, of any set, at least the prefix for t, and no tier more
// than it must.
func TestTiersCoverEveryThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		den := rapid.Uint64Range(1, 1000).Draw(t, "t.den")
		at := measure.Ratio(rapid.Uint64Range(0, den).Draw(t, "t.num"), den)
		tier := TierOf(at)
		if tiers[tier].Cmp(at) > 0 || tier > 0 && tiers[tier-1].Cmp(at) <= 0 {
			t.Fatalf("TierOf(%v) = %d", at, tier)
		}
		l := Layout{Intervals: make(Intervals, rapid.IntRange(0, maxIntervals).Draw(t, "intervals"))}
		interval := rapid.IntRange(0, len(l.Intervals)).Draw(t, "interval")
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		read, posted := 0, 0
		eachPlace(n, func(i int, tierOf uint8) {
			e := l.entry(tierOf, interval, 5)
			if i != posted || PayloadSet(Prefix, e) != 5 || l.Tier(e) != tierOf || l.interval(e) != interval {
				t.Fatalf("posting %d of %d: place %d, tier %d, entry %x", posted, n, i, tierOf, e)
			}
			if posted++; tierOf <= tier {
				read++
			}
		})
		if posted != n || read != PrefixLen(n, tiers[tier]) || read < PrefixLen(n, at) {
			t.Fatalf("n %d: %d posted, %d read at %v", n, posted, read, at)
		}
	})
}
