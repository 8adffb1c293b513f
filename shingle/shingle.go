// Package shingle turns the token stream of a text into its shingle set and
// bag. A shingle is k consecutive tokens; from here on it is a 64-bit hash.
package shingle

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/text"
)

// Set is the distinct shingle hashes of a text, ascending.
type Set []uint64

// Bag is a shingle set with the repetition of each member.
type Bag struct {
	Set    Set
	Counts []uint32 // Counts[i] is the repetition of Set[i]; nil when all are 1
	Total  uint64   // sum of all repetitions
}

// Count returns the repetition of Set[i].
func (b Bag) Count(i int) uint32 {
	if b.Counts == nil {
		return 1
	}
	return b.Counts[i]
}

// Digest is a 128-bit hash of the whole bag. Texts with equal digests have
// the same shingles as often and are stored as one set.
func (b Bag) Digest() [16]byte { panic("stub") }

// Analysis says how a text is read. It is fixed when a collection is created.
type Analysis struct {
	Unit text.Unit
	K    int
}

// Bag reads the text, which need not be valid UTF-8. The result shares no
// memory with later calls. Safe for concurrent use.
func (a Analysis) Bag(doc string) Bag { panic("stub") }

// FoldedBits is the width of the ids in a folded set.
const FoldedBits = 20

// Fold maps the set to FoldedBits-bit ids as a roaring bitmap: small enough to
// store, never enough to answer. With collisions(X) = len(X) − |Fold(X)|,
// |A∩B| ≤ |Fold(A)∩Fold(B)| + min(collisions(A), collisions(B)).
func Fold(s Set) *roaring.Bitmap { panic("stub") }

// Shared returns |a∩b|, giving up once it cannot reach need any more: then it
// returns some number below need. need 0 counts to the end.
func Shared(a, b Set, need int) int { panic("stub") }
