package measures

// This file finds all pairs of documents with near sentences. Comparing all 170
// million pairs of linuxdoc one by one, for five distances, would take hours.

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
)

// A chunkPair is two lists, by their places, and how their chunks match.
type chunkPair struct {
	query, doc int
	match      measure.ChunkMatch
}

// A chunkJoin finds all pairs of lists of 32-bit fingerprints that have near
// ones in common. It is exact: measure.MatchChunks of the pair gives the same.
type chunkJoin struct {
	lists    [][]uint32
	values   []uint32  // distinct, ascending
	near     [][]int32 // by value: the values near it, itself included
	holders  [][]int32 // by value: the lists that have it, ascending
	ofList   [][]int32 // by list: its values
	distance int
}

func newChunkJoin(lists [][]uint32, distance int) *chunkJoin {
	j := &chunkJoin{lists: lists, distance: distance}
	for _, l := range lists {
		j.values = append(j.values, l...)
	}
	slices.Sort(j.values)
	j.values = slices.Compact(j.values)
	j.holders = make([][]int32, len(j.values))
	j.ofList = make([][]int32, len(lists))
	for i, l := range lists {
		for _, c := range l {
			v, _ := slices.BinarySearch(j.values, c)
			j.holders[v] = append(j.holders[v], int32(i))
			j.ofList[i] = append(j.ofList[i], int32(v))
		}
	}
	j.near = nearValues(j.values, distance)
	return j
}

// nearValues returns for each value the places of those within distance. Cut
// into distance+2 blocks, two near values agree on two of them.
func nearValues(values []uint32, distance int) [][]int32 {
	near := make([][]int32, len(values))
	blocks := distance + 2
	for a := range blocks {
		for b := range a {
			mask := block(a, blocks) | block(b, blocks)
			buckets := map[uint32][]int32{}
			for i, v := range values {
				buckets[v&mask] = append(buckets[v&mask], int32(i))
			}
			for i, v := range values {
				for _, n := range buckets[v&mask] {
					if bits.OnesCount32(v^values[n]) <= distance {
						near[i] = append(near[i], n)
					}
				}
			}
		}
	}
	for i := range near {
		slices.Sort(near[i])
		near[i] = slices.Compact(near[i])
	}
	return near
}

// block has the bits of the nth of some blocks of 32 bits.
func block(n, blocks int) uint32 {
	low, high := 32*n/blocks, 32*(n+1)/blocks
	return uint32(uint64(1)<<high - uint64(1)<<low)
}

// pairs calls found for every pair query < doc whose share of matched chunks,
// of both, is at least minShare, from two goroutines but one at a time.
func (j *chunkJoin) pairs(ctx context.Context, minShare api.Threshold, found func(chunkPair)) error {
	const workers = 2
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			c := j.newCounter()
			for q := w; q < len(j.lists) && ctx.Err() == nil; q += workers {
				for _, p := range c.of(q) {
					if m := p.match; minShare.Admits(uint64(m.QueryMatched+m.DocMatched), uint64(m.Query+m.Doc)) {
						mu.Lock()
						found(p)
						mu.Unlock()
					}
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// A chunkCounter counts the matches of one list with all after it.
type chunkCounter struct {
	*chunkJoin
	docMatched, queryMatched []int32 // by list
	touched                  []int32
	byChunk                  []int32 // by list: 1 + the last chunk of the query it was counted for
	byValue                  []int32 // by value: 1 + the last query it was counted for
}

func (j *chunkJoin) newCounter() *chunkCounter {
	n := len(j.lists)
	return &chunkCounter{j, make([]int32, n), make([]int32, n), nil, make([]int32, n), make([]int32, len(j.values))}
}

func (c *chunkCounter) of(query int) (pairs []chunkPair) {
	for k, chunk := range c.ofList[query] {
		for _, v := range c.near[chunk] {
			isNew := c.byValue[v] != int32(query)+1
			c.byValue[v] = int32(query) + 1
			after, _ := slices.BinarySearch(c.holders[v], int32(query)+1)
			for _, d := range c.holders[v][after:] {
				if isNew {
					if c.docMatched[d] == 0 {
						c.touched = append(c.touched, d)
					}
					c.docMatched[d]++
				}
				if c.byChunk[d] != int32(k)+1 {
					c.byChunk[d] = int32(k) + 1
					c.queryMatched[d]++
				}
			}
		}
	}
	for _, d := range c.touched {
		pairs = append(pairs, chunkPair{query, int(d), measure.ChunkMatch{
			Query: len(c.lists[query]), Doc: len(c.lists[d]),
			QueryMatched: int(c.queryMatched[d]), DocMatched: int(c.docMatched[d]),
		}})
		c.docMatched[d], c.queryMatched[d], c.byChunk[d] = 0, 0, 0
	}
	c.touched = c.touched[:0]
	return pairs
}
