package text

// A Form is a choice of what the normal form of a text leaves out beyond what it
// always does. The zero value is the normal form itself.
type Form uint8

const (
	// Papers is how the papers read a text: NFC and small letters by the simple
	// mapping, and words of letters and numbers alone.
	Papers Form = 1 << iota
)

// Normalize appends the normal form of doc to dst.
func (f Form) Normalize(dst []byte, doc string) []byte {
	if f&Papers != 0 {
		return appendSimple(dst, doc)
	}
	return Normalize(dst, doc)
}
