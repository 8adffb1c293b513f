package text

// Normalisation. All compared text passes through it, so that equal texts remain equal
// in other spellings.

import (
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"
	"unsafe" // to read a string many bytes at a time

	"golang.org/x/text/unicode/norm"
)

// Normalize appends the normal form of doc to dst: each invalid byte becomes U+FFFD,
// then foldOf replaces each character, then NFC composes the result.
//
// ASCII is copied and lower-cased. NFC runs only around characters without an NFC
// boundary before them; nearly all replacements have such a boundary.
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

// ones and tops have the lowest and the highest bit set in each of eight bytes.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// asciiPrefix returns the number of leading ASCII bytes of s.
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

// appendLowerASCII appends the leading ASCII bytes of s in lower case, eight at a time.
// With all bytes below 0x80, adding 0x80−'A' to each sets its top bit iff it is at
// least 'A', and no carry crosses bytes.
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

// appendAlike appends the replacements of the characters of s, up to the first ASCII
// byte or the first character that NFC may join to another. It returns the number of
// bytes read.
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

// pieceBytes is the approximate size of a piece for NFC. If every second character has
// an accent, a call of NFC per accent costs far more than NFC itself.
const pieceBytes = 128

// appendComposed appends the replacements of s up to a character with an NFC boundary
// before it; the first character of s has none. It returns the number of bytes read. The
// text begins at start of dst.
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

// threeBytes decodes the character at the start of s if it has three bytes. It does not
// detect surrogates and overlong encodings.
func threeBytes(s string) (r rune, ok bool) {
	if len(s) < 3 || s[0]>>4 != 0xe || s[1]&0xc0 != 0x80 || s[2]&0xc0 != 0x80 {
		return 0, false
	}
	return rune(s[0]&0xf)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), true
}

// isInert reports, for most characters of Chinese, Japanese and Korean, that r folds to
// itself and NFC has a boundary before it. False decides nothing.
func isInert(r rune) bool {
	return 0x4e00 <= r && r < 0xa000 || 0xac00 <= r && r < 0xd7a4 ||
		0x3001 <= r && r < 0x302a || 0x3041 <= r && r < 0x3097 || 0x30a1 <= r && r < 0x30fb
}

// appendSimple appends the form that the papers compare: each invalid byte becomes
// U+FFFD, then NFC composes, then the simple mapping of strings.ToLower applies. The
// result is not normalised again.
func appendSimple(dst []byte, doc string) []byte {
	if !utf8.ValidString(doc) {
		doc = replaceInvalid(doc)
	}
	for _, r := range norm.NFC.String(doc) {
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

// replaceInvalid replaces each invalid byte by one U+FFFD; strings.ToValidUTF8 would
// replace a run of them by one.
func replaceInvalid(s string) string {
	b := make([]byte, 0, len(s)+len(s)/2)
	for _, r := range s {
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}
