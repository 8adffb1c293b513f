package join

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
)

// fullLater is scratch of buckets. Its scratch of pairs is full after some runs.
type fullLater struct {
	heapScratch
	runs *int
}

func (s *fullLater) Apart() Scratch { return &fullScratch{runs: s.runs} }

type fullScratch fullLater

func (s *fullScratch) Append(words []uint32) (int64, error) {
	if *s.runs--; *s.runs < 0 {
		return 0, errors.New("the disk is full")
	}
	return s.heapScratch.Append(words)
}

func (s *fullScratch) Apart() Scratch { return &fullScratch{runs: s.runs} }

// Pairs for which scratch has no room are delivered during the join.
func TestPairsWithoutScratch(t *testing.T) {
	w := newWorld(1, 400, 40, "wide", 14, false)
	want := w.matches(measure.Resemblance, api.Ratio(1, 20), 0, true)
	for _, runs := range []int{0, 3} {
		o := &Sets{Formula: measure.Resemblance, Min: api.Ratio(1, 20), Sides: []Side{w.side(t, 0, len(w.bags))}, room: 1 << 16, Scratch: &fullLater{runs: &runs}}
		g := &gathering{}
		_, err := o.Pairs(context.Background(), 2, 0, g.add)
		found, err := g.pairs(err)
		if err != nil || runs >= 0 {
			t.Fatalf("%v with %d runs left", err, runs)
		}
		for _, p := range want {
			if _, ok := slices.BinarySearchFunc(found, p, comparePairs); !ok {
				t.Fatalf("lost %v", p)
			}
		}
	}
}

// A run of pairs has a length of 32 bits in words.
func TestRunsFit(t *testing.T) {
	if p, ok := fits(1000, 1000, 1, 1<<44); !ok || 2*uint64(p.most) >= 1<<32 {
		t.Errorf("%d pairs, %v", p.most, ok)
	}
}
