package pairs

// The heaviest shingles of sets, and which sets meet in them.

import (
	"context"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
)

// heaviest holds the heaviest shingles of many sets, in chunks in scratch. A set is its number, the
// number of its shingles, and the shingles in two words each.
type heaviest struct {
	scratch *join.FileScratch
	room    int // words of a block
	chunks  []chunk
	words   []uint32 // of the next chunk
}

// chunk is a place in scratch.
type chunk struct {
	at    int64
	words int
}

// blockBytes is the memory of a block for each word of its chunks: half of a meeting and of a place in
// the map.
const blockBytes = 32

// newHeaviest returns an empty list. Close its scratch.
func newHeaviest(m *view.Snapshot) *heaviest {
	return &heaviest{scratch: fileScratch(m.Scratch), room: int(m.MemoryBytes / 2 / blockBytes)}
}

// add appends a set. The last set needs a flush.
func (h *heaviest) add(set uint32, shingles []uint64) error {
	if len(shingles) == 0 {
		return nil
	}
	h.words = append(h.words, set, uint32(len(shingles)))
	for _, x := range shingles {
		h.words = append(h.words, uint32(x), uint32(x>>32))
	}
	if len(h.words) < h.room/4 {
		return nil
	}
	return h.flush()
}

// flush writes a chunk.
func (h *heaviest) flush() error {
	if len(h.words) == 0 {
		return nil
	}
	at, err := h.scratch.Append(h.words)
	h.chunks = append(h.chunks, chunk{at, len(h.words)})
	h.words = h.words[:0]
	return err
}

// meet calls visit with each set and a block of earlier sets, for blocks that together hold all earlier
// sets. A block fits in the memory unless one chunk exceeds it; later sets are read again for each block.
func (h *heaviest) meet(ctx context.Context, visit func(b *block, set uint32, shingles []uint64) error) error {
	for first, end := 0, 0; first < len(h.chunks); first = end {
		b, words := &block{last: map[uint64]uint32{}}, 0
		for end < len(h.chunks) && (end == first || words+h.chunks[end].words <= h.room) {
			words += h.chunks[end].words
			end++
		}
		for i := first; i < len(h.chunks); i++ {
			err := h.each(h.chunks[i], func(set uint32, shingles []uint64) error {
				err := visit(b, set, shingles)
				if i < end {
					b.add(set, shingles)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// each reads the sets of a chunk. The shingles are valid during the call of yield.
func (h *heaviest) each(c chunk, yield func(set uint32, shingles []uint64) error) error {
	words := make([]uint32, c.words)
	if err := h.scratch.Read(words, c.at); err != nil {
		return err
	}
	var shingles []uint64
	for len(words) > 0 {
		set, n := words[0], 2+2*int(words[1])
		shingles = shingles[:0]
		for i := 2; i < n; i += 2 {
			shingles = append(shingles, uint64(words[i])|uint64(words[i+1])<<32)
		}
		if err := yield(set, shingles); err != nil {
			return err
		}
		words = words[n:]
	}
	return nil
}

// block finds the sets that have a shingle among their heaviest.
type block struct {
	meetings []meeting
	last     map[uint64]uint32 // place of the last meeting with a shingle, plus 1
}

// meeting is one of the heaviest shingles of a set. The other sets with this shingle are before it.
type meeting struct {
	set    uint32
	before uint32 // place of the last meeting with this shingle, plus 1; 0: none
	others uint32 // number of such meetings
}

// add adds a set.
func (b *block) add(set uint32, shingles []uint64) {
	for _, x := range shingles {
		m := meeting{set: set, before: b.last[x], others: uint32(b.count(x))}
		b.meetings = append(b.meetings, m)
		b.last[x] = uint32(len(b.meetings))
	}
}

// count returns the number of sets with a shingle.
func (b *block) count(shingle uint64) int {
	if at := b.last[shingle]; at > 0 {
		return int(b.meetings[at-1].others) + 1
	}
	return 0
}

// sets appends the sets with a shingle to dst.
func (b *block) sets(dst []uint32, shingle uint64) []uint32 {
	for at := b.last[shingle]; at > 0; at = b.meetings[at-1].before {
		dst = append(dst, b.meetings[at-1].set)
	}
	return dst
}
