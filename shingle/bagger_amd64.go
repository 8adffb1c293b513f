package shingle

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
	maxDigit512 = 16 // as the ranks have; the counters stay in the second-level cache
	rounds      = 2  // of swapping neighbours: then few are left to insert
)

// sort512 takes the high bits as one digit, as sortPortable does, but nearly
// sorted hashes are then settled eight at a time.
func (s *sorter) sort512(hashes []uint64) []uint64 {
	n := len(hashes)
	digit := bits.Len(uint(n))
	if n <= fewHashes || digit > maxDigit512 {
		return s.sortPortable(hashes)
	}
	s.reserve(n, 1<<digit)
	other := s.other[:n]
	distribute512(&other[0], &hashes[0], n, &s.ranks[0], &s.first[0], 1<<digit, 64-digit)
	settle512(&other[0], n, rounds)
	mend(other, 64-digit)
	return other
}

// mend sorts hashes that are sorted by their bits above shift and, all but a few,
// by the others, too. Those few are inserted. Where one would go back too far,
// as only an unlikely or ill-meant text has it, all with the same high bits are
// sorted, once.
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
