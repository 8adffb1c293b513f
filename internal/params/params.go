// Package params bounds the parameters that a server decodes for a statement: decoded, a value of
// two bytes takes 50. Begin with Max.
package params

// Max is the maximum number of values in the parameters of a statement, with those in lists and
// objects.
const Max = 100_000

// Count returns an upper bound on the number of values in the lists and objects of JSON text. In
// other text it counts as many as a decoder could find before its error.
func Count(raw []byte) (n int) {
	quoted := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}
