package text

// This file says where the terms of a text begin, at which passages may start.

// TermStarts returns the bytes at which the terms of a text begin that Char.Normalize made,
// ascending: at its start, after white space, and where Words begins a word. So a term
// begins with each ideograph, and in the scripts that have no spaces between words, such as
// Japanese, Thai, Lao and Khmer, wherever UAX #29 has a boundary.
func TermStarts(norm []byte) []uint32 {
	if len(norm) == 0 {
		return nil
	}
	starts := make([]uint32, 1, 1+len(norm)/6)
	var some [someWords]Token
	gap := 0 // where the last word ended
	add := func(word int) {
		for i := max(gap, 1); i < word; i++ {
			if norm[i-1] == ' ' {
				starts = append(starts, uint32(i))
			}
		}
		if word > 0 && word < len(norm) {
			starts = append(starts, uint32(word))
		}
	}
	for pos := 0; pos < len(norm); {
		var words []Token
		words, pos = Form(0).AppendWordsFrom(some[:0], norm, pos, len(some)/2)
		for _, w := range words {
			add(w.Start)
			gap = w.End
		}
	}
	add(len(norm))
	return starts
}
