package repetition

// This file compares all pairs, through no index. What the buckets lose is
// counted against this.

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/simdb/simdb/api"
)

// measures are those by which pairs are judged: without repetition, with it as
// the paper's eq. 3 has it, and as multisets.
var measures = [...]api.Measure{api.Jaccard, api.Repetition, api.Multiset}

// matches are pairs by measure, each list sorted.
type matches [len(measures)][]pair

// allPairs looks at every pair of documents, through no index: the exact answer.
func allPairs(ctx context.Context, g *judge) (matches, error) {
	var (
		found matches
		mu    sync.Mutex
		next  atomic.Int64
		all   sync.WaitGroup
	)
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			var own matches
			for a := next.Add(1) - 1; a < int64(len(g.docs)) && ctx.Err() == nil; a = next.Add(1) - 1 {
				for b := a + 1; b < int64(len(g.docs)); b++ {
					g.keep(&own, pair{int32(a), int32(b)})
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for i := range found {
				found[i] = append(found[i], own[i]...)
			}
		})
	}
	all.Wait()
	found.sort()
	return found, ctx.Err()
}

func (m *matches) sort() {
	for _, pairs := range m {
		slices.SortFunc(pairs, pair.compare)
	}
}

func (p pair) compare(q pair) int { return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b)) }

// without returns the pairs of all that are not in found; both are sorted.
func without(all, found []pair) (lost []pair) {
	for _, p := range all {
		for len(found) > 0 && found[0].compare(p) < 0 {
			found = found[1:]
		}
		if len(found) == 0 || found[0] != p {
			lost = append(lost, p)
		}
	}
	return lost
}
