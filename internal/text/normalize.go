package text

// This file normalises text. Everything that is compared goes through it, so
// that equal texts in other spellings stay equal.

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
	"unsafe" // to read a string many bytes at a time

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
		start := len(dst)
		dst = appendLowerASCII(dst, doc)
		n := len(dst) - start
		if n == len(doc) {
			return dst
		}
		n = max(n-1, 0)
		dst = dst[:start+n]
		doc = doc[n:]
		end := nonASCIIEnd(doc)
		if composed, ok := appendLowerComposed(dst, doc[:end]); ok {
			dst = composed
		} else {
			end = pieceEnd(doc, end)
			dst = appendLowerAny(dst, doc[:end])
		}
		doc = doc[end:]
	}
}

// The lowest and the highest bit of each of eight bytes.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// asciiPrefix returns how many bytes s has before its first non-ASCII one.
func asciiPrefix(s []byte) int {
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

// pieceBytes is about how much goes through the tables at once. Where every
// second character has an accent of its own, calling them costs far more than
// what they do.
const pieceBytes = 128

// pieceEnd returns where a piece of about that size may end, behind end.
func pieceEnd(s string, end int) int {
	end = max(end, min(pieceBytes, len(s)))
	for end < len(s) && s[end] >= utf8.RuneSelf {
		end++
	}
	return end
}

// appendLowerASCII appends what s has before its first non-ASCII byte, in lower
// case, eight bytes at a time. With all bytes below
// 0x80, adding 0x80−'A' to each sets its top bit iff it is at least 'A', and no
// carry leaves it.
func appendLowerASCII(dst []byte, s string) []byte {
	s = s[:asciiPrefix(unsafe.Slice(unsafe.StringData(s), len(s)))]
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

// appendLowerComposed returns false where s has a character that NFC might change.
func appendLowerComposed(dst []byte, s string) ([]byte, bool) {
	copied := 0
	for at := 0; at < len(s); {
		if r, ok := threeBytes(s[at:]); ok && isInert(r) {
			at += 3
			continue
		}
		r, size := rune(s[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[at:])
		}
		if !isComposed(r) {
			return nil, false
		}
		dst = append(dst, s[copied:at]...)
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
		at += size
		copied = at
	}
	return append(dst, s[copied:]...), true
}

// threeBytes returns the character that s starts with if it has three bytes. It
// is valid unless it is a surrogate or has a number that needs fewer bytes.
func threeBytes(s string) (r rune, ok bool) {
	if len(s) < 3 || s[0]>>4 != 0xe || s[1]&0xc0 != 0x80 || s[2]&0xc0 != 0x80 {
		return 0, false
	}
	return rune(s[0]&0xf)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), true
}

// isComposed reports whether NFC leaves r alone whatever stands around it, for
// the characters of Western texts. (In the terms of UAX #15 its quick check is
// Yes, and its combining class 0.)
func isComposed(r rune) bool {
	return r < 0x300 || 0x400 <= r && r < 0x483 || 0x48a <= r && r < 0x530
}

// isInert reports that of some characters that are in no case either: most
// punctuation, arrows, box drawing, and nearly all that Chinese, Japanese and
// Korean are written with.
func isInert(r rune) bool {
	if 0x4e00 <= r && r < 0xa000 || 0xac00 <= r && r < 0xd7a4 { // most are
		return true
	}
	switch r >> 12 {
	case 0x2:
		return 0x2010 <= r && r < 0x2028 || 0x2030 <= r && r < 0x205f || 0x2190 <= r && r < 0x2329 || 0x2500 <= r && r < 0x27c0
	case 0x3:
		return 0x3001 <= r && r < 0x302a || 0x3041 <= r && r < 0x3097 || 0x30a1 <= r && r < 0x30fb || 0x3400 <= r
	case 0xf:
		return 0xff01 <= r && r < 0xff21 || 0xff3b <= r && r < 0xff61
	}
	return 0x4000 <= r && r < 0x4dc0
}

func appendLowerAny(dst []byte, s string) []byte {
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
