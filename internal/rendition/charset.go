package rendition

// Detection of charsets: by byte order mark, declaration, validity as UTF-8, the NUL
// bytes of UTF-16, and only then by statistics.

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	xunicode "golang.org/x/text/encoding/unicode"
)

// errCharset reports a text that no known charset decodes.
var errCharset = errors.New("its charset is unknown")

// decode converts a text to UTF-8, and returns the name of its charset. declared may be
// empty.
func decode(raw []byte, declared string) (text, charset string, err error) {
	if bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) && utf8.Valid(raw) {
		return string(raw[3:]), "utf-8", nil
	}
	if which := unicode16(raw); which != "" {
		return decodeUTF16(raw, which)
	}
	ascii := !bytes.ContainsFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf || r == 0x1b || r == '~' })
	if ascii {
		return string(raw), "us-ascii", nil
	}
	if e, name := findCharset(declared); e != nil && (name != "utf-8" || utf8.Valid(raw)) {
		if s, ok := decodeBy(e, raw); ok {
			return s, name, nil
		}
	}
	if utf8.Valid(raw) {
		return string(raw), "utf-8", nil
	}
	for _, guess := range guesses(raw) {
		e, name := findCharset(guess)
		if e == nil {
			continue
		}
		if s, ok := decodeBy(e, raw); ok {
			return s, name, nil
		}
	}
	return "", "", errCharset
}

// findCharset returns a charset with its canonical name. It maps the names that
// detectors and mails use for subsets to their supersets.
func findCharset(name string) (encoding.Encoding, string) {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "gb2312", "gbk", "cp936":
		name = "gb18030"
	case "cp949", "uhc":
		name = "euc-kr"
	case "cp932":
		name = "shift_jis"
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil, ""
	}
	if canonical, err := htmlindex.Name(e); err == nil {
		name = canonical
	}
	if name == "replacement" || name == "x-user-defined" || strings.HasPrefix(name, "utf-16") {
		return nil, ""
	}
	return e, name
}

// decodeBy decodes raw, and reports whether the result is plausible for a text.
func decodeBy(e encoding.Encoding, raw []byte) (string, bool) {
	decoded, err := e.NewDecoder().Bytes(raw)
	if err != nil {
		return "", false
	}
	return string(decoded), clean(string(decoded), len(raw))
}

// clean reports whether the undecodable and control characters of s number at most 1 %
// of size: real files have faults.
func clean(s string, size int) bool {
	bad := 0
	for _, r := range s {
		if r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\n\r\f\v\x1b", r) || r >= 0x7f && r <= 0x9f {
			bad++
		}
	}
	return bad <= size/100
}

// detectable is the number of bytes that the statistics examine.
const detectable = 64 << 10

// guesses returns the likely charsets of a text, best first.
func guesses(raw []byte) []string {
	some := raw[:min(len(raw), detectable)]
	var names []string
	for _, r := range chardet.DetectAll(some) {
		name := strings.ToLower(r.Charset)
		if (name == "windows-1254" || name == "iso-8859-9") && !turkish(some) {
			name = "windows-1252" // the text has none of the letters that distinguish them
		}
		if (name == "iso-8859-1" || name == "windows-1252") && latin9(some) {
			name = "iso-8859-15"
		}
		if name == "x-mac-cyrillic" && !macCyrillic(some) {
			name = "windows-1251"
		}
		names = append(names, name)
	}
	return append(names, "windows-1252")
}

// macCyrillic reports whether a text is in x-mac-cyrillic rather than windows-1251.
// They share all small letters but the last; the capitals have other positions.
func macCyrillic(raw []byte) bool {
	mac, windows := 0, 0
	for _, c := range raw {
		switch {
		case c >= 0x80 && c <= 0x9f, c == 0xdf:
			mac++
		case c >= 0xc0 && c < 0xdf, c == 0xff:
			windows++
		}
	}
	return mac > windows
}

// turkish reports whether a text has a letter that distinguishes windows-1254 from
// windows-1252.
func turkish(raw []byte) bool {
	for _, c := range raw {
		if strings.IndexByte("\xd0\xdd\xde\xf0\xfd\xfe", c) >= 0 {
			return true
		}
	}
	return false
}

// latin9 recognises ISO-8859-15 by the euro and the ligature oe. ISO-8859-1 and
// windows-1252 have a currency sign and fractions there, which do not occur inside a
// word.
func latin9(raw []byte) bool {
	for i, c := range raw {
		switch {
		case c >= 0x80 && c < 0xa0:
			return false
		case c == 0xa4:
			return true
		case (c == 0xbd || c == 0xbc) && i > 0 && i+1 < len(raw) && letter(raw[i+1]):
			return true
		}
	}
	return false
}

// letter reports whether c is an ASCII letter.
func letter(c byte) bool { return unicode.IsLetter(rune(c)) && c < utf8.RuneSelf }

// unicode16 returns the kind of UTF-16 of a text: utf-16 with a byte order mark, else
// utf-16le or utf-16be by the NUL bytes of ASCII characters, "" for other texts.
func unicode16(raw []byte) string {
	if bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff")) {
		return "utf-16"
	}
	some := raw[:min(len(raw), sniffed)&^1]
	if len(some) < 8 || bytes.IndexByte(some, 0) < 0 {
		return ""
	}
	var zeros [2]int
	for i, c := range some {
		if c == 0 {
			zeros[i&1]++
		}
	}
	// Texts in most scripts contain at least five ASCII spaces and line ends per
	// hundred characters.
	units := len(some) / 2
	which := ""
	switch {
	case zeros[0] == 0 && zeros[1] >= max(units/20, 2):
		which = "utf-16le"
	case zeros[1] == 0 && zeros[0] >= max(units/20, 2):
		which = "utf-16be"
	default:
		return ""
	}
	if _, _, err := decodeUTF16(some, which); err != nil {
		return ""
	}
	return which
}

// decodeUTF16 decodes the kind of UTF-16 that unicode16 returned.
func decodeUTF16(raw []byte, which string) (text, charset string, err error) {
	order, bom := xunicode.LittleEndian, xunicode.IgnoreBOM
	switch {
	case which == "utf-16":
		bom = xunicode.ExpectBOM
		which = "utf-16le"
		if raw[0] == 0xfe {
			which = "utf-16be"
		}
	case which == "utf-16be":
		order = xunicode.BigEndian
	}
	decoded, err := xunicode.UTF16(order, bom).NewDecoder().Bytes(raw)
	// The sample may end between the two halves of a surrogate pair.
	if err != nil || !clean(string(decoded), len(decoded)+200) || bytes.IndexByte(decoded, 0) >= 0 {
		return "", "", errCharset
	}
	return string(decoded), which, nil
}

// fewBytes is the number of non-ASCII bytes below which statistics are unreliable.
const fewBytes = 24

// Recode returns the likely charset of a text from a sample of its bytes, and a reader
// that decodes in. It returns "" and nil if it finds none.
func Recode(sample []byte, in io.Reader) (charset string, out io.Reader) {
	beyond := 0
	for _, c := range sample {
		if c >= utf8.RuneSelf {
			beyond++
		}
	}
	names := []string{"windows-1252"}
	if beyond >= fewBytes {
		names = guesses(sample)
	}
	for _, guess := range names {
		if e, name := findCharset(guess); e != nil && name != "utf-8" {
			if _, ok := decodeBy(e, sample); ok {
				return name, e.NewDecoder().Reader(in)
			}
		}
	}
	return "", nil
}
