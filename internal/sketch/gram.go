package sketch

import (
	"encoding/binary"
	"iter"
)

// Grams are chosen so that every match of at least MatchBytes bytes between two texts
// contains a gram chosen in both: of each window of gramWindow consecutive grams of
// gramBytes bytes the gram with the smallest hash, the last of equals (winnowing,
// Schleimer 03). About one byte in five starts a chosen gram.
const (
	gramBytes  = 8
	gramWindow = 9
	// MatchBytes is the length of the shortest match that is sure to contain a chosen
	// gram.
	MatchBytes = gramBytes + gramWindow - 1
)

// Grams holds the chosen grams of a text in order, four bytes each, little-endian. From
// the top bit: the distance from the start of the previous gram, at most gramWindow (4
// bits; the first counts from −1), the hash (16), the sides (12).
type Grams []byte

const (
	sideBits = 12
	hashBits = 16
	keyBits  = hashBits + sideBits
)

// ChooseGrams chooses the grams of a normalised text. A text below MatchBytes has none.
func ChooseGrams(norm []byte) Grams {
	n := len(norm) - gramBytes + 1 // number of grams
	if n < gramWindow {
		return nil
	}
	chosen := make(Grams, 0, len(norm))
	var window [gramWindow]uint32 // hashes of the last grams, by position mod gramWindow
	least := -gramWindow          // position of the least hash, the last of equals
	before := -1                  // start of the last chosen gram
	for i := range n {
		h := gramHash(norm[i:])
		window[i%gramWindow] = h
		moved := true
		switch {
		case least <= i-gramWindow: // the least has left the window
			least = max(i-gramWindow+1, 0)
			for j := least + 1; j <= i; j++ {
				if window[j%gramWindow] <= window[least%gramWindow] {
					least = j
				}
			}
		case h <= window[least%gramWindow]:
			least = i
		default:
			moved = i == gramWindow-1 // the first full window
		}
		if moved && i >= gramWindow-1 {
			key := window[least%gramWindow]>>(32-hashBits)<<sideBits | sidesOf(norm, least, least+gramBytes)
			chosen = binary.LittleEndian.AppendUint32(chosen, uint32(least-before)<<keyBits|key)
			before = least
		}
	}
	return chosen
}

// gramHash hashes the first gramBytes bytes of b.
func gramHash(b []byte) uint32 {
	h := binary.LittleEndian.Uint64(b) * 0x9e3779b97f4a7c15
	h ^= h >> 32
	return uint32(h * 0xd6e8feb86659fd93 >> 32)
}

// sidesOf returns six hashes of two bits: of the 2, 4 and 6 bytes before a gram and of
// those after it.
func sidesOf(norm []byte, start, end int) (sides uint32) {
	var edge [16]byte
	before, after := edge[:8], edge[8:]
	copy(before[8-min(8, start):], norm[max(start-8, 0):start])
	copy(after, norm[end:])
	b, a := binary.LittleEndian.Uint64(before), binary.LittleEndian.Uint64(after)
	for n := 2; n <= 6; n += 2 {
		sides = sides<<2 | sideHash(b>>(64-8*n))
	}
	for n := 2; n <= 6; n += 2 {
		sides = sides<<2 | sideHash(a<<(64-8*n))
	}
	return sides
}

// sideHash returns two bits of x.
func sideHash(x uint64) uint32 { return uint32((x ^ x>>32) * 0x9e3779b97f4a7c15 >> 62) }

// All yields the position and the key of each gram. A key has 28 bits: the hash, then
// the sides. All ignores bytes beyond the last whole gram.
func (g Grams) All() iter.Seq2[int, uint32] {
	return func(yield func(at int, key uint32) bool) {
		at := -1
		for ; len(g) >= 4; g = g[4:] {
			x := binary.LittleEndian.Uint32(g)
			at += int(x >> keyBits)
			if !yield(at, x&(1<<keyBits-1)) {
				return
			}
		}
	}
}

// MatchedBound returns an upper bound of the number of characters in all matches of at
// least MatchBytes bytes together, if the other text shares shared of the chosen grams
// of one text. A match of n bytes contains at least ⌊(n−7)/9⌋ ≥ 1 of them: of any nine
// grams in a row one is chosen. So n ≤ 9h + 15 ≤ 24h for its h grams, and a character
// has at least one byte.
func MatchedBound(shared uint64) uint64 {
	return shared * (gramWindow + MatchBytes - 1)
}

// GramTimes counts the grams of a text by hash.
type GramTimes []uint32

// Times counts the grams of each hash.
func (g Grams) Times() GramTimes {
	times := make(GramTimes, 1<<hashBits)
	for _, key := range g.All() {
		times[key>>sideBits]++
	}
	return times
}

// Of returns the number of grams with the hash of a key.
func (t GramTimes) Of(key uint32) uint32 { return t[key>>sideBits] }

// FullRun returns the least number of consecutive chosen grams of a text that another
// text shares with all their sides if they have a match of so many bytes; 0 if there
// may be none. A match without the bytes of a side at each end is itself a match, and
// the grams chosen in it have the same sides in both texts.
func FullRun(bytes int) int {
	const side = 6
	return max(0, (bytes-2*side-gramBytes+1)/gramWindow)
}
