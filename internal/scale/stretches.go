package scale

// Stretches: all sets by size, in ranges such that two fit into the memory of a task. A hash
// divides sets of one size that do not fit.

import (
	"maps"
	"slices"

	"github.com/simdb/simdb/internal/sketch"
)

// stretches are the first keys of the ranges.
type stretches []uint64

const hashBits = 16

// keyOf returns the key of a set: its size, then a hash of its id.
func keyOf(size int, id uint64) uint64 {
	return uint64(size)<<hashBits | id*0x9e3779b97f4a7c15>>(64-hashBits)
}

// of returns the stretch that contains a key.
func (s stretches) of(key uint64) int {
	i, first := slices.BinarySearch(s, key)
	if !first {
		i--
	}
	return i
}

// stretches divides sets, given their number by size, into stretches of at most room bytes.
func (r rule) stretches(sizes map[uint64]uint64, w strategy, room uint64) stretches {
	bounds, held := stretches{0}, uint64(0)
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		all := sizes[size] * r.weight(int(size), w)
		if held += all; held <= room {
			continue
		}
		// A size that no longer fits begins a new stretch, or several, divided by the hash in the key.
		n := min((all+room-1)/room, sizes[size], 1<<hashBits)
		for i := range n {
			bounds = append(bounds, size<<hashBits|i<<hashBits/n)
		}
		held = all / n
	}
	return bounds
}

// weight returns the approximate bytes that a task of join takes for a set of a size.
func (r rule) weight(size int, w strategy) uint64 {
	own := 64 + 8*uint64(sketch.SignatureWords(size))
	if w == byTokens {
		return own + 8*uint64(r.prefixLen(size))
	}
	return own + 8*uint64(w.wide()*sketch.UnboundedWords(size))
}

// join returns the two stretches of a task, which may be equal, and the number of tasks. A
// stretch joins with itself and with those smaller stretches whose largest sets are large enough
// for a pair with its smallest.
func (s stretches) join(r rule, task int) (low, high, all int) {
	for k, first := 0, 0; k < len(s); k++ {
		for ; first < k; first++ {
			if x, y := (s[first+1]-1)>>hashBits, s[k]>>hashBits; r.need(x, y) <= min(x, y) {
				break
			}
		}
		if all <= task {
			low, high = first+task-all, k
		}
		all += k - first + 1
	}
	return low, high, all
}

// stretches returns the stretches and the strategy that stage order wrote.
func (j *Job) stretches() (stretches, strategy, error) {
	r, err := j.open(Order, 0)
	if err != nil {
		return nil, 0, err
	}
	words, err := r.words(stretchesSection)
	if err == nil && len(words) < 2 {
		err = r.broken("it has no stretches")
	}
	if err != nil {
		return nil, 0, err
	}
	return words[1:], strategy(words[0]), nil
}
