package sketch

import (
	"encoding/binary"
	"slices"
)

// Grams are chosen so that every match of at least MatchBytes bytes between two
// texts holds one that both texts choose: of each window of gramWindow
// consecutive grams of gramBytes bytes the one with the smallest hash, the last
// of equals (winnowing, Schleimer 03). About one byte in five starts one.
const (
	gramBytes  = 8
	gramWindow = 9
	// MatchBytes is the shortest match that is sure to hold a chosen gram.
	MatchBytes = gramBytes + gramWindow - 1
)

// Gram is the hash of a chosen gram and how often it is chosen in a text.
type Gram struct{ Hash, Count uint32 }

// Grams chooses the grams of a text in the form that matches are looked for in,
// ascending by hash, each once. A text below MatchBytes has none.
func Grams(norm []byte) []Gram {
	n := len(norm) - gramBytes + 1 // grams
	if n < gramWindow {
		return nil
	}
	chosen := make([]uint32, 0, len(norm)/4)
	var window [gramWindow]uint32 // hashes of the last grams, by position mod gramWindow
	least := -gramWindow          // position of the least of them, the last of equals
	for i := range n {
		h := gramHash(norm[i:])
		window[i%gramWindow] = h
		moved := true
		switch {
		case least <= i-gramWindow: // it has left the window
			least = max(i-gramWindow+1, 0)
			for j := least + 1; j <= i; j++ {
				if window[j%gramWindow] <= window[least%gramWindow] {
					least = j
				}
			}
		case h <= window[least%gramWindow]:
			least = i
		default:
			moved = i == gramWindow-1 // the first whole window
		}
		if moved && i >= gramWindow-1 {
			chosen = append(chosen, window[least%gramWindow])
		}
	}
	slices.Sort(chosen)
	grams := make([]Gram, 0, len(chosen))
	for i, h := range chosen {
		if i > 0 && h == chosen[i-1] {
			grams[len(grams)-1].Count++
			continue
		}
		grams = append(grams, Gram{h, 1})
	}
	return grams
}

// gramHash mixes the first eight bytes.
func gramHash(b []byte) uint32 {
	h := binary.LittleEndian.Uint64(b) * 0x9e3779b97f4a7c15
	h ^= h >> 32
	return uint32(h * 0xd6e8feb86659fd93 >> 32)
}

// MatchedBound returns the largest number of characters that all matches of at
// least MatchBytes bytes can have together when the grams chosen in one text
// occur shared times among those of the other. A match of n bytes holds at least
// ⌊(n−7)/9⌋ ≥ 1 of them: of any nine grams in a row one is chosen. So
// n ≤ 9h + 15 ≤ 24h for its h grams, and a character has at least a byte.
func MatchedBound(shared uint64) uint64 {
	return shared * (gramWindow + MatchBytes - 1)
}
