package join

// A running join, and the pairs that it has found.

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
	dealt *hoard

	mu    sync.Mutex
	pairs []uint64 // found and not handed over
	found func([]Pair) error
	stats Stats
}

// take takes pairs that a worker has found, and hands them over if there are too many.
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

// handOver hands over the pairs, which are sorted, in portions: of many pairs those of a
// portion have sets that lie near each other.
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
