package sketch

import (
	"math/bits"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
)

// A Signature is the parity signature of a set: bit (h mod width) is the
// parity of the members h that fall on it; width = 64·len, a power of two
// chosen by the size of the set. Folding halves by XOR gives the signature at
// a smaller width.
type Signature []uint64

// maxWords is the length of the longest signature: 1 KiB.
const maxWords = 128

// SignatureWords returns the length in words of the signature of a set with n
// members: a power of two between 1 and 128, the smallest that gives every
// member two bits as far as that goes.
//
// Of 100,000 random pairs of linuxdoc and nsf texts of fitting lengths, with
// word 3, so many pass that are no match at 0.8, and at 0.5, for so many bytes
// per text:
//
//	bits per member    ½      ¾       1     1½     2     3
//	at 0.8          3269      3       1      1     1     0
//	at 0.5         99734  98461   77797  20764  1777     8
//	bytes             38     56      73    107   139   197
func SignatureWords(n int) int {
	return min(UnboundedWords(n), maxWords)
}

// UnboundedWords is SignatureWords without the bound of 128.
func UnboundedWords(n int) int { return 1 << bits.Len(uint(max(n-1, 0)/32)) }

// NewSignature appends the signature of the set to dst.
func NewSignature(dst Signature, s shingle.Set) Signature {
	start, words := len(dst), SignatureWords(len(s))
	dst = slices.Grow(dst, words)[:start+words]
	// An array of constant length needs neither a division nor a check of
	// bounds for each member.
	var parity [maxWords]uint64
	mask := uint64(words - 1)
	for _, h := range s {
		parity[h/64&mask%maxWords] ^= 1 << (h % 64)
	}
	copy(dst[start:], parity[:])
	return dst
}

// FillSignature makes the signature of the set in zeros, a power of two of words. It can be
// compared with those of NewSignature too.
func FillSignature(zeros Signature, s shingle.Set) {
	mask := uint64(len(zeros) - 1)
	for _, h := range s {
		zeros[h/64&mask] ^= 1 << (h % 64)
	}
}

// Distance returns the number of differing bits at the smaller of the two
// widths. It never exceeds |A∖B|+|B∖A|, so |A∩B| ≤ (|A|+|B|−Distance)/2: the
// XOR of two signatures is the signature of what only one of them has, each
// member of which sets at most one bit. An empty signature has no bits to
// differ.
func Distance(a, b Signature) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	return fastest.Distance(a, b)
}
