package pairs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
)

// drawnTexts are texts of words that many of them have.
func drawnTexts(n int) (texts []string) {
	rng := rand.New(rand.NewPCG(9, 0))
	for range n {
		var b strings.Builder
		for range 15 + rng.IntN(30) {
			k := rng.IntN(25)
			fmt.Fprintf(&b, "a%d b%d c%d d%d ", k, k, k, k)
		}
		texts = append(texts, b.String())
	}
	return texts
}

// Every way that a collection can meet itself in gives the same edges, at thresholds
// down to a twentieth.
func TestWaysToMeetAgree(t *testing.T) {
	ctx := context.Background()
	m := momentOf(t, drawnTexts(150))
	for _, at := range []measure.Threshold{measure.Ratio(1, 20), measure.Ratio(1, 5), measure.Ratio(1, 4)} {
		var want []edge
		for i, w := range []way{{access: search.AccessSignature}, {access: search.AccessSignature, wide: true}, {access: search.AccessScan, overlap: true}} {
			e, err := newEdges(ctx, m, search.Search{Min: at})
			if err != nil {
				t.Fatal(err)
			}
			e.list, e.ids = newEdgeList(ctx, m), newKnownIDs(len(e.views), m.MemoryBytes/8, m.Scratch)
			memory := &joinMemory{}
			w.ranks = join.Rank(e.views[0].Table, at, memory)
			err = e.joinBy(ctx, leg{}, w, memory, search.NewPlan(e.q, w.access, ""), false)
			e.closeTexts()
			memory.Free()
			if err != nil {
				t.Fatal(err)
			}
			got := e.list.held
			for i, x := range got {
				if x.fromSet > x.toSet {
					got[i].fromSet, got[i].toSet = x.toSet, x.fromSet
				}
			}
			slices.SortFunc(got, func(a, b edge) int { return int(a.fromSet)<<16 + int(a.toSet) - int(b.fromSet)<<16 - int(b.toSet) })
			if i == 0 {
				want = slices.Clone(got)
			}
			if !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("at %v way %d has %d edges, the first %d", at, i, len(got), len(want))
			}
		}
	}
}

// The shares that a sample tells are those of all pairs, if the sample has all.
func TestSampleTellsAll(t *testing.T) {
	ctx := context.Background()
	m := momentOf(t, drawnTexts(100))
	e, err := newEdges(ctx, m, search.Search{Min: measure.Ratio(1, 10)})
	if err != nil {
		t.Fatal(err)
	}
	v := e.views[0]
	ranks := join.Rank(v.Table, e.q.Min, nil)
	s, err := e.sample(ctx, v, ranks)
	if err != nil {
		t.Fatal(err)
	}
	r := m.Reader(v)
	defer r.Close()
	live := v.Live(0, v.Table.Len())
	matches, pairs := 0.0, 0.0
	for i, a := range live {
		x, err := r.Bag(a)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range live[:i] {
			y, err := r.Bag(b)
			if err != nil {
				t.Fatal(err)
			}
			if n, k := len(x.Set), len(y.Set); !e.q.Min.Admits(uint64(min(n, k)), uint64(max(n, k))) {
				continue
			}
			pairs++
			score := measure.Resemblance.Score(x, y)
			if score.Reaches(e.q.Min) {
				matches++
			}
		}
	}
	if s.matches != matches/pairs || s.matches == 0 || s.wide < s.matches || s.wide > 1 {
		t.Errorf("sample %+v, want %v matches of %v pairs", s, matches/pairs, pairs)
	}
}

// A join that has too little memory says what would do.
func TestJoinErrorNamesBytes(t *testing.T) {
	ctx := context.Background()
	m := momentOf(t, drawnTexts(3))
	e, err := newEdges(ctx, m, search.Search{Min: measure.Ratio(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	err = e.joinError(&join.MemoryError{Sets: 20_000_000, Bytes: 300 << 20})
	if !errors.Is(err, fault.ErrTooLarge) || !strings.Contains(err.Error(), "601 MiB") {
		t.Errorf("joinError = %v", err)
	}
}
