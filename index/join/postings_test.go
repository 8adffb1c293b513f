package join

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
)

func comparePairs(a, b Pair) int {
	if a.A != b.A {
		return int(a.A) - int(b.A)
	}
	return int(a.B) - int(b.B)
}

// joined gathers the portions of Join, which must have no pair in common.
func joined(r *Ranks, ctx context.Context, segments []index.Stored, l index.Layout, k index.Kind, workers int, memory int64) (all []Pair, stats Stats, err error) {
	g := &gathering{}
	stats, err = Postings(ctx, r, segments, l, k, workers, memory, nil, g.add)
	all, err = g.pairs(err)
	return all, stats, err
}

func joinedBySignatures(r *Ranks, ctx context.Context, workers int, memory int64) (all []Pair, stats Stats, err error) {
	g := &gathering{}
	stats, err = Signatures(ctx, r, workers, memory, g.add)
	all, err = g.pairs(err)
	return all, stats, err
}

type gathering struct {
	all      []Pair
	portions int
}

func (g *gathering) add(pairs []Pair) error {
	if !slices.IsSortedFunc(pairs, comparePairs) {
		return errors.New("a portion is not sorted")
	}
	g.all = append(g.all, pairs...)
	g.portions++
	return nil
}

func (g *gathering) pairs(err error) ([]Pair, error) {
	slices.SortFunc(g.all, comparePairs)
	if err == nil && len(slices.Compact(slices.Clone(g.all))) != len(g.all) {
		err = errors.New("a pair comes twice")
	}
	return g.all, err
}

// A verified join is brute force: with one segment or several, one worker or
// three, in one round or many.
func TestPostingsEqualsBruteForce(t *testing.T) {
	matches := 0
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		segments := w.cut(t, 1+2*int(seed), nil)
		for i, at := range drawn.Thresholds(rand.New(rand.NewPCG(seed, 6)), w.bags) {
			memory := int64(0)
			if i%2 == 0 {
				memory = 64 << 20
			}
			got, stats, err := joined(ranked(w.table.View(), at), context.Background(), segments, w.layout, index.Prefix, 1+i%3, memory)
			if err != nil {
				t.Fatal(err)
			}
			want := w.pairs(at)
			matches += len(want)
			if got := w.verified(got, at); !slices.Equal(got, want) {
				t.Fatalf("seed %d: Join at %v, verified, has %d pairs, want %d; lost %v", seed, at, len(got), len(want), drawn.Missing(got, want))
			}
			if stats.Signature != int64(len(got)) || stats.Length < stats.Signature {
				t.Fatalf("seed %d: Join at %v: %+v for %d pairs", seed, at, stats, len(got))
			}
		}
	})
	if matches == 0 {
		t.Error("no match was there to lose")
	}
}

// The rapid version draws the sets, the order and the threshold, and fails
// small.
func TestPostingsAndCandidatesOnDrawnSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{}
		den := rapid.Uint64Range(1, 12).Draw(t, "den")
		at := measure.Ratio(rapid.Uint64Range(1, den).Draw(t, "num"), den)
		minSim := at
		if rapid.Bool().Draw(t, "lower min_sim") {
			minSim = measure.Ratio(1, 12)
		}
		space := drawn.Spaces[rapid.SampledFrom([]string{"wide", "tokens", "one token"}).Draw(t, "space")]
		for _, members := range rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.Uint64Range(0, 12), 1, 9, rapid.ID), 1, 9).Draw(t, "sets") {
			bag := drawn.Bag(nil, members, space)
			w.table.Put(uint32(len(w.bags)), factsOf(bag))
			w.bags = append(w.bags, bag)
		}
		drift := rapid.IntRange(0, len(w.bags)).Draw(t, "sampled")
		w.layout = index.Layout{Order: orderOf(uint8(rapid.IntRange(1, 12).Draw(t, "counters")), w.bags[drift:]), Tiers: index.NewTiers(minSim)}
		b, m := index.NewBuilder(w.layout, 0), new(memory)
		for i, bag := range w.bags {
			b.Add(uint32(i), bag, 0)
		}
		seg, err := b.Finish(uint32(len(w.bags)), m.emit)
		if err != nil {
			t.Fatal(err)
		}
		s := index.Stored{Segment: seg, Reader: m}
		pairs, _, err := joined(ranked(w.table.View(), at), context.Background(), []index.Stored{s}, w.layout, index.Prefix, 2, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		want := w.pairs(at)
		if got := w.verified(pairs, at); !slices.Equal(got, want) {
			t.Fatalf("Join at %v = %v, want %v", at, got, want)
		}
		for _, p := range want {
			for _, side := range [][2]uint32{{p.A, p.B}, {p.B, p.A}} {
				q := w.layout.Probe(w.bags[side[0]], factsOf(w.bags[side[0]]), at)
				if got, _, _, err := q.Candidates(w.layout, s, index.Prefix, w.table.View(), nil); err != nil || !slices.Contains(got, side[1]) {
					t.Fatalf("Candidates(%d at %v) = %v, %v, want %d among them", side[0], at, got, err, side[1])
				}
			}
		}
	})
}

// An interval join gives the pairs that interval candidates give from either
// side, after the exact length filter and the signatures.
func TestIntervalJoinFollowsBuckets(t *testing.T) {
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		segments := w.cut(t, 2, nil)
		v := w.table.View()
		for _, at := range []measure.Threshold{measure.Ratio(1, 2), measure.Ratio(65, 100), measure.Ratio(9, 10)} {
			tier, _ := w.layout.Tiers.At(at)
			buckets := map[uint64][]uint32{}
			for i := range w.bags {
				w.layout.Postings(index.Interval, w.bags[i], uint32(i), func(key uint64, e uint32) {
					if index.EntryTier(e) <= tier {
						key %= 1 << index.TokenBits
						buckets[key] = append(buckets[key], uint32(i))
					}
				})
			}
			var want []Pair
			for _, sets := range buckets {
				for _, a := range sets {
					for _, b := range sets {
						n, m := v.Size(a).Distinct, v.Size(b).Distinct
						if a < b && at.Admits(min(n, m), max(n, m)) && index.MayResemble(at, n, m, v.Signature(a), v.Signature(b)) {
							want = append(want, Pair{a, b})
						}
					}
				}
			}
			slices.SortFunc(want, comparePairs)
			want = slices.Compact(want)
			got, _, err := joined(ranked(v, at), context.Background(), segments, w.layout, index.Interval, 2, 1<<20)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d: Join at %v = %d pairs, %v, want %d", seed, at, len(got), err, len(want))
			}
		}
	})
}

// Several rounds and portions, from little memory, give the pairs of one.
func TestPostingsInRounds(t *testing.T) {
	w := newWorld(3, 3000, 60, "wide", 14, false)
	segments := w.cut(t, 3, nil)
	at := measure.Ratio(6, 10)
	want, one, err := joined(ranked(w.table.View(), at), context.Background(), segments, w.layout, index.Prefix, 2, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	got, many, err := joined(ranked(w.table.View(), at), context.Background(), segments, w.layout, index.Prefix, 2, 300_000)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("in rounds %d pairs, in one %d", len(got), len(want))
	}
	if many.Postings < 2*one.Postings {
		t.Errorf("in portions %+v, in one %+v: want postings read again", many, one)
	}
}

// Ranks of several limits, buckets of few sets and of many, and tokens that sets
// have twice give the pairs of brute force.
func TestPostingsByLimits(t *testing.T) {
	for _, space := range []string{"wide", "tokens"} {
		w := newWorld(9, 3*limitRanks, 24, space, 14, false)
		segments := w.cut(t, 2, nil)
		for _, at := range []measure.Threshold{measure.Ratio(1, 2), measure.Ratio(4, 5), measure.Ratio(1, 1)} {
			got, stats, err := joined(ranked(w.table.View(), at), context.Background(), segments, w.layout, index.Prefix, 2, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := w.verified(got, at), w.pairs(at); !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("%s at %v: %d pairs, want %d (%+v)", space, at, len(got), len(want), stats)
			}
		}
	}
}

// A view may end before the segments do; sets behind it are not there.
func TestPostingsKeepsToItsView(t *testing.T) {
	w := newWorld(3, 200, 20, "wide", 14, false)
	segments := w.cut(t, 2, nil)
	var early index.Table
	for i := range 120 {
		if len(w.bags[i].Set) > 0 {
			early.Put(uint32(i), factsOf(w.bags[i]))
		}
	}
	at := measure.Ratio(1, 2)
	got, _, err := joined(ranked(early.View(), at), context.Background(), segments, w.layout, index.Prefix, 2, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	w.bags = w.bags[:120]
	for _, p := range got {
		if p.B >= 120 {
			t.Fatalf("Join gives %v, the view has 120 sets", p)
		}
	}
	if got, want := w.verified(got, at), w.pairs(at); !slices.Equal(got, want) {
		t.Errorf("Join has %d pairs, want %d", len(got), len(want))
	}
}

// Sets without postings have no pairs, and the join ends.
func TestPostingsWithoutPostings(t *testing.T) {
	w := &world{layout: index.Layout{Order: orderOf(4, nil), Tiers: index.NewTiers(measure.Ratio(1, 2))}}
	w.table.Put(0, factsOf(drawn.Bag(nil, []uint64{5}, func(x uint64) uint64 { return x })))
	for _, segments := range [][]index.Stored{nil, w.cut(t, 0, nil)} {
		got, _, err := joined(ranked(w.table.View(), measure.Ratio(1, 1)), context.Background(), segments, w.layout, index.Prefix, 2, 1<<20)
		if err != nil || len(got) > 0 {
			t.Errorf("Join of %d segments = %v, %v", len(segments), got, err)
		}
	}
}

// The workers' ranges of keys leave no key out.
func TestPostingsAtRangeBounds(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 4, 7} {
		for i := range uint64(workers) {
			bound := (1 << 32) * (i + 1) / uint64(workers)
			for _, key := range []uint64{bound - 1, bound % (1 << 32)} {
				w := &world{layout: index.Layout{Order: orderOf(4, nil), Tiers: index.NewTiers(measure.Ratio(1, 2))}}
				for range 2 {
					bag := drawn.Bag(nil, []uint64{key<<32 | 5}, func(x uint64) uint64 { return x })
					w.table.Put(uint32(len(w.bags)), factsOf(bag))
					w.bags = append(w.bags, bag)
				}
				got, _, err := joined(ranked(w.table.View(), measure.Ratio(1, 1)), context.Background(), w.cut(t, 2, nil), w.layout, index.Prefix, workers, 1<<20)
				if err != nil || !slices.Equal(got, []Pair{{0, 1}}) {
					t.Errorf("%d workers: Join of two sets with token %x = %v, %v", workers, key, got, err)
				}
			}
		}
	}
}

func TestPostingsFail(t *testing.T) {
	w := newWorld(3, 200, 20, "wide", 14, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := joined(ranked(w.table.View(), measure.Ratio(1, 2)), ctx, w.cut(t, 1, nil), w.layout, index.Prefix, 2, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("Join = %v, want %v", err, context.Canceled)
	}
	if _, _, err := joined(ranked(w.table.View(), measure.Ratio(1, 2)), context.Background(), w.cut(t, 1, nil), w.layout, index.Rotated0, 2, 1<<20); err == nil {
		t.Error("Join of rotated tables: no error")
	}
	if _, _, err := joined(ranked(w.table.View(), measure.Ratio(49, 100)), context.Background(), w.cut(t, 1, nil), w.layout, index.Prefix, 1, 1<<20); err == nil {
		t.Error("Join below min_sim: no error")
	}
}

// Damaged pages give errors or wrong pairs inside the segment, no panic.
func FuzzPostings(f *testing.F) {
	w := newWorld(1, 60, 20, "wide", 12, false)
	s := w.cut(f, 1, nil)[0]
	f.Add(s.Reader.(*memory)[index.Prefix][0])
	f.Fuzz(func(t *testing.T, b []byte) {
		var m memory
		m[index.Prefix] = pageList{b}
		bad := index.Stored{Segment: s.Segment, Reader: &m}
		pairs, _, err := joined(ranked(w.table.View(), measure.Ratio(1, 2)), context.Background(), []index.Stored{bad}, w.layout, index.Prefix, 1, 1<<20)
		if err != nil && !errors.Is(err, index.ErrPage) {
			t.Errorf("Join = %v, want ErrPage", err)
		}
		for _, p := range pairs {
			if p.A >= 60 || p.B >= 60 {
				t.Errorf("Join gives %v of 60 sets", p)
			}
		}
	})
}

// clump returns n near-copies of one set among others that share nothing: 12 of
// 255 shingles differ.
func clump(n, others int) *world {
	rng := rand.New(rand.NewPCG(1, 7))
	w := &world{}
	for i := range n + others {
		var members []uint64
		for m := range uint64(255) {
			if m < 12 || i >= n {
				members = append(members, rng.Uint64())
			} else {
				members = append(members, m)
			}
		}
		w.bags = append(w.bags, drawn.Bag(nil, members, drawn.Spaces["wide"]))
		w.table.Put(uint32(i), factsOf(w.bags[i]))
	}
	w.layout = index.Layout{Order: orderOf(20, w.bags), Tiers: index.NewTiers(measure.Ratio(1, 2))}
	return w
}

// Near-copies meet in every bucket of their prefixes, yet each pair is looked
// at once.
func TestPostingsOfClump(t *testing.T) {
	const n = 400
	w := clump(n, 400)
	got, stats, err := joined(ranked(w.table.View(), measure.Ratio(8, 10)), context.Background(), w.cut(t, 2, nil), w.layout, index.Prefix, 2, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != n*(n-1)/2 || !slices.Equal(got, w.pairs(measure.Ratio(8, 10))) {
		t.Errorf("Join has %d pairs, want %d", len(got), n*(n-1)/2)
	}
	if stats.Length > n*n || stats.Pairs < 30*stats.Length {
		t.Errorf("Join = %+v, want every pair to meet often and be compared once", stats)
	}
}
