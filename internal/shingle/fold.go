package shingle

// This file folds a set into a small bitmap. It bounds how much two sets share
// without reading them.

import (
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// FoldedBits is the width of the ids in a folded set. Two bits more take 86 bytes
// more for a text of 2 kB, in containers of which most hold few ids, and let no
// fewer sets through.
const FoldedBits = 18

// foldShift leaves the high bits of a hash, so that ids come in the order of the
// set. Signatures take the low ones, so that both filters err independently of
// each other. Prefixes take the high half of a hash as token: two sets that only
// collide there seem to share one member more than they do.
const foldShift = 64 - FoldedBits

// Fold maps the set to FoldedBits-bit ids as a roaring bitmap: small enough to
// store, never enough to answer. With collisions(X) = len(X) − |Fold(X)|,
// |A∩B| ≤ |Fold(A)∩Fold(B)| + min(collisions(A), collisions(B)): what A∩B
// loses by folding is at most what A loses, and what B loses.
func Fold(s Set) *roaring.Bitmap {
	bm := roaring.New()
	folded, _ := AppendFolded(nil, s)
	if _, err := bm.FromBuffer(folded); err != nil {
		panic("shingle: roaring does not read a folded set: " + err.Error())
	}
	return bm
}

// The portable format of roaring, all numbers little-endian: the cookie and the
// number of containers, 4 bytes each; the high half of the ids of each container
// and how many these are less one, 2 bytes each; where each container starts, 4
// bytes each; the containers. One of up to maxArray ids holds their low halves,
// 2 bytes each, ascending; one of more is a bitmap of 2¹⁶ bits.
const (
	cookie         = 12346 // of the format without runs
	maxArray       = 4096
	bitmapBytes    = 1 << 16 / 8
	maxContainers  = 1 << (FoldedBits - 16)
	containerShift = 64 - (FoldedBits - 16)
)

// AppendFolded appends what Fold(s) writes of itself, and returns the number of
// its ids as well.
func AppendFolded(dst []byte, s Set) (folded []byte, ids int) {
	const longest = 8 + 8*maxContainers
	start := len(dst)
	dst = slices.Grow(dst, longest+2*len(s))
	body := dst[start+longest : start+longest+2*len(s)]
	var keys, sizes, offsets [maxContainers]int
	n, at := 0, 0 // containers, and bytes of the body
	for len(s) > 0 {
		key := s[0] >> containerShift
		size := appendArray(body[at:], s, key)
		keys[n], offsets[n], sizes[n] = int(key), at, size.ids
		n++
		ids += size.ids
		if size.ids > maxArray {
			makeBitmap(body[at:], size.ids)
			at += bitmapBytes
		} else {
			at += 2 * size.ids
		}
		s = s[size.hashes:]
	}
	head := dst[start : start+8+8*n]
	binary.LittleEndian.PutUint32(head, cookie)
	binary.LittleEndian.PutUint32(head[4:], uint32(n))
	for i := range n {
		binary.LittleEndian.PutUint16(head[8+4*i:], uint16(keys[i]))
		binary.LittleEndian.PutUint16(head[8+4*i+2:], uint16(sizes[i]-1))
		binary.LittleEndian.PutUint32(head[8+4*n+4*i:], uint32(len(head)+offsets[i]))
	}
	end := start + len(head) + copy(dst[start+len(head):cap(dst)], body[:at])
	return dst[:end], ids
}

// arraySize is how many hashes an array was made of, and how many ids it has.
type arraySize struct{ hashes, ids int }

// appendArray writes the ids of the hashes that s starts with and that belong to
// the container.
func appendArray(to []byte, s Set, key uint64) (size arraySize) {
	at, last := -2, uint64(1<<63) // no id
	for i, h := range s {
		if h>>containerShift != key {
			return arraySize{i, at/2 + 1}
		}
		id := h >> foldShift
		at += 2 * differ(id, last)
		last = id
		binary.LittleEndian.PutUint16(to[at:], uint16(id))
	}
	return arraySize{len(s), at/2 + 1}
}

// makeBitmap replaces an array of n ids, more than a bitmap has bytes for.
func makeBitmap(array []byte, n int) {
	var bitmap [bitmapBytes]byte
	for i := range n {
		id := binary.LittleEndian.Uint16(array[2*i:])
		bitmap[id/8] |= 1 << (id % 8)
	}
	copy(array, bitmap[:])
}
