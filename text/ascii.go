package text

// Classes of the ASCII characters, as far as word segments and white space go.
// A mid class is the class it joins, shifted by midShift: '.' stands inside a
// word between two letters or between two digits, but not between one of each.
const (
	letter    = 1 << iota // UAX #29 ALetter
	digit                 // Numeric
	connector             // ExtendNumLet: joins everything
	midLetter             // MidLetter, MidNumLet, Single_Quote
	midNum                // MidNum, MidNumLet, Single_Quote
	white                 // Unicode White_Space
	inWord    = letter | digit | connector
	mid       = midLetter | midNum
	midShift  = 3
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
	for _, c := range " \t\n\v\f\r" {
		class[c] = white
	}
	return class
}()
