package join

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
	"github.com/simdb/simdb/internal/sketch"
)

// This file joins sets by comparing the signatures of all sets that fit by
// size.

// Signatures finds the pairs that pass the length filter and the parity
// signatures. It compares every set with every other of a fitting size, so no
// match is lost, whatever the threshold is. Portions, workers, ctx and memory
// are as in Postings.
//
// The work grows with the square of the sets, but a comparison takes about a
// nanosecond. For small collections this is less than reading postings. So it
// is for long sets, whose prefixes are full of common shingles. A block of
// neighbouring ranks is kept as a tile in the cache of a core. Each signature
// that can be paired with any of them is fetched once and compared with all of
// them.
func Signatures(ctx context.Context, r *Ranks, workers int, memory int64, found func([]Pair) error) (Stats, error) {
	workers = max(workers, 1)
	j := &signatureJoin{Ranks: r, portion: found}
	r.flatten()
	j.most = max(int(memory/bytesPerPair)/workers, 16)
	j.cut(workers)
	rest := make([][]uint64, workers)
	var next atomic.Int64
	ctx, stage := progress.Begin(ctx, "sets compared", int64(len(r.set)))
	g, ctx := errgroup.WithContext(ctx)
	for w := range workers {
		g.Go(func() (err error) {
			defer index.CatchUnreadable(&err)()
			c := comparison{signatureJoin: j}
			for {
				// The last blocks are the longest sets, with the most partners.
				b := len(j.blocks) - int(next.Add(1))
				if b < 0 {
					break
				}
				if err := c.block(ctx, j.blocks[b]); err != nil {
					return err
				}
				stage.Add(j.blocks[b].hi - j.blocks[b].lo)
			}
			slices.Sort(c.found)
			rest[w] = c.found
			return nil
		})
	}
	err := g.Wait()
	if err == nil {
		err = j.yield(merged(rest))
	}
	return Stats{Length: r.Window(), Signature: j.pairs}, err
}

type signatureJoin struct {
	*Ranks
	blocks []rankBlock
	most   int // pairs that a worker holds

	mu      sync.Mutex
	portion func([]Pair) error
	pairs   int64 // handed over
}

// yield passes sorted pairs on.
func (j *signatureJoin) yield(sorted []uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pairs += int64(len(sorted))
	return j.portion(unpacked(sorted))
}

// rankBlock is a block of neighbouring ranks [lo,hi) whose signatures have one
// width.
type rankBlock struct{ lo, hi, words int }

// A tile has at most a quarter of a megabyte, so that it stays in the cache
// beside what it is compared with. It has at most 1,024 rows, so that a
// signature can be paired with most of them.
const (
	tileBytes = 256 << 10
	tileRank  = 1024
)

// cut makes the blocks. If there are enough sets, each worker gets several.
func (j *signatureJoin) cut(workers int) {
	most := max(len(j.set)/(8*workers)/64*64, 64)
	for lo := 0; lo < len(j.set); {
		words := len(j.signature(lo))
		end := min(len(j.set), lo+min(most, tileRank, max(tileBytes/8/(words+1)/64*64, 64)))
		hi := lo + 1
		for hi < end && len(j.signature(hi)) == words {
			hi++
		}
		j.blocks = append(j.blocks, rankBlock{lo, hi, words})
		lo = hi
	}
}

// margin is the share of one side in the bits in which a pair can differ. Sets
// of n and m members with resemblance ≥ t differ in at most (1−t)/(1+t)·(n+m)
// members, and in no more bits. It is computed in float64 and rounded up by
// more than the error. Too large a result only costs time.
func (j *signatureJoin) margin(rank int) int64 { return marginOf(j.t, uint64(j.size[rank])) }

func marginOf(threshold measure.Threshold, size uint64) int64 {
	t := threshold.Float64()
	return int64((1-t)/(1+t)*float64(size)) + 2
}

// comparison is one worker of a signature join.
type comparison struct {
	*signatureJoin
	tile   tile // of the block
	folded tile // the same, folded to another width
	buf    sketch.Signature
	found  []uint64
}

// block finds the pairs of the block's ranks with lower ones.
func (c *comparison) block(ctx context.Context, b rankBlock) error {
	c.tile.reset(b.words, b.hi-b.lo)
	for i := range b.hi - b.lo {
		c.tile.set(i, -c.margin(b.lo+i), c.signature(b.lo+i))
	}
	c.folded.reset(0, 0)
	first, _ := slices.BinarySearch(c.reach, uint32(b.lo))
	for rank := first; rank < b.hi; rank++ {
		if rank%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c.row(b, rank)
		if len(c.found) > c.most {
			slices.Sort(c.found)
			if err := c.yield(c.found); err != nil {
				return err
			}
			c.found = c.found[:0]
		}
	}
	return nil
}

// row finds the pairs of one rank with higher ones of the block.
func (c *comparison) row(b rankBlock, rank int) {
	sig, t := c.signature(rank), &c.tile
	switch {
	case len(sig) > b.words:
		sig = c.narrow(sig, b.words)
	case len(sig) < b.words:
		if t = &c.folded; t.words != len(sig) || t.rows == 0 {
			t.fold(&c.tile, len(sig))
		}
	}
	from, to := max(rank+1, b.lo), min(int(c.reach[rank])+1, b.hi)
	if from >= to {
		return
	}
	lo, hi := (from-b.lo)/tileLanes, (to-b.lo+tileLanes-1)/tileLanes
	t.compare(sig, lo, hi, c.margin(rank))
	near := t.near[lo:hi]
	for g := 0; g < len(near); {
		if g+8 <= len(near) && binary.NativeEndian.Uint64(near[g:]) == 0 { // this is the usual case
			g += 8
			continue
		}
		for rows := near[g]; rows != 0; rows &= rows - 1 {
			other := b.lo + tileLanes*(lo+g) + bits.TrailingZeros8(rows)
			if other >= from && other < to && c.near(rank, other) {
				c.found = append(c.found, packed(c.set[rank], c.set[other]))
			}
		}
		g++
	}
}

// near is the exact filter, with signatures of any width.
func (c *comparison) near(a, b int) bool {
	return index.MayResemble(c.t, uint64(c.size[a]), uint64(c.size[b]), c.signature(a), c.signature(b))
}

// narrow folds a signature to so many words.
func (c *comparison) narrow(s sketch.Signature, words int) sketch.Signature {
	c.buf = append(c.buf[:0], make(sketch.Signature, words)...)
	if words > 0 {
		for k, x := range s {
			c.buf[k%words] ^= x
		}
	}
	return c.buf
}
