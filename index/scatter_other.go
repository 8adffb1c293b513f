//go:build !amd64

package index

func scatter(words []uint64, ends *[equalParts]uint32, hashes []uint64, numbers []uint32, turn int, keep, first uint64) {
	scatterWords(words, ends, hashes, numbers, turn, keep, first)
}

func count(at *[equalBuckets]uint32, words []uint64) { countWords(at, words) }

func place(to []uint64, at *[equalBuckets]uint32, words []uint64) { placeWords(to, at, words) }

func narrow(low []uint32, words []uint64) { narrowWords(low, words) }
