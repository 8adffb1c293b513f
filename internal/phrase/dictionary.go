// Package phrase compresses short texts by the phrases that texts of their kind
// have. A sample of texts gives a dictionary of some thousand phrases, with a code
// for each. A text becomes the codes of the phrases it consists of. What a text
// says a second time becomes a reference to the first. In come texts and dictionaries,
// out go bytes, and the other way round. The package does not know where the
// bytes are kept.
//
// For texts of 2 kB this beats compressors that learn from each text anew. The
// codes are known beforehand, so there are no tables to send, to build or to
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
	// MaxText is the length of the longest text that a dictionary encodes.
	MaxText = 1<<16 - 1
	// MaxPhrases is the largest number of phrases in a dictionary.
	MaxPhrases = 1 << 14
	// maxPhrase is the length of the longest phrase: a machine word. With 16
	// bytes, codes are 2 % shorter but take longer to find.
	maxPhrase = 8
	// maxCode is the length in bits of the longest code that a dictionary may have.
	// Learn gives codes of at most usualCode bits, unless there are very many
	// phrases. Then the decoder always holds enough bits for four codes, and
	// its table is half as large.
	maxCode   = 15
	usualCode = 14
)

// ErrCorrupt marks bytes that are no stored dictionary, or no code of this dictionary.
var ErrCorrupt = errors.New("phrase: corrupt")

// Dictionary is a set of phrases with their codes. All single bytes are among the
// phrases. A dictionary never changes, and any number of goroutines may use it.
//
// A symbol is the number of a phrase. From len(phrases) on it is the number of
// a class of lengths of references. The codes are Huffman's in the canonical
// order, lowest bit first.
type Dictionary struct {
	phrases []string // by the length of their code
	lengths []uint8  // of the code of each symbol, in bits

	finder     *finder // its values are codes
	references [lengthClasses]code
	decode     []entry  // by the next bits, as many as the longest code has
	bytes      []uint64 // of each symbol, the first lowest; references have none
}

// code is what the encoder writes for a symbol: the length of the code in the
// lowest 4 bits, and the bits above.
type code uint32

func (c code) bits() uint64 { return uint64(c >> 4) }
func (c code) length() uint { return uint(c & 15) }

// entry is what the decoder reads: the length of the code in the lowest 4 bits,
// the length of the phrase in the next 4, or 0 for a reference, and the symbol
// above.
type entry uint32

func newEntry(symbol, bits, length int) entry { return entry(symbol<<8 | length<<4 | bits) }

func (e entry) bits() uint   { return uint(e & 15) }
func (e entry) length() uint { return uint(e >> 4 & 15) }
func (e entry) symbol() int  { return int(e >> 8) }

// newDictionary makes a dictionary of phrases and the lengths of their codes. The phrases
// must be ordered by these lengths, and the lengths must fill the code space.
func newDictionary(phrases []string, lengths []uint8) *Dictionary {
	b := &Dictionary{phrases: phrases, lengths: lengths}
	codes := make([]uint32, len(lengths))
	b.decode = make([]entry, 1<<slices.Max(lengths))
	b.bytes = make([]uint64, len(lengths))
	var next [maxCode + 1]int // code of each length
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

// Append appends the stored form of the dictionary: the number of phrases, and how
// many have a code of each length, as varints; each phrase with its length
// before it, a byte; the lengths of the codes of references, a byte each.
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

// Parse reads the stored form of a dictionary. It returns ErrCorrupt for other bytes.
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

// fills reports whether codes of these lengths fill the code space, so that any
// bits decode.
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

// reader reads a stored dictionary. After the end of the bytes it gives zeros.
type reader struct{ b []byte }

func (r *reader) uvarint(most int) int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > uint64(most) {
		r.b = nil
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.b = nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// byCode orders phrases by the length of their codes, and returns these lengths
// in the same order. So the phrases that occur most lie together.
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
