package join

// Signatures of low ranks that are compared together.

import "github.com/simdb/simdb/internal/measure"

// block is low ranks whose signatures have one length. They are compared with one high
// rank after another, so that its signature is fetched once for all of them.
type block struct {
	ranks []uint32
	reach []uint32 // of each: the last rank that it may be paired with
	kinds []kind
	rows  []uint64 // the signatures
	words int      // of each
	fold  []uint64
}

// kind is a size and side of ranks of a block.
type kind struct {
	size measure.Size
	side int
}

const (
	mostInBlock = 1024
	mostRows    = 256 << 10 / 8 // words, so that a block stays in the cache of a core
)

// folded folds a signature to the length of the block's; one that is shorter tells nothing.
func (b *block) folded(s []uint64) []uint64 {
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
