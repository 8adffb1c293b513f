package text

// Soundex returns the code of a word.
func Soundex(word string) string { return string(appendSoundex(nil, []byte(word))) }

// PlainFold returns the replacement of a character by definition.
func PlainFold(r rune) string {
	s, ok := plainFolds[r]
	if !ok {
		s = plainFold(r)
		plainFolds[r] = s
	}
	return s
}

var plainFolds = map[rune]string{}
