package join

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
)

// counted gathers what a join by counting finds in a world.
func counted(ctx context.Context, w *world, at measure.Threshold, workers int, memory int64) ([]Pair, Stats, error) {
	c := NewCounting(ranked(w.table.View(), at))
	for i, bag := range w.bags {
		if len(bag.Set) > 0 {
			c.Put(uint32(i), bag.Set)
		}
	}
	g := &gathering{}
	stats, err := c.Join(ctx, workers, memory, g.add)
	all, err := g.pairs(err)
	return all, stats, err
}

// Counting finds the pairs of brute force at any threshold, and none besides where no
// two members have one high half.
func TestCountingEqualsBruteForce(t *testing.T) {
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		low := []measure.Threshold{measure.Ratio(1, 9), measure.Ratio(1, 20), measure.Ratio(1, 1)}
		for i, at := range append(drawn.Thresholds(rand.New(rand.NewPCG(seed, 7)), w.bags), low...) {
			got, stats, err := counted(context.Background(), w, at, 1+i%3, 64<<20)
			if err != nil {
				t.Fatal(err)
			}
			want := w.pairs(at)
			if verified := w.verified(got, at); !slices.Equal(verified, want) {
				t.Fatalf("seed %d: Counting at %v has %d pairs, want %d; lost %v", seed, at, len(verified), len(want), drawn.Missing(verified, want))
			}
			if stats.Signature != int64(len(got)) || stats.Length < stats.Signature {
				t.Errorf("seed %d: Counting at %v: %+v for %d pairs", seed, at, stats, len(got))
			}
		}
	})
}

// Members with one high half are counted too often, never too seldom.
func TestCountingOfEqualHalves(t *testing.T) {
	const seed = 6
	rng := rand.New(rand.NewPCG(seed, 0))
	w := &world{}
	for i := range 60 {
		var members []uint64
		for range 1 + rng.IntN(20) {
			members = append(members, rng.Uint64N(3)<<32|rng.Uint64N(3))
		}
		w.bags = append(w.bags, drawn.Bag(nil, members, func(x uint64) uint64 { return x }))
		w.table.Put(uint32(i), factsOf(w.bags[i]))
	}
	for _, at := range []measure.Threshold{measure.Ratio(1, 10), measure.Ratio(1, 2), measure.Ratio(2, 3)} {
		got, _, err := counted(context.Background(), w, at, 2, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if want := w.pairs(at); !slices.Equal(w.verified(got, at), want) || len(want) == 0 {
			t.Errorf("seed %d: Counting at %v lost %v", seed, at, drawn.Missing(got, want))
		}
	}
}

func TestCountingIsCancelled(t *testing.T) {
	w := newWorld(1, 90, 40, "wide", 14, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := counted(ctx, w, measure.Ratio(1, 10), 2, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("Counting with an ended context: %v", err)
	}
	if pairs, _, err := counted(context.Background(), &world{}, measure.Ratio(1, 10), 2, 1<<20); err != nil || len(pairs) > 0 {
		t.Errorf("Counting of nothing = %v, %v", pairs, err)
	}
}

// Counting takes the bytes that it says.
func TestCountingBytes(t *testing.T) {
	w := newWorld(2, 300, 60, "wide", 14, false)
	m := &measured{}
	c := NewCounting(Rank(w.table.View(), measure.Ratio(1, 10), m))
	said := CountingBytes(c.Ranks, 2)
	for i, bag := range w.bags {
		if len(bag.Set) > 0 {
			c.Put(uint32(i), bag.Set)
		}
	}
	if _, err := c.Join(context.Background(), 2, said, func([]Pair) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if holes := int64(len(w.bags)) * 4; m.most > said+holes || m.most < said/3 {
		t.Errorf("Counting took %d bytes, and said %d", m.most, said)
	}
}

// measured is memory that knows the most that was taken at a time.
type measured struct {
	up         *measured
	taken, own int64
	most       int64
}

func (m *measured) take(n int) {
	m.own += int64(n)
	for u := m; u != nil; u = u.up {
		u.taken += int64(n)
		u.most = max(u.most, u.taken)
	}
}

func (m *measured) Words(n int) []uint64  { m.take(8 * n); return make([]uint64, n) }
func (m *measured) Halves(n int) []uint32 { m.take(4 * n); return make([]uint32, n) }
func (m *measured) Apart() Memory         { return &measured{up: m} }
func (m *measured) Free() {
	for u := m; u != nil; u = u.up {
		u.taken -= m.own
	}
	m.own = 0
}
