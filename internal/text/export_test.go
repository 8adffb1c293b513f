package text

// Soundex is the code of a word.
func Soundex(word string) string { return string(appendSoundex(nil, []byte(word))) }

// PlainFold is the definition of what stands for a character.
func PlainFold(r rune) string {
	s, ok := plainFolds[r]
	if !ok {
		s = plainFold(r)
		plainFolds[r] = s
	}
	return s
}

var plainFolds = map[rune]string{}
