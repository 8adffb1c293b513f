package shingle

// This file counts what two sets share.

// Shared returns |a∩b|, giving up once it cannot reach need any more: then it
// returns some number below need. need 0 counts to the end.
//
// The merge has no branch that depends on the hashes: which side advances is
// as good as random, and a wrong guess costs more than both additions.
func Shared(a, b Set, need int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < len(b)/galloping {
		return sharedFew(a, b, need)
	}
	shared, i, j := 0, 0, 0
	for {
		left := min(len(a)-i, len(b)-j)
		if left == 0 || shared+left < need {
			return shared
		}
		// Neither side can end within the next left steps. Few at a time, to
		// look at need now and then.
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

// galloping is how many times longer a set must be than the other for jumps to
// beat the merge.
const galloping = 32

// sharedFew looks the members of a up in the much longer b, in steps that
// double and then halve again.
func sharedFew(a, b Set, need int) int {
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
