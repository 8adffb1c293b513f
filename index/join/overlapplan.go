package join

import "math/bits"

// This file says how a join by shared members uses its memory: in rounds, or in how
// many cells.

// overlapPlan is how a join goes.
type overlapPlan struct {
	workers int
	room    int    // members of buckets in memory, for each worker
	slice   int    // tokens that a worker sorts at once, about
	width   uint64 // the range of tokens that has so many
	most    int    // pairs that wait to be handed over

	length uint32 // of a stretch; 0 if all ranks are one cell
	buffer int    // words that wait for a cell, for each worker
}

// These are the bytes that a join takes for each rank of a low stretch, and those for
// each rank and worker: its places, how often it is met, and in rounds its tokens. Then
// those for each token that is sorted, for each that stays in a bucket, and again if it
// probes there.
const (
	bytesPerProbing = 12
	bytesPerProbed  = 8
	bytesPerTotal   = 4
	bytesPerSorted  = 26
	bytesPerToken   = 8
	// Rounds in which sets have fewer members on average tell too little.
	leastOfRound = 8
	mostSlice    = 1 << 18 // so that sorting stays in the cache
	// fewTokens are joined in one round whatever the memory is.
	fewTokens = 1 << 16
)

// OverlapFits returns a MemoryError if memory bytes are too little for a join of so
// many sets, with so many tokens in all.
func OverlapFits(sets, all int64, workers int, memory int64) error {
	if _, ok := overlapFits(sets, all, workers, memory); ok {
		return nil
	}
	too, enough := memory, memory
	for ok := false; !ok; _, ok = overlapFits(sets, all, workers, enough) {
		too, enough = enough, 2*enough
	}
	for enough-too > enough/16 {
		half := (too + enough) / 2
		if _, ok := overlapFits(sets, all, workers, half); ok {
			enough = half
		} else {
			too = half
		}
	}
	return &MemoryError{int(sets), enough}
}

// overlapFits plans a join.
func overlapFits(sets, all int64, workers int, memory int64) (p overlapPlan, ok bool) {
	room := memory / 4 * 3
	p = overlapPlan{workers: max(workers, 1), most: int(max(memory/4/bytesPerPair, 16))}
	p.slices(all, mostSlice)
	tables := sets * int64(bytesPerOverlapRank+bytesPerProbing+p.workers*(bytesPerProbed+bytesPerTotal))
	tokens := (room - tables - p.sorted()) / bytesPerToken
	if least := min(2*all, leastOfRound*sets); tokens >= least || all <= fewTokens {
		p.room = max(int(min(max(tokens, fewTokens), 2*all))/p.workers, 1) // a round always gets further
		p.slices(all, p.room/4+1)
		return p, true
	}
	for ; p.workers > 0; p.workers /= 2 {
		if p.cut(sets, all, room) {
			return p, true
		}
	}
	return p, false
}

// cut cuts the ranks into stretches whose tables take a third of the memory that is left
// by the numbers of all sets. The buffers of all cells must fit in while the ranks of all
// sets are looked up.
func (p *overlapPlan) cut(sets, all, room int64) bool {
	perRank := int64(bytesPerProbing + p.workers*bytesPerProbed)
	left := room - sets*bytesPerOverlapRank/2
	length := left / 3 / perRank / leastStretch * leastStretch
	if length < leastStretch {
		return false
	}
	p.length = uint32(min(length, mostOverlapSets))
	p.room = int((left - length*perRank) / bytesPerToken / int64(p.workers))
	p.slices(all, int(room/8/bytesPerSorted)/p.workers)
	stretches := (sets + length - 1) / length
	buffer := (room - sets*bytesPerOverlapRank - p.sorted()) / (stretches * (stretches + 1) / 2 * int64(p.workers))
	p.buffer = int(min(buffer, bestBuffer)) / 4
	return buffer >= leastBuffer
}

// slices sets how many tokens are sorted at once, at most so many.
func (p *overlapPlan) slices(all int64, most int) {
	each := all/int64(p.workers) + 1
	p.slice = int(max(min(each, mostSlice, int64(most)), 1))
	p.width = max(1, uint64(float64(tokens/int64(p.workers))*(float64(p.slice)/float64(each))))
}

func (p *overlapPlan) sorted() int64 { return int64(p.workers*p.slice) * bytesPerSorted }

// slots is how many tokens that a worker reads at once are told apart, about.
func (p *overlapPlan) slots() int { return 1 << bits.Len(uint(2*p.slice-1)) }

func (o *Overlap) plan(workers int, memory int64) (overlapPlan, error) {
	sets, all := int64(0), int64(0)
	for _, s := range o.Sides {
		sets += int64(s.Sets.Len())
		all += s.Tokens.Count()
	}
	p, ok := overlapFits(sets, all, workers, memory)
	if o.room > 0 { // a test's
		p.room, p.length = o.room, o.length
		p.buffer = leastBuffer / 4
		p.slices(all, p.room/4+1)
		return p, nil
	}
	if !ok {
		return p, OverlapFits(sets, all, workers, memory)
	}
	return p, nil
}
