package join

// Stretches of ranks.

import "slices"

// A stretch is ranks that follow one another: [from,to).
type stretch struct{ from, to uint32 }

func (s stretch) len() int { return int(s.to - s.from) }

// inStretch returns how many ranks, of which the first is in a stretch, are in it.
func inStretch(ranks []uint32, s stretch) int {
	if ranks[len(ranks)-1]&rankMask < s.to {
		return len(ranks)
	}
	n, _ := slices.BinarySearchFunc(ranks, s.to, func(x, to uint32) int { return int(x&rankMask) - int(to) })
	return n
}

// of returns those of ascending ranks that are in the stretch.
func (s stretch) of(ranks []uint32) []uint32 {
	if s.from > 0 {
		ranks = ranks[before(ranks, s.from):]
	}
	return ranks[:before(ranks, s.to)]
}

// before returns how many of ascending ranks are below one.
func before(ranks []uint32, rank uint32) int {
	lo, hi := 0, len(ranks)
	for lo < hi {
		if m := (lo + hi) / 2; ranks[m]&rankMask < rank {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}
