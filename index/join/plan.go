package join

import "fmt"

// Planning the memory of a join: the number of cells.

// plan holds the memory layout of a join.
type plan struct {
	workers int
	room    int    // words of buckets in memory
	spills  bool   // buckets stay in scratch while they are dealt
	length  uint32 // of a stretch of ranks
	buffer  int    // words buffered per cell and worker
	width   uint64 // range of tokens read and sorted at a time
	most    int    // pairs that may await delivery
	portion int    // pairs delivered at a time
}

// MemoryError is the error of a join with too little memory for its sets.
type MemoryError struct {
	Sets  int
	Bytes int64 // sufficient memory
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("join: %d sets want %d bytes of memory", e.Sets, e.Bytes)
}

const (
	// Bytes per rank of a cell; per rank and worker; per word of a bucket with its place; per
	// sorted token; per found pair; per delivered pair.
	bytesPerSize   = 8
	bytesPerProbed = 8
	bytesPerWord   = 6
	bytesPerSorted = 26
	bytesPerPair   = 12
	bytesPerHanded = 64

	placeBits  = 29 // bits of a bucket's offset in the words
	placeMask  = 1<<placeBits - 1
	mostRoom   = 1 << placeBits
	mostPairs  = 1 << 27 // in memory; an extent has less than 1<<32 words
	mostSorted = 1 << 16 // tokens; sorting stays in the cache
	// Buffers are written when full. Smaller buffers would cause many small writes and reads.
	leastBuffer, bestBuffer = 4 << 10, 64 << 10 // bytes
	leastStretch            = 256
	// fewMembers can be joined in any memory.
	fewMembers = 1 << 16
)

// Fits returns a MemoryError if memory bytes are too little for a join of so many sets, with so
// many members in the prefixes that meet and probe.
func Fits(sets, members int64, workers int, memory int64) error {
	if _, ok := fits(sets, members, workers, memory); ok {
		return nil
	}
	too, enough := max(memory, 1), max(memory, 1)
	for ok := false; !ok; _, ok = fits(sets, members, workers, enough) {
		too, enough = enough, 2*enough
	}
	for enough-too > enough/16 {
		half := (too + enough) / 2
		if _, ok := fits(sets, members, workers, half); ok {
			enough = half
		} else {
			too = half
		}
	}
	return &MemoryError{int(sets), enough}
}

// fits plans a join. One cell is best if all buckets fit the memory. Otherwise stretches are
// chosen so that the buckets of a cell fit, assuming that a quarter of the members are in
// buckets.
func fits(sets, members int64, workers int, memory int64) (p plan, ok bool) {
	p = plan{workers: max(workers, 1), most: int(min(max(memory/8/bytesPerPair, 16), mostPairs)), portion: int(max(memory/8/bytesPerHanded, 16))}
	memory = memory / 4 * 3
	p.spills = sets*bytesPerRank > memory/4
	for ; p.workers > 0; p.workers /= 2 {
		sorted := min(members/int64(p.workers)+1, mostSorted, memory/8/bytesPerSorted/int64(p.workers)+1)
		p.width = min(max(1, uint64(float64(tokens)*float64(sorted)/float64(members+1))), tokens)
		left := memory - sets*bytesPerRank - int64(p.workers)*sorted*bytesPerSorted
		if members <= fewMembers {
			left = max(left, sets*bytesPerRank+fewMembers*4*bytesPerWord)
		}
		buffers := left / 8
		if p.spills { // buffers and buckets take turns, and so do half of the ranks and the buckets
			left, buffers = left+sets*bytesPerRank/2, left/2
		}
		perRank := int64(bytesPerSize + p.workers*bytesPerProbed)
		for stretches := int64(1); ; stretches++ {
			length := max((sets+stretches-1)/stretches, 1)
			cells := stretches * (stretches + 1) / 2
			p.length = uint32(length)
			p.room = int(max(min((left-length*perRank)/bytesPerWord, mostRoom, 3*members), 1))
			buffer := buffers / cells / int64(p.workers)
			if p.buffer = int(min(buffer, bestBuffer, 4*members+64)) / 4; stretches > 1 && (buffer < leastBuffer || length < leastStretch) {
				break
			}
			if length*perRank >= left/3 {
				continue
			}
			more := buffers / ((stretches + 1) * (stretches + 2) / 2) / int64(p.workers)
			if members/stretches <= 2*int64(p.room) || more < leastBuffer || length <= leastStretch { // otherwise cells will be divided
				return p, true
			}
		}
	}
	return p, false
}

// plan returns the plan of a join, or a MemoryError.
func (r *ranks) plan(workers int, memory int64) (plan, error) {
	sets := int64(len(r.number))
	p, ok := fits(sets, r.members, workers, memory)
	if r.room > 0 { // set by tests
		p.room, p.length, p.buffer = r.room, r.length, 64
		if r.length == 0 {
			p.length = uint32(max(len(r.number), 1))
		}
		return p, nil
	}
	if !ok {
		return p, Fits(sets, r.members, workers, memory)
	}
	return p, nil
}
