package text

// This file normalises text. Everything that is compared goes through it, so
// that equal texts in other spellings stay equal.

import (
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"
	"unsafe" // to read a string many bytes at a time

	"golang.org/x/text/unicode/norm"
)

// Normalize appends the normal form of doc to dst: every byte that is not valid
// UTF-8 becomes U+FFFD, then every character what foldOf says, then Unicode NFC.
//
// ASCII is copied and lower-cased. NFC is left out where it has nothing to do:
// between characters before which it has a boundary, which are nearly all that
// stand for others.
func Normalize(dst []byte, doc string) []byte {
	start := len(dst)
	for {
		n := len(dst)
		dst = appendLowerASCII(dst, doc)
		doc = doc[len(dst)-n:]
		dst, n = appendAlike(dst, doc)
		if doc = doc[n:]; len(doc) == 0 {
			return dst
		}
		if doc[0] >= utf8.RuneSelf {
			dst, n = appendComposed(dst, start, doc)
			doc = doc[n:]
		}
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

// appendAlike appends what stands for the characters of s up to the first byte of
// ASCII, or the first character that NFC may join to another, and returns how many
// bytes these are.
func appendAlike(dst []byte, s string) ([]byte, int) {
	copied, at := 0, 0
	for at < len(s) && s[at] >= utf8.RuneSelf {
		if r, ok := threeBytes(s[at:]); ok && isInert(r) {
			at += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		p := pageOf(r)
		f := p.of(r)
		if rune(f) == r && size > 1 {
			at += size
			continue
		}
		dst = append(dst, s[copied:at]...)
		copied = at
		if f >= joins {
			return dst, at
		}
		dst = p.append(dst, f)
		at += size
		copied = at
	}
	return append(dst, s[copied:at]...), at
}

// pieceBytes is about how much goes through NFC at once. Where every second
// character has an accent of its own, calling it costs far more than what it
// does.
const pieceBytes = 128

// appendComposed appends what stands for the characters of s, which starts with one
// that NFC may join to the one before it, up to a character that it does not, and
// returns how many bytes these are. The text begins at start of dst.
func appendComposed(dst []byte, start int, s string) ([]byte, int) {
	from := len(dst)
	if from > start {
		_, size := utf8.DecodeLastRune(dst[start:])
		from -= size
	}
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		p := pageOf(r)
		f := p.of(r)
		if 0 <= f && f < joins && at >= pieceBytes {
			break
		}
		dst = p.append(dst, f)
		at += size
	}
	piece := dst[from:]
	if norm.NFC.IsNormal(piece) {
		return dst, at
	}
	spare := slices.Grow(dst, 3*len(piece))
	composed := norm.NFC.Append(spare[len(dst):len(dst)], piece...)
	return append(dst[:from], composed...), at
}

// threeBytes returns the character that s starts with if it has three bytes. It
// is valid unless it is a surrogate or has a number that needs fewer bytes.
func threeBytes(s string) (r rune, ok bool) {
	if len(s) < 3 || s[0]>>4 != 0xe || s[1]&0xc0 != 0x80 || s[2]&0xc0 != 0x80 {
		return 0, false
	}
	return rune(s[0]&0xf)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), true
}

// isInert reports whether r stands for itself, and NFC has a boundary before it,
// for most of the characters that Chinese, Japanese and Korean are written with.
func isInert(r rune) bool {
	return 0x4e00 <= r && r < 0xa000 || 0xac00 <= r && r < 0xd7a4 ||
		0x3001 <= r && r < 0x302a || 0x3041 <= r && r < 0x3097 || 0x30a1 <= r && r < 0x30fb
}

// appendSimple appends what the papers compare: every byte that is not valid UTF-8
// becomes U+FFFD, then Unicode NFC, then lower case by the simple mapping, as
// strings.ToLower, which is not normalised again.
func appendSimple(dst []byte, doc string) []byte {
	if !utf8.ValidString(doc) {
		doc = replaceInvalid(doc)
	}
	for _, r := range norm.NFC.String(doc) {
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
