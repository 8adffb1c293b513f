package index

import "math/bits"

// A join of equal blocks moves each word twice, and mostly waits for the memory
// that it writes to; kernels ask for it ahead of time.

// scatterWords makes words of hashes turned left: the bits of keep of the hash,
// and first plus its number below. Word by word it writes them to
// words[ends[part]], part being the first bits, and counts that on.
func scatterWords(words []uint64, ends *[equalParts]uint32, hashes []uint64, numbers []uint32, turn int, keep, first uint64) {
	for i, h := range hashes {
		word := bits.RotateLeft64(h, turn)&keep + first + uint64(numbers[i])
		to := &ends[word>>(64-equalPart)]
		words[*to] = word
		*to++
	}
}

// countWords adds to at how many of the words of a part each bucket has.
func countWords(at *[equalBuckets]uint32, words []uint64) {
	for _, x := range words {
		at[bucket(x)]++
	}
}

// placeWords writes each word of a part to to[at[bucket]], and counts that on.
func placeWords(to []uint64, at *[equalBuckets]uint32, words []uint64) {
	for _, x := range words {
		i := &at[bucket(x)]
		to[*i] = x
		*i++
	}
}

// narrowWords writes the 32 bits behind the block of each word.
func narrowWords(low []uint32, words []uint64) {
	low = low[:len(words)]
	for i, x := range words {
		low[i] = uint32(x >> (64 - blockBits - 32))
	}
}

// bucket is that of a word in its part.
func bucket(word uint64) uint64 { return word >> (64 - blockBits) % equalBuckets }
