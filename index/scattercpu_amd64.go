package index

import "golang.org/x/sys/cpu"

// scatter is scatterWords, at most 1,024 hashes.
func scatter(words []uint64, ends *[equalParts]uint32, hashes []uint64, numbers []uint32, turn int, keep, first uint64) {
	if len(hashes) == 0 {
		return
	}
	_ = numbers[len(hashes)-1]
	for _, end := range ends {
		_ = words[int(end)+len(hashes)-1] // assembly does not look
	}
	scatterPrefetching(&words[0], &ends[0], &hashes[0], &numbers[0], len(hashes), uint64(turn), keep, first)
}

// count is countWords.
func count(at *[equalBuckets]uint32, words []uint64) {
	if len(words) > 0 {
		countPrefetching(&at[0], &words[0], len(words))
	}
}

// place is placeWords, where at says of each bucket that there is room.
func place(to []uint64, at *[equalBuckets]uint32, words []uint64) {
	if len(words) > 0 {
		placePrefetching(&to[0], &at[0], &words[0], len(words))
	}
}

// narrow is narrowWords.
func narrow(low []uint32, words []uint64) {
	groups := 0
	if cpu.X86.HasAVX512F {
		if groups = len(words) / 8; groups > 0 {
			_ = low[8*groups-1]
			narrow512(&low[0], &words[0], groups)
		}
	}
	narrowWords(low[8*groups:], words[8*groups:])
}
