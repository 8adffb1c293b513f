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
		den := rapid.Uint64Range(1, 1000).Draw(t, "den")
		minSim := measure.Ratio(rapid.Uint64Range(0, den).Draw(t, "num"), den)
		den = rapid.Uint64Range(1, 1000).Draw(t, "t.den")
		at := measure.Ratio(rapid.Uint64Range(0, den).Draw(t, "t.num"), den)
		l := Layout{Tiers: NewTiers(minSim)}
		if len(l.Tiers) > 8 || l.Tiers[len(l.Tiers)-1].Cmp(minSim) != 0 {
			t.Fatalf("NewTiers(%v) = %v", minSim, l.Tiers)
		}
		if rapid.Bool().Draw(t, "all") {
			minSim = measure.Threshold{}
			l.Tiers = l.Tiers.WithAll()
		}
		tier, ok := l.Tiers.At(at)
		if ok != (at.Cmp(minSim) >= 0) {
			t.Fatalf("At(%v) of %v = %v", at, l.Tiers, ok)
		}
		if !ok {
			return
		}
		if tier > 0 && l.Tiers[tier-1].Cmp(at) <= 0 {
			t.Fatalf("At(%v) of %v = %d, one too many", at, l.Tiers, tier)
		}
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		read, posted := 0, 0
		for i, e := range l.prefix(Prefix, n, 5) {
			if i != posted || PayloadSet(Prefix, e) != 5 {
				t.Fatalf("posting %d of %d: position %d, entry %x", posted, n, i, e)
			}
			if posted++; EntryTier(e) <= tier {
				read++
			}
		}
		if posted != PrefixLen(n, minSim) || read != PrefixLen(n, l.Tiers[tier]) || read < PrefixLen(n, at) {
			t.Fatalf("n %d: %d posted, %d read at %v", n, posted, read, at)
		}
	})
}

func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		den := rapid.Uint64Range(1, 200).Draw(t, "den")
		at := measure.Ratio(rapid.Uint64Range(1, den).Draw(t, "num"), den)
		n := rapid.Uint64Range(1, 500).Draw(t, "n")
		m := rapid.Uint64Range(1, 2000).Draw(t, "m")
		lo, hi := window(at, int(n))
		if in := uint64(lo) <= m && m <= uint64(hi); in != at.Admits(min(n, m), max(n, m)) {
			t.Fatalf("window(%v, %d) = [%d,%d], but %d", at, n, lo, hi, m)
		}
	})
	if lo, hi := window(measure.Ratio(0, 1), 10); lo != 1 || hi < 1<<31 {
		t.Errorf("window(0, 10) = [%d,%d]", lo, hi)
	}
}
