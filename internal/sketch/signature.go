package sketch

import (
	"math/bits"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
)

// A Signature is the parity signature of a set: bit i is the parity of the number of
// members h with h mod width = i. The width is 64·len, a power of two that depends on
// the size of the set. Folding halves by XOR gives the signature at a smaller width.
type Signature []uint64

// maxWords is the length of the longest signature: 1 KiB.
const maxWords = 128

// SignatureWords returns the length in words of the signature of a set with n members:
// the smallest power of two, from 1 to 128, that provides two bits per member, as far
// as 128 words can.
//
// Of 100,000 random pairs of linuxdoc and nsf texts of compatible lengths, with word 3,
// so many dissimilar pairs pass at 0.8 and at 0.5, for so many bytes per text:
//
//	bits per member    ½      ¾       1     1½     2     3
//	at 0.8          3269      3       1      1     1     0
//	at 0.5         99734  98461   77797  20764  1777     8
//	bytes             38     56      73    107   139   197
func SignatureWords(n int) int {
	return min(UnboundedWords(n), maxWords)
}

// UnboundedWords is SignatureWords without the limit of 128.
func UnboundedWords(n int) int { return 1 << bits.Len(uint(max(n-1, 0)/32)) }

// NewSignature appends the signature of the set to dst.
func NewSignature(dst Signature, s shingle.Set) Signature {
	start, words := len(dst), SignatureWords(len(s))
	dst = slices.Grow(dst, words)[:start+words]
	// An array of constant length needs neither a division nor a bounds check per
	// member.
	var parity [maxWords]uint64
	mask := uint64(words - 1)
	for _, h := range s {
		parity[h/64&mask%maxWords] ^= 1 << (h % 64)
	}
	copy(dst[start:], parity[:])
	return dst
}

// FillSignature sets zeros, a power of two of zero words, to the signature of the set.
// The result is comparable with signatures of NewSignature.
func FillSignature(zeros Signature, s shingle.Set) {
	mask := uint64(len(zeros) - 1)
	for _, h := range s {
		zeros[h/64&mask] ^= 1 << (h % 64)
	}
}

// Distance returns the number of differing bits at the smaller of the two widths. It
// never exceeds |A∖B|+|B∖A|, so |A∩B| ≤ (|A|+|B|−Distance)/2: the XOR of two signatures
// is the signature of the symmetric difference, each member of which sets at most one
// bit. The distance to an empty signature is 0.
func Distance(a, b Signature) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	return fastest.Distance(a, b)
}
