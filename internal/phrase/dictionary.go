// Package phrase compresses short texts with phrases that are typical of their kind.
// Learn derives a dictionary of several thousand phrases, with a code for each, from a
// sample of texts. Encode replaces a text by the codes of its phrases, and a repetition
// within the text by a reference to its first occurrence. Decode returns every encoded
// text unchanged, or ErrCorrupt. The package does not store anything. Begin with
// Dictionary and Learn.
//
// For texts of 2 kB this compresses better than algorithms that learn from each text.
// The codes are known in advance, so there are no tables to transmit, to build or to
// copy.
package phrase

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
)

const (
	// MaxText is the length in bytes of the longest text that a dictionary encodes.
	MaxText = 1<<16 - 1
	// MaxPhrases is the largest number of phrases in a dictionary.
	MaxPhrases = 1 << 14
	// maxPhrase is the length of the longest phrase: a machine word. With 16 bytes,
	// codes are 2 % shorter but take longer to find.
	maxPhrase = 8
	// maxCode is the length in bits of the longest code that a dictionary may have.
	// Learn uses codes of at most usualCode bits unless there are very many phrases:
	// the decoder then always holds enough bits for four codes, and its table is half
	// as large.
	maxCode   = 15
	usualCode = 14
)

// ErrCorrupt reports bytes that are no stored dictionary, or no code of this
// dictionary.
var ErrCorrupt = errors.New("phrase: corrupt")

// Dictionary is a set of phrases with their codes. It contains all single bytes. A
// dictionary is immutable and safe for concurrent use.
//
// A symbol is the number of a phrase. From len(phrases) on it is the number of a class
// of reference lengths. The codes are canonical Huffman codes, lowest bit first.
type Dictionary struct {
	phrases []string // by length of code
	lengths []uint8  // bits of the code of each symbol

	finder     *finder // its values are codes
	references [lengthClasses]code
	decode     []entry  // by the next bits, as many as in the longest code
	bytes      []uint64 // bytes of each symbol, the first lowest; references have none
}

// code is the output for a symbol: the length of its code in the lowest 4 bits, its
// bits above.
type code uint32

func (c code) bits() uint64 { return uint64(c >> 4) }
func (c code) length() uint { return uint(c & 15) }

// entry is a row of the decoding table: the length of the code in the lowest 4 bits,
// the length of the phrase or 0 for a reference in the next 4, the symbol above.
type entry uint32

func newEntry(symbol, bits, length int) entry { return entry(symbol<<8 | length<<4 | bits) }

func (e entry) bits() uint   { return uint(e & 15) }
func (e entry) length() uint { return uint(e >> 4 & 15) }
func (e entry) symbol() int  { return int(e >> 8) }

// newDictionary builds a dictionary of phrases with code lengths. The phrases must be
// ordered by these lengths, and the lengths must fill the code space.
func newDictionary(phrases []string, lengths []uint8) *Dictionary {
	b := &Dictionary{phrases: phrases, lengths: lengths}
	codes := make([]uint32, len(lengths))
	b.decode = make([]entry, 1<<slices.Max(lengths))
	b.bytes = make([]uint64, len(lengths))
	var next [maxCode + 1]int // next code of each length
	for _, l := range lengths {
		next[l]++
	}
	first := 0
	for l := 1; l <= maxCode; l++ {
		n := next[l]
		next[l] = first
		first = (first + n) << 1
	}
	for s, l := range lengths {
		reversed := bits.Reverse16(uint16(next[l])) >> (16 - l)
		next[l]++
		codes[s] = uint32(reversed)<<4 | uint32(l)
		length := 0
		if s < len(phrases) {
			b.bytes[s] = number(phrases[s])
			length = len(phrases[s])
		}
		for i := int(reversed); i < len(b.decode); i += 1 << l {
			b.decode[i] = newEntry(s, int(l), length)
		}
	}
	b.finder = newFinder(phrases, codes)
	for i := range b.references {
		b.references[i] = code(codes[len(phrases)+i])
	}
	return b
}

// Append appends the stored form of the dictionary: the number of phrases, and the
// number of codes of each length, as varints; each phrase after a byte with its length;
// the code lengths of the references, a byte each.
func (b *Dictionary) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(b.phrases)))
	var have [maxCode + 1]int
	for _, l := range b.lengths[:len(b.phrases)] {
		have[l]++
	}
	for _, n := range have[1:] {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	for _, p := range b.phrases {
		dst = append(append(dst, byte(len(p))), p...)
	}
	return append(dst, b.lengths[len(b.phrases):]...)
}

// Parse decodes the stored form of a dictionary. It returns ErrCorrupt for other bytes.
func Parse(stored []byte) (*Dictionary, error) {
	r := reader{stored}
	count := r.uvarint(MaxPhrases)
	var lengths []uint8
	for l := 1; l <= maxCode; l++ {
		n := r.uvarint(count - len(lengths))
		lengths = append(lengths, slices.Repeat([]uint8{uint8(l)}, n)...)
	}
	phrases := make([]string, len(lengths))
	var single [256]bool
	singles := 0
	for i := range phrases {
		p := r.take(int(r.byte()))
		if len(p) == 0 || len(p) > maxPhrase {
			return nil, ErrCorrupt
		}
		if len(p) == 1 && !single[p[0]] {
			single[p[0]] = true
			singles++
		}
		phrases[i] = string(p)
	}
	lengths = append(lengths, r.take(lengthClasses)...)
	if len(phrases) != count || len(r.b) > 0 || singles < 256 || len(lengths) != count+lengthClasses || !fills(lengths) {
		return nil, ErrCorrupt
	}
	return newDictionary(phrases, lengths), nil
}

// fills reports whether codes of these lengths fill the code space, so that any bits
// decode.
func fills(lengths []uint8) bool {
	sum := 0
	for _, l := range lengths {
		if l < 1 || l > maxCode {
			return false
		}
		sum += 1 << (maxCode - l)
	}
	return sum == 1<<maxCode
}

// reader reads a stored dictionary. Past its end it returns zeros.
type reader struct{ b []byte }

// uvarint reads a varint of at most most. A greater one empties the reader and counts as
// 0, so that no count allocates more than its limit.
func (r *reader) uvarint(most int) int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > uint64(most) {
		r.b = nil
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

// byte reads a byte.
func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// take reads n bytes, nil if fewer remain.
func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.b = nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// byCode orders phrases by the length of their codes, and returns these lengths in the
// same order. This makes the most frequent phrases adjacent.
func byCode(phrases []string, lengths []uint8) ([]string, []uint8) {
	order := make([]int, len(phrases))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lengths[a], lengths[b]) })
	outP, outL := make([]string, len(phrases)), slices.Clone(lengths)
	for i, o := range order {
		outP[i], outL[i] = phrases[o], lengths[o]
	}
	return outP, outL
}
