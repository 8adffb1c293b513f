// Package sketch turns a shingle set into short numbers that stand for it:
// the SimHash fingerprint and the parity signature.
package sketch

import "github.com/simdb/simdb/shingle"

// SimHash returns the 64-bit fingerprint of a non-empty set: bit i is 1 iff
// more members have bit i set than not.
func SimHash(s shingle.Set) uint64 { panic("stub") }

// A Signature is the parity signature of a set: bit (h mod width) is the
// parity of the members h that fall on it; width = 64·len, a power of two
// chosen by the size of the set. Folding halves by XOR gives the signature at
// a smaller width.
type Signature []uint64

// SignatureWords returns the length in words of the signature of a set with n
// members: a power of two between 1 and 128.
func SignatureWords(n int) int { panic("stub") }

// NewSignature appends the signature of the set to dst.
func NewSignature(dst Signature, s shingle.Set) Signature { panic("stub") }

// Distance returns the number of differing bits at the smaller of the two
// widths. It never exceeds |A∖B|+|B∖A|, so |A∩B| ≤ (|A|+|B|−Distance)/2.
func Distance(a, b Signature) int { panic("stub") }
