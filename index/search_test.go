package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
)

// Counting loses no match of bags whose repeats are bounded, by any formula, at any
// threshold.
func TestSearchLosesNothing(t *testing.T) {
	matches, asked := 0, 0
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		rng := rand.New(rand.NewPCG(seed, 9))
		if seed%2 == 1 {
			w.layout.Intervals = nil
		}
		segments := w.cut(t, 1+int(seed)%3, nil)
		thresholds := append(drawn.Thresholds(rng, w.bags)[:6], api.Ratio(0, 1), api.Ratio(1, 20), api.Ratio(3, 10), api.Ratio(4, 5))
		for _, formula := range drawn.Formulas() {
			for _, at := range thresholds {
				repeats := measure.Repeats(rng.IntN(20))
				for q := 0; q < len(w.bags); q += 7 {
					if len(w.bags[q].Set) == 0 {
						continue
					}
					o, ok := w.layout.Search(w.bags[q], factsOf(w.bags[q]), formula, at, repeats)
					if !ok {
						t.Fatalf("seed %d: %v ≥ %v of set %d: not served", seed, formula, at, q)
					}
					var got []uint32
					var passed Passed
					for _, s := range segments {
						var err error
						if got, err = o.Candidates(s, w.table.View(), got, &passed); err != nil {
							t.Fatal(err)
						}
					}
					var want []uint32
					for i, bag := range w.bags {
						if _, ok := formula.Match(w.bags[q], bag, at); ok && repeats.Admits(measure.SizeOf(bag)) {
							want = append(want, uint32(i))
						}
					}
					if lost := drawn.Missing(got, want); len(lost) > 0 {
						t.Fatalf("seed %d: %v ≥ %v of set %d, repeats %d: lost %v", seed, formula, at, q, repeats, lost)
					}
					if !slices.IsSorted(got) || passed.Signature-passed.Asked+passed.Had != len(got) || passed.Counted < len(got) || passed.Met < passed.Counted {
						t.Fatalf("seed %d: %v ≥ %v of set %d: %v, passed %+v", seed, formula, at, q, got, passed)
					}
					matches += len(want)
					asked += passed.Asked
				}
			}
		}
	})
	if matches == 0 || asked == 0 {
		t.Errorf("%d matches were there to lose, %d sets were asked for more", matches, asked)
	}
}

// failing are pages of which one panics, as memory of a file that was cut off does.
type failing struct {
	Reader
	after *int // so many more can be read
}

func (f failing) Pages(k Kind) Pages { return failingPages{f.Reader.Pages(k), f.after} }

type failingPages struct {
	Pages
	after *int
}

func (p failingPages) Page(n int) ([]byte, error) {
	if *p.after--; *p.after < 0 {
		panic(&Unreadable{ErrPage})
	}
	return p.Pages.Page(n)
}

// A search that a page has ended, at whichever, changes no answer of the next ones, which
// count with the memory that it had.
func TestSearchAfterAPageThatCannotBeRead(t *testing.T) {
	w := newWorld(1, 300, 40, "wide", 12, false)
	s, asked := w.build(t, 0, len(w.bags), nil), 0
	for q := range w.bags[:60] {
		find := func(s Stored) (sets []uint32, passed Passed, err error) {
			defer CatchUnreadable(&err)()
			return w.found(q, api.Ratio(1, 20), s)
		}
		want, passed, err := find(s)
		if err != nil {
			t.Fatal(err)
		}
		asked += passed.Asked
		for n, failed := 0, true; failed; n++ {
			left := n
			_, _, err := find(Stored{s.Segment, failing{s.Reader, &left}})
			failed = err != nil
			if got, _, err := find(s); err != nil || !slices.Equal(got, want) {
				t.Fatalf("after page %d of a search for set %d failed: %v, %v, want %v", n, q, got, err, want)
			}
		}
	}
	if asked == 0 {
		t.Error("no candidate was asked for more")
	}
}
