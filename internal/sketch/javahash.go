package sketch

import (
	"unicode/utf16"

	"github.com/simdb/simdb/internal/text"
)

// JavaHash returns Java's String.hashCode of the string: Σ c·31ⁿ⁻¹⁻ⁱ over its n UTF-16
// code units, modulo 2³². A character above U+FFFF is two units; a byte of invalid
// UTF-8 counts as U+FFFD.
func JavaHash(s string) int32 {
	var p javaPrefix
	p.add([]byte(s))
	return int32(p.hash)
}

// javaPrefix is the hash of a prefix of a text.
type javaPrefix struct {
	hash  uint32
	units int // UTF-16 code units
}

// add extends the prefix by b.
func (p *javaPrefix) add(b []byte) {
	for _, r := range string(b) { // does not allocate
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			p.hash = p.hash*31 + uint32(high)
			p.units++
			r = low
		}
		p.hash = p.hash*31 + uint32(r)
		p.units++
	}
}

// gramHashes returns the hash of each k-gram of the stream, in order. The hash of the
// gram from a to b is the hash of the prefix up to b less 31ⁿ times the hash of the
// prefix up to a, n the units between. So it reads each character twice, for any k.
func gramHashes(s text.Stream, k int) []int32 {
	if len(s.Tokens) < k {
		return nil
	}
	hashes := make([]int32, 0, len(s.Tokens)-k+1)
	powers := []uint32{1}
	var from, to javaPrefix
	fromAt, toAt := 0, 0
	for i := range len(s.Tokens) - k + 1 {
		start, end := s.Tokens[i].Start, s.Tokens[i+k-1].End
		from.add(s.Text[fromAt:start])
		to.add(s.Text[toAt:end])
		fromAt, toAt = start, end
		n := to.units - from.units
		for len(powers) <= n {
			powers = append(powers, powers[len(powers)-1]*31)
		}
		hashes = append(hashes, int32(to.hash-from.hash*powers[n]))
	}
	return hashes
}
