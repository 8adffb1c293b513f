package index

// The worth of each set: a sum over its members by document frequency, as far as postings show
// it.

import (
	"math"
	"math/bits"
	"slices"
)

// worthPlaces is the number of token places counted at a time. The counters, up to 255, and sums
// are small, because each posting incurs a cache miss in both.
const worthPlaces = 1 << 19

// Worth returns for each set the sum of of(document frequency) over its members; of must not
// increase. Sums may be too small, never too large: two tokens may share a place, and members of
// very many documents are worth little. documents[set] is the number of documents of a set; 255
// means more.
func Worth(segments []Stored, documents []uint8, of func(documents uint64) uint32) ([]uint32, error) {
	var worth [math.MaxUint8 + 1]uint32
	for n := range worth {
		worth[n] = of(uint64(n))
	}
	worth[math.MaxUint8] = of(math.MaxUint32)
	entries := uint64(0)
	for _, s := range segments {
		if s.Runs[Prefix] != nil {
			entries += s.Runs[Prefix].Entries
		}
	}
	shift := TokenBits - min(bits.Len64(entries)+3, TokenBits)
	sums, counts := make([]uint32, len(documents)), make([]uint8, min(1<<(TokenBits-shift), worthPlaces))
	var posted [][2]uint32 // places with their sets
	step := uint64(len(counts)) << shift
	for low := uint64(0); low < 1<<TokenBits; low += step {
		clear(counts)
		posted = posted[:0]
		for _, s := range segments {
			if run := s.Runs[Frequent]; run != nil {
				i, _ := slices.BinarySearch(run.First, PartKey(Parts-1, low))
				for ; i < len(run.First) && run.First[i] < PartKey(Parts-1, low)+step; i++ {
					counts[(run.First[i]%(1<<TokenBits)-low)>>shift] = math.MaxUint8
				}
			}
			for part := 0; part < Parts && s.Runs[Prefix] != nil; part++ {
				from := PartKey(part, low)
				err := s.Runs[Prefix].Each(s.Pages(Prefix), from, from+step-1, func(key uint64, payload uint32) {
					if set := s.Lo + PayloadSet(Prefix, payload); set < min(s.Hi, uint32(len(documents))) { // a damaged page may contain others
						place := uint32((key - from) >> shift)
						counts[place] += min(documents[set], math.MaxUint8-counts[place])
						posted = append(posted, [2]uint32{place, set})
					}
				})
				if err != nil {
					return nil, err
				}
			}
		}
		for _, p := range posted {
			w := worth[counts[p[0]]]
			sums[p[1]] += min(w, math.MaxUint32-sums[p[1]])
		}
	}
	return sums, nil
}
