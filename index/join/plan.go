package join

import (
	"context"
	"fmt"
)

// This file says how a join by postings uses its memory: one cell, or how many.

// plan is how a join by postings goes.
type plan struct {
	workers   int
	memory    int64 // for the whole join
	stretches []stretch
	cells     int // of the stretches
	buffer    int // words that wait for a cell, for each worker
}

// A MemoryError says that a join has too little memory for its sets: it would
// have to go over all of them again and again.
type MemoryError struct {
	Sets  int
	Bytes int64 // that would do
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("join: %d sets want %d bytes of memory", e.Sets, e.Bytes)
}

const (
	// A join of one cell goes over all its ranks in each round, and reads all
	// postings again for each further portion. Nine rounds of a million texts took
	// as long as dealing them to cells.
	mostRounds = 4
	// Buffers are written when they are full: less than this would be many small
	// writes and reads.
	leastBuffer, bestBuffer = 4 << 10, 64 << 10 // bytes
	leastStretch            = limitRanks
)

// PostingsFit returns a MemoryError if memory bytes are too little for Postings.
func PostingsFit(r *Ranks, workers int, memory int64) error {
	if r.fitsOne(workers, memory) || r.cut(workers, memory, 0).stretches != nil {
		return nil
	}
	too, enough := memory, memory
	for r.cut(workers, enough, 0).stretches == nil {
		too, enough = enough, 2*enough
	}
	for enough-too > enough/16 {
		if half := (too + enough) / 2; r.cut(workers, half, 0).stretches == nil {
			too = half
		} else {
			enough = half
		}
	}
	return &MemoryError{len(r.set), enough}
}

// plan chooses one cell if its tables have room, and what is listed needs few
// rounds.
func (j *postingJoin) plan(ctx context.Context, workers int, memory int64) (plan, error) {
	if err := PostingsFit(j.Ranks, workers, memory); err != nil {
		return plan{}, err
	}
	one := plan{workers: workers, memory: memory}
	fits, room := j.fitsOne(workers, memory), (memory-j.bytesOfOne(workers))/4*3/8*7
	if fits && int64(j.entries)*(fewSets-1)*bytesPerListed <= room {
		return one, nil
	}
	seen, share, err := j.sample(ctx)
	if err != nil {
		return plan{}, err
	}
	listed := int64(share * float64(seen.listed) * bytesPerListed)
	if fits && listed <= mostRounds*room {
		return one, nil
	}
	if many := j.cut(workers, memory, listed); many.stretches != nil {
		return many, nil
	}
	return one, nil
}

// bytesOfOne is what a join of one cell takes beside what it lists.
func (r *Ranks) bytesOfOne(workers int) int64 {
	n := int64(len(r.set))
	return n*bytesPerRank + 8*int64(r.headWords()) + bytesOfTables(n, n, workers)
}

// bytesOfTables is what newCell takes of its memory beside what is listed.
func bytesOfTables(lows, n int64, workers int) int64 {
	return lows*bytesPerLow + int64(workers)*(bytesPerStart*lows+bytesPerStamp*n)
}

// fitsOne reports whether one cell leaves a quarter of the memory to what is
// listed. Very few sets always fit.
func (r *Ranks) fitsOne(workers int, memory int64) bool {
	return r.bytesOfOne(workers) <= max(memory/4*3, leastMemory/2)
}

const leastMemory = 1 << 20

// cut cuts the ranks into stretches. The tables of a cell take about half of the
// memory; the buffers of all cells must fit in while the ranks of all sets are
// looked up. Cells are smaller if that lets what is listed, in bytes, fit in. The
// plan has no stretches if memory is too little.
func (r *Ranks) cut(workers int, memory, listed int64) plan {
	n := int64(len(r.set))
	perRank := 2*bytesOfLongHead + bytesOfTables(1, 2, workers)
	room := memory - 4*n
	length := min(room/2/perRank, n) / leastStretch * leastStretch
	best := plan{}
	for length = max(length, leastStretch); length >= leastStretch; length = length / 2 / leastStretch * leastStretch {
		p := plan{workers: workers, memory: memory}
		p.stretches, p.cells = r.stretches(uint32(length))
		buffer := (memory - 4*n - 4*int64(len(r.rankOf))) / 4 * 3 / int64(max(p.cells, 1)*workers)
		enough := buffer >= leastBuffer && length*perRank <= room/4*3
		if best.stretches == nil && !enough || best.stretches != nil && buffer < 4*leastBuffer {
			break
		}
		p.buffer = int(min(buffer, bestBuffer)) / 4
		if best = p; listed/int64(p.cells) <= (room-length*perRank)/4 {
			break
		}
	}
	return best
}

// stretches cuts the ranks into stretches of one length, and counts their cells.
func (r *Ranks) stretches(length uint32) (out []stretch, cells int) {
	n := uint32(len(r.set))
	for from := uint32(0); from < n; from += length {
		s := stretch{from, min(from+length, n)}
		out = append(out, s)
		cells += int(r.reachOf(int(s.to)-1)/length-from/length) + 1
	}
	return out, cells
}
