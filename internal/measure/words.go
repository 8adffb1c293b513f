package measure

// The measure words: the cosine of word frequencies, computed in integers.

import (
	"cmp"
	"hash/fnv"
	"math/big"
	"math/bits"
	"slices"

	"github.com/simdb/simdb/internal/text"
)

// A Term is a word, given by the FNV-1a hash of its normalised bytes, with its
// frequency in a document.
type Term struct {
	Hash  uint64
	Count uint32
}

// Vector holds the word frequencies of a document, ascending by Hash and distinct.
type Vector []Term

// WordsOf returns the frequencies of the words of doc, without stop words, normalised
// as for word shingles.
func WordsOf(doc string, form text.Form) Vector {
	norm := form.Normalize(nil, doc)
	var hashes []uint64
	h := fnv.New64a()
	for t := range form.Words(norm) {
		if word := norm[t.Start:t.End]; !text.IsStopWord(string(word)) {
			h.Reset()
			h.Write(word) // never fails
			hashes = append(hashes, h.Sum64())
		}
	}
	slices.Sort(hashes)
	var v Vector
	for _, hash := range hashes {
		if last := len(v) - 1; last >= 0 && v[last].Hash == hash {
			v[last].Count++
		} else {
			v = append(v, Term{hash, 1})
		}
	}
	return v
}

// cosineUnit is the precision of a cosine: one part in 10⁹.
const cosineUnit = 1_000_000_000

// Cosine returns the cosine of the angle between two vectors, rounded down to a
// multiple of 10⁻⁹: Of is 10⁹. It computes in integers, so a threshold of up to nine
// decimals gives the same result as for the exact cosine. The component of a term is
// its count times weight(its hash); a nil weight means 1, and weights are capped at
// 2³²−1. A vector of zero length has the cosine 0 with every other.
func Cosine(query, doc Vector, weight func(hash uint64) uint64) Score {
	var dot Products
	for i, j := 0, 0; i < len(query) && j < len(doc); {
		switch c := cmp.Compare(query[i].Hash, doc[j].Hash); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			w := WordWeight(weight, query[i].Hash)
			dot.Add(w*uint64(query[i].Count), w*uint64(doc[j].Count))
			i++
			j++
		}
	}
	return CosineOf(dot, square(query, weight), square(doc, weight))
}

// CosineOf is Cosine for two vectors given by their inner product and the squares of
// their lengths.
func CosineOf(dot, query, doc Products) Score {
	squares := new(big.Int).Mul(query.big(), doc.big())
	if squares.Sign() == 0 {
		return ratio(0, cosineUnit)
	}
	// ⌊10⁹·dot/√squares⌋ is the integer root of ⌊10¹⁸·dot²/squares⌋, because no integer
	// lies between a number and its floor.
	d := dot.big()
	d.Mul(d, big.NewInt(cosineUnit))
	d.Mul(d, d).Quo(d, squares)
	return ratio(d.Sqrt(d).Uint64(), cosineUnit)
}

// square returns the square of the length of a vector.
func square(v Vector, weight func(uint64) uint64) (sum Products) {
	for _, t := range v {
		w := WordWeight(weight, t.Hash) * uint64(t.Count)
		sum.Add(w, w)
	}
	return sum
}

// WordWeight returns the weight of a word in Cosine: 1 for a nil weight, at most 2³²−1.
func WordWeight(weight func(uint64) uint64, hash uint64) uint64 {
	if weight == nil {
		return 1
	}
	return min(weight(hash), 1<<32-1)
}

// Products is an exact sum of products: 192 bits, enough for 2⁶⁴ of them.
type Products struct{ high, mid, low uint64 }

// Add adds a·b.
func (w *Products) Add(a, b uint64) {
	hi, lo := bits.Mul64(a, b)
	var carry uint64
	w.low, carry = bits.Add64(w.low, lo, 0)
	w.mid, carry = bits.Add64(w.mid, hi, carry)
	w.high += carry
}

func (w *Products) big() *big.Int {
	n := new(big.Int).SetUint64(w.high)
	n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(w.mid))
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(w.low))
}

// idfUnit is the weight of a word that every document has.
const idfUnit = 1 << 16

// IDF returns the inverse document frequency of a word in df of n documents: 2¹⁶·(1 +
// log₂((n+1)/(df+1))), rounded down. It is 2¹⁶ if all documents have the word, and
// grows by 2¹⁶ with each halving of their number. A df above n counts as n, and an n
// above 2⁶³−1 as 2⁶³−1.
//
// The logarithm is computed in integers, by squaring: floating point may differ between
// machines, and a score must not. The last of the 16 bits of the logarithm may be one
// too low.
func IDF(n, df uint64) uint64 {
	n = min(n, 1<<63-1) + 1
	df = min(df, n-1) + 1
	whole := uint64(bits.Len64(n) - bits.Len64(df))
	num, den := n<<bits.LeadingZeros64(n), df<<bits.LeadingZeros64(df)
	if num < den {
		whole--
		den >>= 1 // exact: df < 2⁶³, or it is a power of two
	}
	return idfUnit*(1+whole) + fraction(num, den)
}

// fraction returns ⌊2¹⁶·log₂(num/den)⌋ for den ≤ num < 2·den.
func fraction(num, den uint64) (log uint64) {
	x, _ := bits.Div64(num>>2, num<<62, den) // num/den in units of 2⁻⁶²: from 2⁶² to 2⁶³
	for range 16 {
		hi, lo := bits.Mul64(x, x) // in units of 2⁻¹²⁴
		x = hi<<2 | lo>>62         // in units of 2⁻⁶²: from 2⁶² to 2⁶⁴
		log <<= 1
		if x >= 1<<63 { // at least 2
			log |= 1
			x >>= 1
		}
	}
	return log
}
