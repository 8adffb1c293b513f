package join

// A running join, and the delivery of its pairs.

import (
	"context"
	"slices"
	"sync"

	"github.com/simdb/simdb/index"
)

// running is a call of Pairs.
type running struct {
	*ranks
	plan
	dealt *store

	mu    sync.Mutex
	pairs []uint64 // found but not delivered
	found func([]Pair) error
	stats Stats
}

// take adds the pairs of a worker, and delivers all pairs if too many have accumulated.
func (j *running) take(ctx context.Context, pairs []uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pairs = append(j.pairs, pairs...)
	if len(j.pairs) <= j.most {
		return nil
	}
	if err := index.SortUntil(ctx.Err, j.pairs); err != nil {
		return err
	}
	return j.handOver()
}

// handOver delivers the sorted pairs in portions. With many pairs, the sets of a portion are
// close to each other.
func (j *running) handOver() error {
	for portion := range slices.Chunk(j.pairs, j.portion) {
		pairs := make([]Pair, len(portion))
		for i, p := range portion {
			pairs[i] = Pair{uint32(p >> 32), uint32(p)}
		}
		if err := j.found(pairs); err != nil {
			return err
		}
	}
	j.stats.Signature += int64(len(j.pairs))
	j.pairs = j.pairs[:0]
	return nil
}
