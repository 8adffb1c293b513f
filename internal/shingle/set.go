package shingle

// The intersection of two sets.

// Shared returns |a∩b| if that is at least need, else some number below need: it stops
// once it cannot reach need. With need 0 it counts to the end.
//
// The merge has no branch that depends on the hashes: the side that advances is random,
// and a misprediction costs more than both additions.
func Shared(a, b Set, need int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < len(b)/galloping {
		return gallopShared(a, b, need)
	}
	shared, i, j := 0, 0, 0
	for {
		left := min(len(a)-i, len(b)-j)
		if left == 0 || shared+left < need {
			return shared
		}
		// Neither side can end within the next left steps. Few at a time, to check need
		// in between.
		for range min(left, 16) {
			x, y := a[i], b[j]
			equal, aNext, bNext := 0, 0, 0
			if x == y {
				equal = 1
			}
			if x <= y {
				aNext = 1
			}
			if y <= x {
				bNext = 1
			}
			shared += equal
			i += aNext
			j += bNext
		}
	}
}

// galloping is the ratio of lengths from which jumps beat the merge.
const galloping = 32

// gallopShared looks up the members of a in the much longer b, in steps that double and
// then halve.
func gallopShared(a, b Set, need int) int {
	shared := 0
	for i, h := range a {
		if shared+len(a)-i < need {
			break
		}
		step := 1
		for step < len(b) && b[step] < h {
			step *= 2
		}
		lo, hi := step/2, min(step+1, len(b))
		for lo < hi {
			if mid := (lo + hi) / 2; b[mid] < h {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if b = b[lo:]; len(b) == 0 {
			break
		}
		if b[0] == h {
			shared++
		}
	}
	return shared
}
