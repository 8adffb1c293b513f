package text

// The starts of terms, the positions where a passage may begin.

// TermStarts returns the bytes, ascending, at which terms begin in a text normalised by
// Char.Normalize: its start, after white space, and the start of each word of Words. So
// each ideograph begins a term, and in scripts without spaces between words, such as
// Japanese, Thai, Lao and Khmer, every boundary of UAX #29 does.
func TermStarts(norm []byte) []uint32 {
	if len(norm) == 0 {
		return nil
	}
	starts := make([]uint32, 1, 1+len(norm)/6)
	var some [someWords]Token
	gap := 0 // end of the last word
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
