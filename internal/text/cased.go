package text

// This file normalises a text whose capitals count.

import "golang.org/x/text/unicode/norm"

// NormalizeCased appends what Char.Normalize makes of doc, but for the lower case.
func NormalizeCased(dst []byte, doc string) []byte {
	start := len(dst)
	dst = norm.NFC.AppendString(dst, replaceInvalid(doc))
	return dst[:start+len(Collapse(dst[start:]))]
}
