package text

// This file normalises a text whose capitals count.

import "golang.org/x/text/unicode/norm"

// NormalizeCased appends doc in NFC on one line: capitals and typography stay, invalid UTF-8 becomes
// U+FFFD, each run of white space one space.
func NormalizeCased(dst []byte, doc string) []byte {
	start := len(dst)
	dst = norm.NFC.AppendString(dst, replaceInvalid(doc))
	return dst[:start+len(Collapse(dst[start:]))]
}
