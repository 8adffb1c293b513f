// Package params bounds the values that a server decodes from JSON for a statement or a call: decoded,
// a value of two bytes takes 50. Begin with Max.
package params

// Max is the maximum number of values in the parameters of a statement, with those in lists and
// objects.
const Max = 100_000

// Count returns an upper bound on the number of values in the lists and objects of JSON text.
func Count(raw []byte) int {
	var c Counter
	c.Add(raw)
	return c.N
}

// Counter is Count for a text that arrives in pieces.
type Counter struct {
	N               int
	quoted, escaped bool
}

// Add counts the next piece.
func (c *Counter) Add(piece []byte) {
	for _, b := range piece {
		switch {
		case c.escaped:
			c.escaped = false
		case c.quoted && b == '\\':
			c.escaped = true
		case b == '"':
			c.quoted = !c.quoted
		case !c.quoted && (b == ',' || b == '[' || b == '{'):
			c.N++
		}
	}
}
