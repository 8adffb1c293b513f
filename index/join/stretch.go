package join

// Stretches of ranks.

import "slices"

// stretch is the consecutive ranks [from,to).
type stretch struct{ from, to uint32 }

func (s stretch) len() int { return int(s.to - s.from) }

// inStretch returns the number of leading ranks in a stretch. The first must be in it.
func inStretch(ranks []uint32, s stretch) int {
	if ranks[len(ranks)-1]&rankMask < s.to {
		return len(ranks)
	}
	n, _ := slices.BinarySearchFunc(ranks, s.to, func(x, to uint32) int { return int(x&rankMask) - int(to) })
	return n
}

// before returns the number of ascending ranks below rank.
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
