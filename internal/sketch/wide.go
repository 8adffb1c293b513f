package sketch

import "github.com/simdb/simdb/internal/shingle"

// AppendWide appends the signature of the set with words words, a power of two,
// to dst. Signatures of any two such widths can be compared, these with those of
// NewSignature too.
func AppendWide(dst Signature, s shingle.Set, words int) Signature {
	start := len(dst)
	dst = append(dst, make(Signature, words)...)
	parity, mask := dst[start:], uint64(words-1)
	for _, h := range s {
		parity[h/64&mask] ^= 1 << (h % 64)
	}
	return dst
}
