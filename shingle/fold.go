package shingle

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// FoldedBits is the width of the ids in a folded set.
const FoldedBits = 20

// foldShift places the id on bits 12 to 31 of the hash: below the high half,
// which prefixes take as token, and above the low 12 bits, which signatures of
// up to 64 words use (the widest uses one bit more). So the filters err
// independently of each other.
const foldShift = 12

// Fold maps the set to FoldedBits-bit ids as a roaring bitmap: small enough to
// store, never enough to answer. With collisions(X) = len(X) − |Fold(X)|,
// |A∩B| ≤ |Fold(A)∩Fold(B)| + min(collisions(A), collisions(B)): what A∩B
// loses by folding is at most what A loses, and what B loses.
func Fold(s Set) *roaring.Bitmap {
	ids := make([]uint32, len(s))
	for i, h := range s {
		ids[i] = uint32(h) >> foldShift
	}
	sortIDs(ids)
	bm := roaring.New()
	bm.AddMany(slices.Compact(ids)) // as fast as reading prepared bytes, measured
	return bm
}

// sortIDs sorts FoldedBits-bit ids.
func sortIDs(ids []uint32) {
	if len(ids) <= fewHashes {
		slices.Sort(ids)
		return
	}
	const digit = FoldedBits / 2
	var low, high [1 << digit]uint32
	for _, id := range ids {
		low[id%(1<<digit)]++
		high[id>>digit]++
	}
	var lowSum, highSum uint32
	for i := range low {
		low[i], lowSum = lowSum, lowSum+low[i]
		high[i], highSum = highSum, highSum+high[i]
	}
	sorted := make([]uint32, len(ids))
	for _, id := range ids {
		at := &low[id%(1<<digit)]
		sorted[*at] = id
		*at++
	}
	for _, id := range sorted {
		at := &high[id>>digit]
		ids[*at] = id
		*at++
	}
}
