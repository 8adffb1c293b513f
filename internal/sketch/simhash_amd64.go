package sketch

import "golang.org/x/sys/cpu"

// majority is the fastest of the majorities that the processor has.
var majority = majorities()[0].of

// A counter is one way to compute a SimHash. All give the same bits.
type counter struct {
	name string
	of   func(hashes []uint64) uint64
}

// majorities returns those that the processor has, the fastest first.
// There is none for AVX2: bits spread over bytes by shuffles took 1.3 times as
// long as the portable one.
func majorities() (have []counter) {
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW {
		have = append(have, counter{"AVX-512", majority512})
	}
	return append(have, counter{"portable", majorityPortable})
}

func majority512(hashes []uint64) uint64 {
	if len(hashes) == 0 || len(hashes) > 1<<31 {
		return majorityPortable(hashes)
	}
	return majorityAVX512(&hashes[0], len(hashes), uint32(len(hashes)/2))
}
