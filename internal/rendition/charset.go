package rendition

// In which charset a text is: by its byte order mark, by what was declared, by being
// UTF-8, by the NUL bytes of UTF-16, and only then by statistics.

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

var errCharset = errors.New("its charset is unknown")

// decode returns a text as UTF-8 and the name of its charset.
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
	if e, name := named(declared); e != nil && (name != "utf-8" || utf8.Valid(raw)) {
		if s, ok := decodeBy(e, raw); ok {
			return s, name, nil
		}
	}
	if utf8.Valid(raw) {
		return string(raw), "utf-8", nil
	}
	for _, guess := range guesses(raw) {
		e, name := named(guess)
		if e == nil {
			continue
		}
		if s, ok := decodeBy(e, raw); ok {
			return s, name, nil
		}
	}
	return "", "", errCharset
}

// named finds a charset. Detectors and mails use names of their own for supersets.
func named(name string) (encoding.Encoding, string) {
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

// decodeBy decodes, and refuses what a text of this charset would not have.
func decodeBy(e encoding.Encoding, raw []byte) (string, bool) {
	decoded, err := e.NewDecoder().Bytes(raw)
	if err != nil {
		return "", false
	}
	return string(decoded), clean(string(decoded), len(raw))
}

// clean allows a few characters that could not be decoded: files have faults.
func clean(s string, size int) bool {
	bad := 0
	for _, r := range s {
		if r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\n\r\f\v\x1b", r) || r >= 0x7f && r <= 0x9f {
			bad++
		}
	}
	return bad <= size/100
}

// detectable is how much of a text the statistics look at.
const detectable = 64 << 10

// guesses returns what a text may be in, the best guess first.
func guesses(raw []byte) []string {
	some := raw[:min(len(raw), detectable)]
	var names []string
	for _, r := range chardet.DetectAll(some) {
		name := strings.ToLower(r.Charset)
		if (name == "windows-1254" || name == "iso-8859-9") && !turkish(some) {
			name = "windows-1252" // no letter is there in which the two differ
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

// macCyrillic tells x-mac-cyrillic from windows-1251, which has the same small letters but
// for the last, and the capital ones elsewhere.
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

// turkish reports whether a text has one of the letters by which windows-1254 differs
// from windows-1252.
func turkish(raw []byte) bool {
	for _, c := range raw {
		if strings.IndexByte("\xd0\xdd\xde\xf0\xfd\xfe", c) >= 0 {
			return true
		}
	}
	return false
}

// latin9 tells ISO-8859-15 from its neighbours by the euro and the ligature oe: where it
// has these, the others have a currency sign and a fraction inside a word, as no text does.
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

func letter(c byte) bool { return unicode.IsLetter(rune(c)) && c < utf8.RuneSelf }

// unicode16 returns which UTF-16 a text is in: utf-16 with a byte order mark, else utf-16le
// or utf-16be by the NUL bytes of its ASCII characters, or "".
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
	// Even of a text in another script, spaces and ends of lines are some of a hundred.
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
	// Half a pair of surrogates may stand at the end of what was looked at.
	if err != nil || !clean(string(decoded), len(decoded)+200) || bytes.IndexByte(decoded, 0) >= 0 {
		return "", "", errCharset
	}
	return string(decoded), which, nil
}

// fewBytes are so few beyond ASCII that statistics say nothing of them.
const fewBytes = 24

// Recode returns the charset that a text with such bytes is in, and what decodes it.
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
		if e, name := named(guess); e != nil && name != "utf-8" {
			if _, ok := decodeBy(e, sample); ok {
				return name, e.NewDecoder().Reader(in)
			}
		}
	}
	return "", nil
}
