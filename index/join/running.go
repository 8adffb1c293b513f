package join

// A running join, and the delivery of its pairs.

import (
	"context"
	"slices"
	"sync"
	"unsafe" // to store pairs as words

	"github.com/simdb/simdb/index"
)

// running is a call of Pairs.
type running struct {
	*ranks
	plan
	dealt *store

	mu    sync.Mutex
	pairs []uint64 // found since the last run
	runs  runs
	found func([]Pair) error
	stats Stats
}

// runs holds sorted pairs that await the end of the join, in scratch. So the caller has the memory of
// the tables when it verifies them.
type runs struct {
	*store
	list []extent
}

// mostRuns bounds the scratch of pairs: with more, they are delivered while the tables are in use.
const mostRuns = 256

// take adds the pairs of a worker, and writes a run if too many have accumulated. It delivers all pairs
// if scratch has no room for the run.
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
	if x, err := j.runs.append(halvesOf(j.pairs)); err == nil {
		j.pairs = j.pairs[:0]
		if j.runs.list = append(j.runs.list, x); len(j.runs.list) < mostRuns {
			return nil
		}
	}
	return j.handOverAll()
}

// handOverAll delivers all pairs, of which those in memory are sorted.
func (j *running) handOverAll() error {
	if err := j.handOver(); err != nil {
		return err
	}
	for _, x := range j.runs.list {
		j.pairs = slices.Grow(j.pairs, int(x.n/2))[:x.n/2]
		if err := j.runs.read(halvesOf(j.pairs), x); err != nil {
			return err
		}
		if err := j.handOver(); err != nil {
			return err
		}
	}
	j.runs.list = j.runs.list[:0]
	err := j.runs.scratch.Close()
	j.runs.scratch = j.Scratch.Apart()
	return err
}

// handOver delivers the sorted pairs in memory in portions. With many pairs, the sets of a portion are
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

// halvesOf returns words as halves, in the order of the machine. The result aliases words.
func halvesOf(words []uint64) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))
}
