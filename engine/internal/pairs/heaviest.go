package pairs

// The heaviest shingles of sets, and which sets meet in them.

import (
	"context"
	"slices"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/progress"
)

// heaviest holds the heaviest shingles of many sets in chunks, all but the last in scratch. A set is
// its number, the number of its shingles, and the shingles in two words each.
type heaviest struct {
	scratch *join.FileScratch
	room    int // words of a block
	chunks  []chunk
	words   []uint32 // of the last chunk
	sets    int      // in words
}

// chunk is a place in scratch; at is negative for the last chunk.
type chunk struct {
	at    int64
	words int
	sets  int
}

// blockBytes is the memory of a block for each word of its chunks: half of a meeting and of a place in
// the map.
const blockBytes = 32

// mostChunk is the most words of a chunk, unless one set has more: a chunk is read at once.
const mostChunk = 1 << 20

// newHeaviest returns an empty list. Close its scratch.
func newHeaviest(m *view.Snapshot) *heaviest {
	return &heaviest{scratch: fileScratch(m.Scratch), room: int(m.MemoryBytes / 2 / blockBytes)}
}

// add appends a set.
func (h *heaviest) add(set uint32, shingles []uint64) error {
	if len(shingles) == 0 {
		return nil
	}
	if len(h.words) >= min(h.room/4, mostChunk) {
		at, err := h.scratch.Append(h.words)
		if err != nil {
			return err
		}
		h.chunks = append(h.chunks, chunk{at, len(h.words), h.sets})
		h.words, h.sets = h.words[:0], 0
	}
	h.sets++
	h.words = append(h.words, set, uint32(len(shingles)))
	for _, x := range shingles {
		h.words = append(h.words, uint32(x), uint32(x>>32))
	}
	return nil
}

// blocks divides the chunks into blocks that fit in the memory, unless one chunk exceeds it. It
// returns the ends of the blocks.
func (h *heaviest) blocks() (all []chunk, ends []int) {
	all = append(slices.Clip(h.chunks), chunk{-1, len(h.words), h.sets})
	words := 0
	for i, c := range all {
		if words += c.words; i > 0 && words > h.room {
			ends, words = append(ends, i), c.words
		}
	}
	return all, append(ends, len(all))
}

// meet calls visit with each set and a block of earlier sets, for blocks that together hold all earlier
// sets. Later sets are read again for each block.
func (h *heaviest) meet(ctx context.Context, visit func(b *block, set uint32, shingles []uint64) error) error {
	all, ends := h.blocks()
	visits := int64(0)
	for i, c := range all {
		block, _ := slices.BinarySearch(ends, i+1)
		visits += int64(c.sets * (block + 1))
	}
	_, stage := progress.Begin(ctx, "sets joined", visits)
	b, first := &block{last: map[uint64]uint32{}}, 0
	for _, end := range ends {
		b.meetings = b.meetings[:0]
		clear(b.last)
		for i, c := range all[first:] {
			err := h.each(c, func(set uint32, shingles []uint64) error {
				err := visit(b, set, shingles)
				if first+i < end {
					b.add(set, shingles)
				}
				return err
			})
			if err != nil {
				return err
			}
			stage.Add(c.sets)
		}
		first = end
	}
	return nil
}

// each reads the sets of a chunk. The shingles are valid during the call of yield.
func (h *heaviest) each(c chunk, yield func(set uint32, shingles []uint64) error) error {
	words := h.words
	if c.at >= 0 {
		words = make([]uint32, c.words)
		if err := h.scratch.Read(words, c.at); err != nil {
			return err
		}
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
		at := b.last[x]
		b.meetings = append(b.meetings, meeting{set: set, before: at, others: b.countTo(at)})
		b.last[x] = uint32(len(b.meetings))
	}
}

// count returns the number of sets with a shingle.
func (b *block) count(shingle uint64) int { return int(b.countTo(b.last[shingle])) }

// countTo returns the number of meetings up to a place plus 1; 0 for 0.
func (b *block) countTo(at uint32) uint32 {
	if at == 0 {
		return 0
	}
	return b.meetings[at-1].others + 1
}

// sets appends the sets with a shingle to dst.
func (b *block) sets(dst []uint32, shingle uint64) []uint32 {
	for at := b.last[shingle]; at > 0; at = b.meetings[at-1].before {
		dst = append(dst, b.meetings[at-1].set)
	}
	return dst
}
