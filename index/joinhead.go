package index

import (
	"math"
	"math/bits"
	"sync"
)

// A sigHead is a signature folded to 256 bits. Heads lie side by side in the
// order of ranks, so that to compare two is to wait for memory once, where it
// takes several look-ups to find a signature; and nearly all pairs that meet are
// so unlike that their heads tell.
type sigHead [headWords]uint64

const (
	headWords = 4
	headBytes = 8 * headWords
)

// sigHeads are those of all ranks. Ranks below wide may have shorter signatures,
// which cannot be compared with longer ones as they are: their heads tell nothing.
type sigHeads struct {
	of   []uint64 // headWords for each
	wide uint32
}

// heads makes those of all ranks in words, which are zeros.
func (r *Ranks) heads(words []uint64, workers int) sigHeads {
	h := sigHeads{of: words}
	wide := make([]uint32, workers)
	var wg sync.WaitGroup
	n := len(r.rankOf)
	for k := range workers {
		wg.Go(func() {
			for set := n * k / workers; set < n*(k+1)/workers; set++ { // by set: signatures lie in their order
				rank := r.rankOf[set]
				if rank == hole {
					continue
				}
				sig := r.view.Signature(uint32(set))
				if len(sig) < headWords {
					wide[k] = max(wide[k], rank+1)
				}
				head := h.at(rank)
				for i, x := range sig {
					head[i%headWords] ^= x
				}
			}
		})
	}
	wg.Wait()
	for _, first := range wide {
		h.wide = max(h.wide, first)
	}
	return h
}

func (h *sigHeads) at(rank uint32) *sigHead { return (*sigHead)(h.of[int(rank)*headWords:]) }

// apart returns in how many bits the heads of two ranks differ: never in more
// than there are members that one set has and the other has not.
func (h *sigHeads) apart(low, high uint32) (n int) {
	if low < h.wide {
		return 0
	}
	a, b := h.at(low), h.at(high)
	for i := range a {
		n += bits.OnesCount64(a[i] ^ b[i])
	}
	return n
}

// apart returns in how many members two sets with resemblance ≥ t can differ if
// the smaller has n: as the other has n/t at most, in (1−t)/t·n. In float64,
// rounded up by more than it errs: too much only costs time.
func (r *Ranks) apart(n uint32) int {
	t := r.t.Float64()
	return int(min((1-t)/t*float64(n), math.MaxInt32)) + 2
}
