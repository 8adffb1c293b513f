package join

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/torture"
)

// These tests hold the join by what sets share against a comparison of each set with
// each.

// formulas are all kinds of measures of bags.
var formulas = drawn.Formulas()

var thresholds = []api.Threshold{{}, api.Ratio(1, 20), api.Ratio(3, 10), api.Ratio(1, 2), api.Ratio(2, 3), api.Ratio(4, 5), api.Ratio(9, 10), api.Ratio(1, 1)}

// matches compares each set of the first side with each of the second; from
// second on sets are of the second side, if there is one. Either direction counts in one
// collection.
func (w *world) matches(f measure.Formula, t api.Threshold, second int, whole bool) (out []Pair) {
	for a := range w.bags {
		for b := a + 1; b < len(w.bags); b++ {
			if second > 0 && (a >= second || b < second) {
				continue
			}
			_, ok := f.Match(w.bags[a], w.bags[b], t)
			if _, back := f.Match(w.bags[b], w.bags[a], t); ok || whole && back {
				out = append(out, Pair{uint32(a), uint32(b)})
			}
		}
	}
	return out
}

// side makes one of the sets in [lo,hi), which are numbered from 0.
func (w *world) side(t testing.TB, lo, hi int) Side {
	part := &world{bags: w.bags[lo:hi], layout: w.layout}
	for i, bag := range part.bags {
		if len(bag.Set) > 0 {
			part.table.Put(uint32(i), factsOf(bag))
		} else {
			part.table.Put(uint32(i), index.Facts{})
		}
	}
	return Side{part.table.View(), PostedTokens(part.cut(t, 2, func(i uint32) bool { return len(part.bags[i].Set) > 0 }), w.layout)}
}

func TestSetsLoseNothing(t *testing.T) {
	every := torture.Few(9, 3)
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		self, second := []Side{w.side(t, 0, len(w.bags))}, len(w.bags)/3
		cross := []Side{w.side(t, 0, second), w.side(t, second, len(w.bags))}
		for name, f := range formulas {
			for i, min := range thresholds {
				if (i+int(seed))%every != 0 {
					continue // another seed has it
				}
				room, workers := []int{1 << 14, 300, 40}[(i+int(seed))%3], 1+i%3
				for _, c := range []struct {
					sides  []Side
					second int
					whole  bool
				}{{self, 0, true}, {cross, second, false}, {cross, second, true}} {
					what := fmt.Sprintf("seed %d: %s at %v of %d sides (whole: %v) with room for %d", seed, name, min, len(c.sides), c.whole, room)
					o := &Sets{Formula: f, Min: min, Sides: c.sides, Whole: c.whole, room: room, Signed: (i+int(seed))%7 < 2}
					if o.Signed && i%2 == 0 {
						what += " by wide signatures"
						o.Wide = 1 << (i % 5)
						o.Bags = func(_ context.Context, side int, yield func(uint32, shingle.Set)) error {
							for n, bag := range w.bags[side*c.second:] {
								if set := uint32(n); set < c.sides[side].Sets.Len() {
									yield(set, bag.Set)
								}
							}
							return nil
						}
					}
					if i%2 == 1 {
						o.length = uint32(1 + len(w.bags)/(1+i))
						what += fmt.Sprintf(" in cells of %d", o.length)
					}
					g := &gathering{}
					stats, err := o.Pairs(context.Background(), workers, 1<<16, g.add)
					found, err := g.pairs(err)
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					want := w.matches(f, min, c.second, c.whole)
					for _, p := range want {
						if _, ok := slices.BinarySearchFunc(found, p, comparePairs); !ok {
							t.Fatalf("%s: lost %v", what, p)
						}
					}
					if int(stats.Signature) != len(found) || stats.Length < stats.Signature {
						t.Errorf("%s: %d pairs, stats %+v", what, len(found), stats)
					}
				}
			}
		}
	})
}

// Where thresholds are so low that all members probe, which small sets of a threshold need not, and
// tokens tell members apart, what is counted is what is shared: by a measure of sets no pair
// is found that is no match.
func TestSetsAreExactWhereAllIsCounted(t *testing.T) {
	for seed := range uint64(torture.Few(1, 5)) {
		w := newWorld(seed, 90, 40, "wide", 14, false)
		for name, f := range formulas {
			if !f.OfSets() {
				continue
			}
			for _, min := range thresholds[:2] {
				o := &Sets{Formula: f, Min: min, Sides: []Side{w.side(t, 0, len(w.bags))}}
				g := &gathering{}
				_, err := o.Pairs(context.Background(), 2, 1<<20, g.add)
				found, err := g.pairs(err)
				want := w.matches(f, min, 0, true)
				for _, pairs := range []*[]Pair{&found, &want} {
					*pairs = slices.DeleteFunc(*pairs, func(p Pair) bool {
						return len(w.bags[p.A].Set) < 16 || len(w.bags[p.B].Set) < 16
					})
				}
				if err != nil || !slices.Equal(found, want) {
					t.Fatalf("seed %d: %s at %v finds %d pairs, %v; want %d", seed, name, min, len(found), err, len(want))
				}
			}
		}
	}
}

// Little memory means many portions, which have every pair once.
func TestSetsInPortions(t *testing.T) {
	w := newWorld(1, 400, 40, "wide", 14, false)
	want := w.matches(measure.Resemblance, api.Ratio(1, 20), 0, true)
	for _, room := range []int{1 << 16, 1500} {
		o := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 20), Sides: []Side{w.side(t, 0, len(w.bags))}, room: room}
		var all []Pair
		portions := 0
		_, err := o.Pairs(context.Background(), 2, 0, func(pairs []Pair) error {
			if !slices.IsSortedFunc(pairs, comparePairs) {
				t.Errorf("room for %d: a portion does not ascend", room)
			}
			all = append(all, pairs...)
			portions++
			return nil
		})
		slices.SortFunc(all, comparePairs)
		distinct := slices.Compact(slices.Clone(all))
		if err != nil || portions < 2 || len(distinct) != len(all) {
			t.Errorf("room for %d: %d portions, %d pairs, %d distinct ones, %v", room, portions, len(all), len(distinct), err)
		}
		for _, p := range want {
			if _, ok := slices.BinarySearchFunc(distinct, p, comparePairs); !ok {
				t.Fatalf("room for %d: lost %v", room, p)
			}
		}
	}
}

func TestSetsWantMemory(t *testing.T) {
	w := newWorld(1, 6000, 40, "wide", 14, false)
	o := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 2), Sides: []Side{w.side(t, 0, len(w.bags))}}
	var too *MemoryError
	if _, err := o.Pairs(context.Background(), 2, 1<<16, nil); !errors.As(err, &too) {
		t.Fatalf("a join in 64 KiB: %v", err)
	}
	if _, err := o.Pairs(context.Background(), 2, too.Bytes, func([]Pair) error { return nil }); err != nil {
		t.Errorf("a join in the %d bytes that were asked for: %v", too.Bytes, err)
	}
}

// Many sets for little memory are dealt to cells: the pairs are those of one round, tokens
// are read once, and the memory that is asked for is some bytes a set.
func TestSetsOfManySets(t *testing.T) {
	w := newWorld(1, 3500, 60, "wide", 14, false)
	third := len(w.bags) / 3
	names := []string{"multiset", "containment(of='query')"}
	for _, name := range names[:torture.Few(1, 2)] {
		f := formulas[name]
		matching := func(pairs []Pair, self bool) []Pair {
			return slices.DeleteFunc(pairs, func(p Pair) bool {
				_, ok := f.Match(w.bags[p.A], w.bags[p.B], api.Ratio(4, 5))
				_, back := f.Match(w.bags[p.B], w.bags[p.A], api.Ratio(4, 5))
				return !ok && !(self && back)
			})
		}
		for _, sides := range [][]Side{{w.side(t, 0, len(w.bags))}, {w.side(t, 0, third), w.side(t, third, len(w.bags))}} {
			join := func(memory int64) ([]Pair, Stats) {
				o := &Sets{Formula: f, Min: api.Ratio(4, 5), Sides: sides}
				g := &gathering{}
				stats, err := o.Pairs(context.Background(), 2, memory, g.add)
				found, err := g.pairs(err)
				if err != nil {
					t.Fatalf("%s in %d bytes: %v", name, memory, err)
				}
				return found, stats
			}
			one, ample := join(64 << 20)
			many, little := join(200 << 10)
			if ample.Cells != 1 || ample.Dealt > 0 || little.Cells < 3 || little.Dealt == 0 || little.Postings > ample.Postings {
				t.Errorf("%s: stats %+v, with little memory %+v", name, ample, little)
			}
			one, many = matching(one, len(sides) == 1), matching(many, len(sides) == 1)
			if len(one) == 0 || !slices.Equal(one, many) {
				t.Errorf("%s of %d sides: %d matches in one cell, %d in many", name, len(sides), len(one), len(many))
			}
		}
	}
}

func TestSetsStop(t *testing.T) {
	w := newWorld(1, 90, 40, "wide", 14, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 2), Sides: []Side{w.side(t, 0, len(w.bags))}}
	if _, err := o.Pairs(ctx, 2, 1<<20, func([]Pair) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a join that was cancelled: %v", err)
	}
}

// A join of no sets, or of one, ends, however little there is to read.
func TestSetsOfNothing(t *testing.T) {
	w := newWorld(1, 40, 10, "wide", 14, false)
	for n := range 3 {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		for _, sides := range [][]Side{{w.side(t, 0, n)}, {w.side(t, 0, n), w.side(t, 0, 0)}} {
			o := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 1), Sides: sides}
			if _, err := o.Pairs(ctx, 2, 1<<20, func([]Pair) error { return nil }); err != nil {
				t.Errorf("%d sets: %v", n, err)
			}
		}
	}
}

func comparePairs(a, b Pair) int {
	if a.A != b.A {
		return int(a.A) - int(b.A)
	}
	return int(a.B) - int(b.B)
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

// Damaged pages give errors or wrong pairs inside the segment, no panic.
func FuzzSets(f *testing.F) {
	w := newWorld(1, 60, 20, "wide", 12, false)
	s := w.cut(f, 1, nil)[0]
	f.Add(s.Reader.(*memory)[index.Prefix][0])
	f.Fuzz(func(t *testing.T, b []byte) {
		var m memory
		m[index.Prefix] = pageList{b}
		tokens := PostedTokens([]index.Stored{{Segment: s.Segment, Reader: &m}}, w.layout)
		o := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 2), Sides: []Side{{w.table.View(), tokens}}}
		g := &gathering{}
		_, err := o.Pairs(context.Background(), 1, 1<<20, g.add)
		if err != nil && !errors.Is(err, index.ErrPage) {
			t.Errorf("Pairs: %v, want ErrPage", err)
		}
		for _, p := range g.all {
			if p.A >= 60 || p.B >= 60 {
				t.Errorf("Pairs gives %v of 60 sets", p)
			}
		}
	})
}

// A view may end before the segments do; sets behind it are not there.
func TestSetsKeepToTheirView(t *testing.T) {
	w := newWorld(3, 200, 20, "wide", 14, false)
	tokens := PostedTokens(w.cut(t, 2, nil), w.layout)
	w.bags = w.bags[:120]
	early := w.side(t, 0, 120).Sets
	at := api.Ratio(1, 2)
	o := &Sets{Formula: measure.Resemblance, Min: at, Sides: []Side{{early, tokens}}}
	g := &gathering{}
	_, err := o.Pairs(context.Background(), 2, 1<<20, g.add)
	got, err := g.pairs(err)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := w.verified(got, at), w.pairs(at); !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("%d pairs, want %d", len(got), len(want))
	}
}

// The ranges of tokens leave none out.
func TestSetsAtTheBoundsOfRanges(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		for i := range uint64(workers) {
			bound := (1 << 32) * (i + 1) / uint64(workers)
			for _, key := range []uint64{bound - 1, bound % (1 << 32)} {
				w := &world{layout: index.Layout{Order: orderOf(4, nil)}}
				for range 2 {
					w.bags = append(w.bags, drawn.Bag(nil, []uint64{key<<32 | 5}, func(x uint64) uint64 { return x }))
				}
				o := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 1), Sides: []Side{w.side(t, 0, 2)}}
				g := &gathering{}
				_, err := o.Pairs(context.Background(), workers, 1<<20, g.add)
				if got, err := g.pairs(err); err != nil || !slices.Equal(got, []Pair{{0, 1}}) {
					t.Errorf("%d workers: two sets with token %x: %v, %v", workers, key, got, err)
				}
			}
		}
	}
}

// Near-copies meet in every bucket of their prefixes, yet each pair is looked
// at once.
func TestSetsOfClump(t *testing.T) {
	const n = 400
	w := clump(n, 400)
	o := &Sets{Formula: measure.Resemblance, Min: api.Ratio(8, 10), Sides: []Side{w.side(t, 0, len(w.bags))}}
	g := &gathering{}
	stats, err := o.Pairs(context.Background(), 2, 64<<20, g.add)
	got, err := g.pairs(err)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != n*(n-1)/2 || !slices.Equal(got, w.pairs(api.Ratio(8, 10))) {
		t.Errorf("%d pairs, want %d", len(got), n*(n-1)/2)
	}
	if stats.Length > n*(n-1)/2 {
		t.Errorf("%+v: want every pair compared once", stats)
	}
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
	}
	w.layout = index.Layout{Order: orderOf(20, w.bags)}
	return w
}

// The tiers are those that a rank has bits for.
func TestTiers(t *testing.T) {
	if n := len(index.Tiers()); n != lastTier+1 {
		t.Errorf("%d tiers, want %d", n, lastTier+1)
	}
}
