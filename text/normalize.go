package text

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
	"unsafe" // to read a string eight bytes at a time

	"golang.org/x/text/unicode/norm"
)

// Normalize appends the normalised form of doc to dst: every byte that is not
// valid UTF-8 becomes U+FFFD, then Unicode NFC, then lower case by the simple
// mapping, as strings.ToLower. Lower case comes last and is not normalised
// again, so a few texts are no longer NFC; what counts is that equal texts
// become equal.
//
// ASCII is copied and lower-cased; the rest goes through the tables. The text
// may be cut before any ASCII byte, because no ASCII character combines with
// what stands before it. It may combine with what follows, so the last one
// before a non-ASCII byte goes through the tables too.
func Normalize(dst []byte, doc string) []byte {
	for {
		n := asciiPrefix(unsafe.Slice(unsafe.StringData(doc), len(doc)))
		if n == len(doc) {
			return appendLowerASCII(dst, doc)
		}
		n = max(n-1, 0)
		dst = appendLowerASCII(dst, doc[:n])
		doc = doc[n:]
		end := nonASCIIEnd(doc)
		dst = appendLowerNFC(dst, doc[:end])
		doc = doc[end:]
	}
}

// asciiPrefix returns how many bytes s has before its first non-ASCII one.
func asciiPrefix(s []byte) int {
	const tops = 0x8080808080808080
	n := 0
	for len(s)-n >= 16 {
		b := s[n : n+16]
		if (binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[8:]))&tops != 0 {
			break
		}
		n += 16
	}
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// nonASCIIEnd returns the end of the first run of non-ASCII bytes in s, which
// starts at the first or second byte.
func nonASCIIEnd(s string) int {
	n := 1
	for n < len(s) && s[n] >= utf8.RuneSelf {
		n++
	}
	return n
}

// appendLowerASCII lower-cases eight bytes at a time. With all bytes below
// 0x80, adding 0x80−'A' to each sets its top bit iff it is at least 'A', and no
// carry leaves it.
func appendLowerASCII(dst []byte, s string) []byte {
	const ones = 0x0101010101010101
	start := len(dst)
	dst = append(dst, s...)
	b := dst[start:]
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		atLeastA := x + ones*(0x80-'A')
		aboveZ := x + ones*(0x80-'Z'-1)
		upper := (atLeastA &^ aboveZ) & (ones * 0x80)
		binary.LittleEndian.PutUint64(b, x|upper>>2)
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return dst
}

func appendLowerNFC(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = replaceInvalid(s)
	}
	if !norm.NFC.IsNormalString(s) {
		s = norm.NFC.String(s)
	}
	for _, r := range s {
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

// replaceInvalid puts one U+FFFD for each invalid byte. (strings.ToValidUTF8
// puts one for each run of them.)
func replaceInvalid(s string) string {
	b := make([]byte, 0, len(s)+len(s)/2)
	for _, r := range s {
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}
