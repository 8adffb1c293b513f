package text

// Soundex is the code of a word.
func Soundex(word string) string { return string(appendSoundex(nil, []byte(word))) }
