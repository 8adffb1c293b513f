package shingle

// This file sorts hashes by AVX-512. Making a bag is mostly sorting. What it
// gives is what the portable way gives.

import (
	"math/bits"
	"slices"

	"golang.org/x/sys/cpu"
)

// fastest is the best of the baggers that the processor has.
var fastest = baggers()[0]

// baggers returns those that the processor has, the fastest first.
func baggers() (have []bagger) {
	if x := cpu.X86; x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasBMI1 && x.HasBMI2 && x.HasPOPCNT {
		have = append(have, bagger{"AVX-512", (*sorter).sort512, func(hashes []uint64, counts []uint32) int {
			return collapse512(&hashes[0], len(hashes), &counts[:len(hashes)][0])
		}})
	}
	return append(have, portable)
}

const (
	maxPart  = 1 << 13   // hashes that are distributed at once, for the caches' sake
	maxDepth = 12        // of parts
	maxRank  = 1<<16 - 1 // of a hash among those of its digit
	rounds   = 2         // of swapping neighbours: then few are left to insert
)

// sort512 takes the high bits as one digit, as sortPortable does, but nearly
// sorted hashes are then settled eight at a time. Many hashes are parted first.
func (s *sorter) sort512(hashes []uint64) []uint64 {
	n := len(hashes)
	if n <= fewHashes {
		return s.sortPortable(hashes)
	}
	s.reserve(n, 0)
	other := s.other[:n]
	s.sortPart(other, hashes, 0)
	return other
}

// sortPart writes the hashes, whose first depth bits are the same, to a place of
// the same length, in order. What from holds is lost.
func (s *sorter) sortPart(to, from []uint64, depth int) {
	n := len(from)
	switch {
	case n <= fewHashes:
		copy(to, from)
		finish(to)
		return
	case n > maxPart && depth < maxDepth:
		low := partition512(&from[0], &to[0], n, 1<<(63-depth))
		copy(from[low:], to)
		s.sortPart(to[:low], from[:low], depth+1)
		s.sortPart(to[low:], from[low:], depth+1)
		return
	case n > maxRank: // of an ill-meant text
		copy(to, from)
		slices.Sort(to)
		return
	}
	digit := bits.Len(uint(n))
	shift := 64 - depth - digit
	s.reserve(n, 1<<digit)
	lowest := int(from[0] >> (64 - depth) << digit)
	distribute512(&to[0], &from[0], n, &s.ranks[0], &s.first[0], 1<<digit, lowest, shift)
	settle512(&to[0], n, rounds)
	mend(to, shift)
}

// mend sorts hashes that are sorted by their bits above shift. All but a few are in
// order already, and those few are inserted. Where one would go back too far, all
// hashes with the same high bits are sorted, once. Only an unlikely or ill-meant text
// needs that.
func mend(hashes []uint64, shift int) {
	last := len(hashes) - 1
	for i := 0; i < last; {
		i += descent512(&hashes[i], last-i)
		if i == last {
			return
		}
		i++ // hashes[:i] is sorted
		h, at := hashes[i], i
		for ; at > 0 && hashes[at-1] > h && i-at < maxShift; at-- {
			hashes[at] = hashes[at-1]
		}
		hashes[at] = h
		if at > 0 && hashes[at-1] > h {
			start, end := at, i+1
			for start > 0 && hashes[start-1]>>shift == h>>shift {
				start--
			}
			for end < len(hashes) && hashes[end]>>shift == h>>shift {
				end++
			}
			slices.Sort(hashes[start:end])
			i = end - 1
		}
	}
}
