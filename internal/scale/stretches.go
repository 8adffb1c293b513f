package scale

// Stretches: all sets by size, in as many parts as it takes for two of them to have room
// in the memory of a task. Sets of one size that have no room are told apart by a hash.

import (
	"maps"
	"slices"

	"github.com/simdb/simdb/internal/sketch"
)

// stretches are the first key of each.
type stretches []uint64

const hashBits = 16

// keyOf returns the key of a set: its size, and a hash of its id.
func keyOf(size int, id uint64) uint64 {
	return uint64(size)<<hashBits | id*0x9e3779b97f4a7c15>>(64-hashBits)
}

// of returns the stretch of a key.
func (s stretches) of(key uint64) int {
	i, first := slices.BinarySearch(s, key)
	if !first {
		i--
	}
	return i
}

// stretches divides sets, of which so many have each size, into stretches of at most room
// bytes.
func (r rule) stretches(sizes map[uint64]uint64, w strategy, room uint64) stretches {
	bounds, held := stretches{0}, uint64(0)
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		all := sizes[size] * r.weight(int(size), w)
		if held += all; held <= room {
			continue
		}
		n := min((all+room-1)/room, sizes[size], 1<<hashBits)
		for i := range n {
			bounds = append(bounds, size<<hashBits|i<<hashBits/n)
		}
		held = all / n
	}
	return bounds
}

// weight is about how many bytes a task of join takes for a set of a size.
func (r rule) weight(size int, w strategy) uint64 {
	own := 64 + 8*uint64(sketch.SignatureWords(size))
	if w == byTokens {
		return own + 8*uint64(r.prefixLen(size))
	}
	return own + 8*uint64(w.wide()*sketch.UnboundedWords(size))
}

// join returns the two stretches of a task, or the same one twice, and how many tasks there
// are. A stretch is joined with itself and with those before whose largest sets can be a pair
// with its smallest.
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

// stretches returns those of the stage order, and the strategy of the join.
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
