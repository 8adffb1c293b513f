package corpus

// The truth of the pages of two forms.

import (
	"fmt"
	"slices"
	"testing"
)

func TestForms(t *testing.T) {
	const seed, n = 3, 2_000
	docs, texts := slices.Collect(Forms(seed, n)), map[string]string{}
	copies := 0
	for _, d := range docs {
		if texts[d.ID] = d.Text; d.Of != "" {
			if copies++; d.Text != texts[d.Of] {
				t.Errorf("seed %d: %q is not a copy of %q", seed, d.ID, d.Of)
			}
		}
	}
	if len(texts) != len(docs) || len(docs) != n+n/10+copies || copies != n/copyEvery {
		t.Errorf("Forms(%d, %d) yields %d pages with %d ids and %d copies, want %d pages and %d copies", seed, n, len(docs), len(texts), copies, n+n/10, n/copyEvery)
	}
	sim := func(a, b string) float64 { return resemblance(shingles(texts[a]), shingles(texts[b])) }
	a := func(i int) string { return fmt.Sprintf("a-%07d", i) }
	for _, i := range []int{0, 17, 900, n - 50} {
		for _, c := range []struct {
			far  int
			near bool
		}{{1, true}, {2, true}, {20, false}, {49, false}} {
			if got := sim(a(i), a(i+c.far)); got >= .8 != c.near || got < .5 {
				t.Errorf("seed %d: pages %d and %d of form A have resemblance %.3f, want it to reach .8: %v", seed, i, i+c.far, got, c.near)
			}
		}
	}
	similar := 0
	for i := range 40 {
		for j := range i {
			if sim(fmt.Sprintf("b-%07d", i), fmt.Sprintf("b-%07d", j)) >= .8 {
				similar++
			}
		}
	}
	if all := 40 * 39 / 2; similar < all/4 || similar > all*3/4 {
		t.Errorf("seed %d: %d of %d pairs of form B reach .8, want about half", seed, similar, all)
	}
	if got := sim(a(0), "b-0000000"); got > .1 {
		t.Errorf("seed %d: pages of two forms have resemblance %.3f", seed, got)
	}
	if again := slices.Collect(Forms(seed, n)); !slices.Equal(again, docs) {
		t.Errorf("seed %d: Forms yields other pages the second time", seed)
	}
}
