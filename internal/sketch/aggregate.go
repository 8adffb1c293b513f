package sketch

// The aggregations of paper 000 reduce a sketch to one number.

// sum adds the hashes. It could wrap around only with 2³² of them or more, which no
// storable text has.
func sum(sketch []int32) (s int64) {
	for _, h := range sketch {
		s += int64(h)
	}
	return s
}

// rabinPolynomial is x⁶³ + …, irreducible over GF(2); the paper names none. It is the
// first irreducible one at or above the first 63 bits of the fraction of π, so that
// nothing is arbitrary. Degree 63 makes every hash a positive int64 or 0.
const rabinPolynomial = 1<<63 | 0x121fb54442d1853b

// rabin returns Rabin's hash of a sketch. The coefficients of a polynomial over GF(2)
// are a 1, which keeps leading zeros significant, and the bits of all hashes in order,
// highest first; the hash is its remainder modulo rabinPolynomial.
func rabin(sketch []int32) int64 {
	rest := uint64(1)
	for _, h := range sketch {
		for shift := 24; shift >= 0; shift -= 8 {
			top := rest >> 55
			rest = rest<<8&(1<<63-1) ^ uint64(uint8(h>>shift)) ^ rabinTable[top]
		}
	}
	return int64(rest)
}

// rabinTable maps each byte b to b·x⁶³ modulo the polynomial.
var rabinTable = func() (table [256]uint64) {
	for b := range table {
		rest := uint64(b)
		for range 63 {
			rest <<= 1
			if rest>>63 == 1 {
				rest ^= rabinPolynomial
			}
		}
		table[b] = rest
	}
	return table
}()

// superShingle repeatedly replaces the hashes by their k-grams until one is left; a
// last remainder of fewer than k makes one gram. A gram has the hash that Java gives to
// a string of its members. k must be at least 2 and the sketch not empty; it is
// overwritten.
//
// Each round removes k−1 of n hashes, so the time grows with n²/k: about a second for
// 70,000 characters and k = 4. The overlap of the paper's grams permits no shortcut.
func superShingle(sketch []int32, k int) int64 {
	power := uint32(1) // 31ᵏ
	for range k {
		power *= 31
	}
	for len(sketch) > 1 {
		k := min(k, len(sketch))
		var h uint32
		for _, next := range sketch[:k] {
			h = h*31 + uint32(next)
		}
		for i, next := range sketch[k:] {
			oldest := uint32(sketch[i])
			sketch[i] = int32(h)
			h = h*31 + (uint32(next) - oldest*power)
		}
		sketch[len(sketch)-k] = int32(h)
		sketch = sketch[:len(sketch)-k+1]
	}
	return int64(sketch[0])
}
