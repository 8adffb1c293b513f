package text

// Normalisation that keeps capitals.

import "golang.org/x/text/unicode/norm"

// NormalizeCased appends doc to dst as NFC on one line. Capitals and typography stay,
// invalid UTF-8 becomes U+FFFD, and each run of white space becomes one space.
func NormalizeCased(dst []byte, doc string) []byte {
	start := len(dst)
	dst = norm.NFC.AppendString(dst, replaceInvalid(doc))
	return dst[:start+len(Collapse(dst[start:]))]
}
