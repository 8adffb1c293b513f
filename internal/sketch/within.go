package sketch

import "math/bits"

// Within reports whether other lies strictly between si − |si|·p and si + |si|·p, where
// p is num/den: the paper's test of likeness, with p = 3/10. It is exact for all
// values, without overflow. An index of 0 has an empty interval and is like none, not
// even itself. Within panics if den is 0.
//
// It is not symmetric: 130 is not within 30 % of 100, but 100 is of 130.
func Within(si, other int64, num, den uint64) bool {
	low, high, ok := Interval(si, num, den)
	return ok && low <= other && other <= high
}

// Interval returns the least and the greatest value within num/den of si, inclusive,
// for a search in an ordered index; ok is false if there is none. It panics if den is
// 0.
func Interval(si int64, num, den uint64) (low, high int64, ok bool) {
	reach, ok := reach(si, num, den)
	if !ok {
		return 0, 0, false
	}
	low, high = Around(si, reach)
	return low, high, true
}

// Around returns the least and the greatest value at most dist from si.
func Around(si int64, dist uint64) (low, high int64) {
	// Mod 2⁶⁴ the differences to the ends of int64 are exact.
	const least, most = -1 << 63, 1<<63 - 1
	low, high = least, most
	if dist < uint64(si)-1<<63 {
		low = si - int64(dist)
	}
	if dist < most-uint64(si) {
		high = si + int64(dist)
	}
	return low, high
}

// Magnitude returns |si|, also for the least int64.
func Magnitude(si int64) uint64 {
	if si < 0 {
		return -uint64(si)
	}
	return uint64(si)
}

// reach returns the greatest distance less than |si|·num/den, at most 2⁶⁴−1; ok is
// false if there is none.
func reach(si int64, num, den uint64) (r uint64, ok bool) {
	if den == 0 {
		panic("sketch: denominator 0")
	}
	hi, lo := bits.Mul64(Magnitude(si), num)
	if hi|lo == 0 {
		return 0, false
	}
	lo, borrow := bits.Sub64(lo, 1, 0) // d·den < product iff d ≤ (product−1)/den
	hi -= borrow
	if hi >= den {
		return 1<<64 - 1, true
	}
	r, _ = bits.Div64(hi, lo, den)
	return r, true
}
