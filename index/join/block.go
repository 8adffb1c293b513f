package join

// Blocks of low ranks, compared together by signature.

import "github.com/simdb/simdb/internal/measure"

// block holds low ranks with signatures of one length. Each high rank is compared with the whole
// block, so that its signature is fetched once.
type block struct {
	ranks []uint32
	reach []uint32 // by rank: the last rank that it can match
	kinds []kind
	rows  []uint64 // the signatures
	words int      // words per signature
	fold  []uint64
}

// kind is a size and side of ranks in a block.
type kind struct {
	size measure.Size
	side int
}

const (
	mostInBlock = 1024
	mostRows    = 256 << 10 / 8 // words; a block fits the cache of a core
)

// foldTo folds a longer signature to the block's length. A shorter signature is useless and
// gives nil.
func (b *block) foldTo(s []uint64) []uint64 {
	if len(s) == b.words {
		return s
	}
	if len(s) < b.words || b.words == 0 {
		return nil
	}
	b.fold = append(b.fold[:0], s[:b.words]...)
	for i, x := range s[b.words:] {
		b.fold[i%b.words] ^= x
	}
	return b.fold
}
