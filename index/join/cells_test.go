package join

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
)

// joinedInCells gathers what a join finds in cells of so many ranks, with buffers
// of so many words.
func joinedInCells(r *Ranks, segments []index.Stored, l index.Layout, k index.Kind, length uint32, buffer, workers int, memory int64) ([]Pair, Stats, error) {
	j, err := newPostingJoin(r, segments, l, k)
	if err != nil {
		return nil, Stats{}, err
	}
	p := plan{workers: workers, memory: memory, buffer: buffer}
	p.stretches, p.cells = r.stretches(length)
	g := &gathering{}
	all, err := g.pairs(j.inCells(context.Background(), p, &heapScratch{}, g.add))
	return all, j.stats, err
}

// A join in cells has the pairs of a join in one cell, however small cells,
// buffers, rounds and portions are.
func TestCellsEqualOneCell(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	for _, space := range []string{"wide", "tokens"} {
		for seed := range uint64(3) {
			if testing.Short() && seed == 1 {
				continue
			}
			w := newWorld(seed, 1500, 40, space, 12, seed == 2)
			segments := w.cut(t, 1+int(seed), nil)
			for _, at := range []measure.Threshold{measure.Ratio(1, 2), measure.Ratio(4, 5), measure.Ratio(1, 1)} {
				for _, kind := range []index.Kind{index.Prefix, index.Interval} {
					if testing.Short() && rng.IntN(3) > 0 {
						continue
					}
					want, one, err := joined(ranked(w.table.View(), at), context.Background(), segments, w.layout, kind, 2, 64<<20)
					if err != nil {
						t.Fatal(err)
					}
					length, buffer, memory := uint32(leastStretch*(1+rng.IntN(3))), 32+rng.IntN(200), int64(100_000<<rng.IntN(5))
					got, many, err := joinedInCells(ranked(w.table.View(), at), segments, w.layout, kind, length, buffer, 1+rng.IntN(3), memory)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) || len(got) == 0 {
						t.Errorf("%s, seed %d, kind %d at %v, stretches of %d, buffers of %d, memory of %d: %d pairs, want %d; lost %v, too many %v",
							space, seed, kind, at, length, buffer, memory, len(got), len(want), drawn.Missing(got, want), drawn.Missing(want, got))
					}
					if many.Postings != one.Postings || many.Cells < 3 || many.Signature != int64(len(want)) {
						t.Errorf("in cells %+v, in one %+v", many, one)
					}
				}
			}
		}
	}
}

// Heads of both lengths, and signatures shorter than heads, lose nothing in cells.
func TestCellsByHeads(t *testing.T) {
	for _, size := range []int{50, 150, 400} {
		w := newWorld(5, 700, size, "wide", 14, false)
		segments := w.cut(t, 2, nil)
		for _, at := range []measure.Threshold{measure.Ratio(1, 2), measure.Ratio(8, 10)} {
			got, _, err := joinedInCells(ranked(w.table.View(), at), segments, w.layout, index.Prefix, leastStretch, 256, 2, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := w.verified(got, at), w.pairs(at); !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("size %d at %v: %d pairs, want %d", size, at, len(got), len(want))
			}
		}
	}
}

// Near-copies that meet in every bucket are dealt as slices of buckets, not as
// pairs.
func TestCellsOfClump(t *testing.T) {
	const n = 900
	w := clump(n, 400)
	got, stats, err := joinedInCells(ranked(w.table.View(), measure.Ratio(8, 10)), w.cut(t, 2, nil), w.layout, index.Prefix, leastStretch, 1<<10, 2, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != n*(n-1)/2 {
		t.Errorf("%d pairs, want %d", len(got), n*(n-1)/2)
	}
	if stats.Length > n*n || stats.Dealt > 8*4*stats.Postings {
		t.Errorf("%+v: want pairs compared once, and a bucket dealt to each cell once", stats)
	}
}

// What a join counts is the same in every run, though workers are not: in one cell
// with many rounds and portions, and in many cells.
func TestCountsDoNotVary(t *testing.T) {
	n, runs := 2000, 6
	if testing.Short() {
		n, runs = 1200, 3
	}
	w := newWorld(3, n, 60, "wide", 14, false)
	w.bags = append(w.bags, clump(150, 0).bags...)
	for i, bag := range w.bags[n:] {
		w.table.Put(uint32(n+i), factsOf(bag))
	}
	segments, at := w.cut(t, 3, nil), measure.Ratio(6, 10)
	var one, many Stats
	for i := range runs {
		j, err := newPostingJoin(ranked(w.table.View(), at), segments, w.layout, index.Prefix)
		if err != nil {
			t.Fatal(err)
		}
		g := &gathering{}
		if _, err := g.pairs(j.inOneCell(context.Background(), plan{workers: 3, memory: 250_000}, g.add)); err != nil {
			t.Fatal(err)
		}
		stats := j.stats
		_, dealt, err := joinedInCells(ranked(w.table.View(), at), segments, w.layout, index.Prefix, leastStretch, 64, 3, 250_000)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			one, many = stats, dealt
		}
		if stats != one || dealt != many || stats.Postings < 2*dealt.Postings || stats.Signature != dealt.Signature {
			t.Errorf("run %d: %+v and in cells %+v, before %+v and %+v", i, stats, dealt, one, many)
		}
	}
}

// failing is a Scratch that fails after some calls.
type failing struct {
	heapScratch
	left int
}

var errScratch = errors.New("no scratch")

func (f *failing) Append(words []uint32) (int64, error) {
	f.mu.Lock()
	f.left--
	left := f.left
	f.mu.Unlock()
	if left < 0 {
		return 0, errScratch
	}
	return f.heapScratch.Append(words)
}

// A scratch that is full ends the join with its error.
func TestCellsWithoutScratch(t *testing.T) {
	w := newWorld(3, 700, 30, "wide", 12, false)
	segments := w.cut(t, 1, nil)
	for _, left := range []int{0, 3, 30} {
		j, err := newPostingJoin(ranked(w.table.View(), measure.Ratio(1, 2)), segments, w.layout, index.Prefix)
		if err != nil {
			t.Fatal(err)
		}
		p := plan{workers: 2, memory: 1 << 20, buffer: 32}
		p.stretches, p.cells = j.Ranks.stretches(leastStretch)
		if err := j.inCells(context.Background(), p, &failing{left: left}, func([]Pair) error { return nil }); !errors.Is(err, errScratch) {
			t.Errorf("after %d appends: %v, want %v", left, err, errScratch)
		}
	}
}

// synthetic makes n sets with few members each: half of them in threes that
// resemble each other, and all with members that many others have too.
func synthetic(t testing.TB, n int) (*world, []index.Stored) {
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	w := &world{layout: index.Layout{Order: orderOf(20, nil), Tiers: index.NewTiers(measure.Ratio(1, 2))}}
	var members []uint64
	var segments []index.Stored
	const span = 100_000
	for lo := 0; lo < n; lo += span {
		hi := min(lo+span, n)
		b, m := index.NewBuilder(w.layout, uint32(lo)), new(memory)
		for i := lo; i < hi; i++ {
			if i%6 > 2 || i%6 == 0 { // else a near copy of the one before
				members = members[:0]
				for range 30 + rng.IntN(40) {
					members = append(members, rng.Uint64N(uint64(2*n)))
				}
			} else {
				members[rng.IntN(len(members))] = rng.Uint64()
			}
			bag := drawn.Bag(nil, slices.Clone(members), func(x uint64) uint64 { return x * 0x9E3779B97F4A7C15 })
			f := factsOf(bag)
			w.table.Put(uint32(i), f)
			b.Add(uint32(i), bag, f.SimHash)
		}
		seg, err := b.Finish(uint32(hi), m.emit)
		if err != nil {
			t.Fatal(err)
		}
		segments = append(segments, index.Stored{Segment: seg, Reader: m})
	}
	return w, segments
}

// Many sets with the memory that ten million would have at 256 MiB, half of it for
// the join, give the pairs of ample memory, and read the postings once. No pair that
// meets is written twice, and none compared twice but for rounds. SIMDB_JOIN_SETS sets the number of sets, a million say.
func TestPostingsOfManySets(t *testing.T) {
	n := 50_000
	if s := os.Getenv("SIMDB_JOIN_SETS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		n = 20_000
	}
	const bytesPerSet = 256 << 20 / 2 / 10e6
	memory := 1<<20 + int64(bytesPerSet*float64(n)) // buffers must not become too small
	w, segments := synthetic(t, n)
	at := measure.Ratio(4, 5)
	want, ample, err := joined(ranked(w.table.View(), at), context.Background(), segments, w.layout, index.Prefix, 2, 8<<30)
	if err != nil {
		t.Fatal(err)
	}
	got, little, err := joined(ranked(w.table.View(), at), context.Background(), segments, w.layout, index.Prefix, 2, memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sets: ample memory %+v, %.1f MB %+v", n, ample, float64(memory)/1e6, little)
	if !slices.Equal(got, want) || len(got) < n/3 {
		t.Errorf("%d pairs, want %d; lost %v", len(got), len(want), drawn.Missing(got, want)[:min(10, len(drawn.Missing(got, want)))])
	}
	if ample.Cells > 0 || little.Cells < 10 {
		t.Errorf("ample memory has %d cells, little %d: want one and many", ample.Cells, little.Cells)
	}
	if little.Postings != ample.Postings || little.Length > ample.Length/4*5 || little.Dealt > 8*ample.Pairs+100*int64(n) {
		t.Errorf("little memory %+v, ample %+v: want postings read once, and pairs written once", little, ample)
	}
}

// A memory that would do is told, and does.
func TestPostingsFit(t *testing.T) {
	w, segments := synthetic(t, 40_000)
	r := ranked(w.table.View(), measure.Ratio(4, 5))
	var too *MemoryError
	if err := PostingsFit(r, 2, 100_000); !errors.As(err, &too) {
		t.Fatalf("PostingsFit in 100 kB: %v", err)
	}
	if too.Bytes < 8*40_000 || too.Bytes > 64*40_000 {
		t.Errorf("%v: want 8 to 64 bytes a set", too)
	}
	if _, _, err := joined(r, context.Background(), segments, w.layout, index.Prefix, 2, 100_000); !errors.As(err, &too) {
		t.Errorf("Postings in 100 kB: %v", err)
	}
	for _, memory := range []int64{too.Bytes, 2 * too.Bytes, 1 << 30} {
		if err := PostingsFit(r, 2, memory); err != nil {
			t.Errorf("PostingsFit in %d bytes: %v", memory, err)
		}
	}
}
