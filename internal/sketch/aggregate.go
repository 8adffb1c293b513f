package sketch

// The aggregations of paper 000 make one number of a sketch.

// sum adds the hashes. It overflows with 2³² of them at the earliest, which a
// text that fits a store cannot have; then it would wrap around.
func sum(sketch []int32) (s int64) {
	for _, h := range sketch {
		s += int64(h)
	}
	return s
}

// rabinPolynomial is x⁶³ + …, irreducible over GF(2); the paper names none. It is
// the first irreducible one at or above the first 63 bits of the fraction of π,
// so nothing was chosen. Degree 63 makes every hash a positive int64 or 0.
const rabinPolynomial = 1<<63 | 0x121fb54442d1853b

// rabin returns Rabin's hash of a sketch: a 1, which keeps leading zeros
// significant, and the bits of all hashes in order, the highest first, are the
// coefficients of a polynomial over GF(2); the hash is what is left of it modulo
// rabinPolynomial.
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

// rabinTable has b·x⁶³ modulo the polynomial for every byte b.
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

// superShingle puts k-grams of the hashes in their place, again and again, until
// one is left; the last fewer than k make one gram. A gram has the hash that Java
// gives to a string of its members. k is at least 2, the sketch not empty and
// overwritten.
//
// Each round takes k−1 of n hashes away, so the time grows with n²/k: for 70,000
// characters and k = 4 about a second. The paper's grams overlap, so there is no
// way round it.
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
