package join

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/sketch"
)

// This file compares the heads of two ranks, which tell most pairs that met
// apart.

// sigHeads has a head for each rank of a cell: the signature folded to 256 bits,
// or to 512 for long sets. Heads lie side by side in the order of ranks, so comparing
// two of them waits for memory once. Finding a signature takes several
// look-ups. Nearly all pairs that meet are so unlike that their heads tell.
type sigHeads struct {
	of   []uint64 // headWords for each rank below long, longWords for the others
	long uint32
	// Ranks below wide may have signatures shorter than heads. These cannot be
	// compared with longer ones, so their heads tell nothing.
	wide uint32
}

const (
	headWords = 4
	longWords = 2 * headWords // the line that a head fetches anyway

	// Short heads of sets that share nothing differ in 128 bits, give or take 8.
	// They would let too much pass where matches may differ in nearly as many.
	leastApart = 32*headWords - 3*8
)

// longRank returns the first rank with a long head, if all ranks are one cell.
// At most about half of the ranks have long heads, so all heads take 48 bytes a
// set. A head is never longer than the signature.
func (r *Ranks) longRank() uint32 {
	first := sort.Search(len(r.steps), func(i int) bool {
		size := r.steps[i].size
		return r.apart(size) >= leastApart && sketch.SignatureWords(int(size)) >= longWords
	})
	rank := len(r.set)
	if first < len(r.steps) {
		rank = int(r.steps[first].from)
	}
	even := (max(rank, len(r.set)/2) + 1) &^ 1 // so that a long head is one line of the cache
	return uint32(min(even, len(r.set)))
}

// headWords returns how many words all heads have together.
func (r *Ranks) headWords() int {
	long := int(r.longRank())
	return long*headWords + (len(r.set)-long)*longWords
}

// heads makes the heads of all ranks in words, which must be zeros.
func (r *Ranks) heads(words []uint64, workers int) sigHeads {
	h := sigHeads{of: words, long: r.longRank()}
	wide, wrong := make([]uint32, workers), make([]error, workers)
	var wg sync.WaitGroup
	n := len(r.rankOf)
	for k := range workers {
		wg.Go(func() {
			defer index.CatchUnreadable(&wrong[k])()
			for set := n * k / workers; set < n*(k+1)/workers; set++ { // in the order of sets, as the signatures lie
				rank := r.rankOf[set]
				if rank == hole {
					continue
				}
				if fold(h.at(rank), r.view.Signature(uint32(set))) {
					wide[k] = max(wide[k], rank+1)
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(wrong...); err != nil {
		panic(&index.Unreadable{Err: err}) // on the goroutine of the caller, which catches it
	}
	h.wide = slices.Max(wide)
	return h
}

// fold folds a signature to a head, which must be zeros. short says that the
// signature is shorter.
func fold(head []uint64, s sketch.Signature) (short bool) {
	for i, x := range s {
		head[i%len(head)] ^= x
	}
	return len(s) < len(head)
}

func (h *sigHeads) at(rank uint32) []uint64 {
	if rank < h.long {
		return h.of[int(rank)*headWords:][:headWords]
	}
	return h.longAt(rank)[:]
}

func (h *sigHeads) longAt(rank uint32) *[longWords]uint64 {
	return (*[longWords]uint64)(h.of[int(h.long)*headWords+int(rank-h.long)*longWords:])
}

// apart returns in how many bits the heads of two ranks differ, low < high.
// This is never more than the number of members that only one of the sets has.
func (h *sigHeads) apart(low, high uint32) (n int) {
	if low < h.wide {
		return 0
	}
	if low >= h.long {
		a, b := h.longAt(low), h.longAt(high)
		for i := range a {
			n += bits.OnesCount64(a[i] ^ b[i])
		}
		return n
	}
	a := (*[headWords]uint64)(h.of[int(low)*headWords:])
	if high < h.long {
		b := (*[headWords]uint64)(h.of[int(high)*headWords:])
		for i := range a {
			n += bits.OnesCount64(a[i] ^ b[i])
		}
		return n
	}
	b := h.longAt(high)
	for i := range a {
		n += bits.OnesCount64(a[i] ^ b[i] ^ b[i+headWords])
	}
	return n
}

// apart returns in how many members two sets with resemblance ≥ t can differ,
// if the smaller one has n. The other has at most n/t, so it is (1−t)/t·n. It
// is computed in float64 and rounded up by more than the error. Too large a
// result only costs time.
func (r *Ranks) apart(n uint32) int {
	t := r.t.Float64()
	return int(min((1-t)/t*float64(n), math.MaxInt32)) + 2
}
