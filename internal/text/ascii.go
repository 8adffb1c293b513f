package text

// Classes of the ASCII characters, for the fast paths of ASCII text.

// Classes of the ASCII characters with respect to words and white space. Letters,
// digits and connectors form words; a mid character belongs to a word only between two
// letters or two digits.
const (
	letter    = 1 << iota // UAX #29 ALetter
	digit                 // Numeric
	connector             // ExtendNumLet
	midLetter             // MidLetter, MidNumLet, Single_Quote
	midNum                // MidNum, MidNumLet, Single_Quote
	mark                  // a symbol, or a sign that may be a token; none of the others
	white                 // Unicode White_Space; the highest class, so class/white is 0 or 1
)

// asciiClass maps each byte to its classes; non-ASCII bytes have none.
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
