package text

// This file has the classes of the ASCII characters, which let ASCII text take
// short ways.

// Classes of the ASCII characters, as far as words and white space go.
// Letters, digits and connectors make words; a mid character belongs to a word
// only between two letters, or two digits.
const (
	letter    = 1 << iota // UAX #29 ALetter
	digit                 // Numeric
	connector             // ExtendNumLet
	midLetter             // MidLetter, MidNumLet, Single_Quote
	midNum                // MidNum, MidNumLet, Single_Quote
	mark                  // a symbol, or a sign that may be a token; none of the others
	white                 // Unicode White_Space; the highest class, so class/white is 0 or 1
)

// asciiClass has the classes of every byte; non-ASCII bytes have none.
var asciiClass = func() (class [256]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		class[c], class[c-'a'+'A'] = letter, letter
	}
	for c := '0'; c <= '9'; c++ {
		class[c] = digit
	}
	class['_'] = connector
	class[':'] = midLetter
	class['.'], class['\''] = midLetter|midNum, midLetter|midNum
	class[','], class[';'] = midNum, midNum
	for _, c := range "$+<=>|~#%-" {
		class[c] = mark
	}
	for _, c := range " \t\n\v\f\r" {
		class[c] = white
	}
	return class
}()
