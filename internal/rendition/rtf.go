package rendition

// RTF: control words, groups and text. Destinations such as fonts, styles, pictures,
// headers, footers and field codes are left out.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
)

// rtfGroup is the state that a group inherits from the enclosing one, and restores at
// its end.
type rtfGroup struct {
	skip    bool
	fact    *string // destination of the group's text, if it is a fact of the document
	fonts   bool    // the group is the table of fonts
	unicode int     // bytes after a \u for readers that do not support it
	charset string
}

// rtfReader interprets RTF.
type rtfReader struct {
	j       *job
	in      []byte
	at      int
	group   rtfGroup
	outer   []rtfGroup
	bytes   []byte   // of \'hh, not yet decoded
	units   []uint16 // of \u, not yet decoded
	ignore  int      // bytes of text to ignore after a \u
	star    bool     // \* precedes the next control word
	base    string   // charset of the document
	font    int      // current font of the table of fonts
	byFont  map[int]string
	created [5]int
	date    bool
}

// rtfSkipped maps the known destinations to whether they are left out. An unknown
// destination is left out if it follows \*.
var rtfSkipped = map[string]bool{
	"colortbl": true, "stylesheet": true, "pict": true, "object": true, "header": true, "headerl": true, "headerr": true, "headerf": true,
	"footer": true, "footerl": true, "footerr": true, "footerf": true, "fldinst": true, "themedata": true, "datastore": true, "latentstyles": true,
	"listtable": true, "listoverridetable": true, "rsidtbl": true, "xmlnstbl": true, "filetbl": true, "revtbl": true, "annotation": true,
	"atnid": true, "atnauthor": true, "bkmkstart": true, "bkmkend": true, "info": false, "pntext": false, "nonshppict": true, "generator": true,
	"ftnsep": true, "ftnsepc": true, "aftnsep": true, "aftnsepc": true, "listtext": false, "company": true, "operator": true, "doccomm": true,
	"comment": true, "subject": true, "keywords": true, "category": true, "manager": true, "printim": true, "buptim": true, "revtim": true,
}

// rtfText maps control words to the characters that they stand for.
var rtfText = map[string]string{
	"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
}

// rtfCharsets maps the \fcharset of a font to a charset.
var rtfCharsets = map[int]string{
	77: "macintosh", 128: "shift_jis", 129: "euc-kr", 134: "gb18030", 136: "big5", 161: "windows-1253", 162: "windows-1254", 163: "windows-1258",
	177: "windows-1255", 178: "windows-1256", 186: "windows-1257", 204: "windows-1251", 222: "windows-874", 238: "windows-1250",
}

// rtf reads the document. The charset is windows-1252 until the document declares
// another. A \u has one replacement byte by default.
func (j *job) rtf() error {
	r := &rtfReader{j: j, in: j.raw, base: "windows-1252", byFont: map[int]string{}, group: rtfGroup{unicode: 1}}
	if err := r.read(); err != nil {
		return err
	}
	if r.created[0] > 0 {
		c := r.created
		j.fact.Created = fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:00", c[0], c[1], c[2], c[3], c[4])
	}
	j.fact.Charset = r.base
	return j.out.err(nil)
}

// read interprets the input up to the end of the outermost group.
func (r *rtfReader) read() error {
	for n := 0; r.at < len(r.in) && !r.j.out.full; n++ {
		if n%4096 == 0 && r.j.ctx.Err() != nil {
			return r.j.ctx.Err()
		}
		c := r.in[r.at]
		r.at++
		switch c {
		case '{':
			r.flush()
			r.ignore = 0
			if len(r.outer) >= maxDepth {
				return fmt.Errorf("its groups are nested deeper than %d", maxDepth)
			}
			r.outer = append(r.outer, r.group)
		case '}':
			r.flush()
			r.ignore = 0
			if len(r.outer) == 0 {
				return errors.New("more groups end than begin")
			}
			r.group = r.outer[len(r.outer)-1]
			r.outer = r.outer[:len(r.outer)-1]
			if len(r.outer) == 0 {
				return nil
			}
		case '\\':
			if err := r.control(); err != nil {
				return err
			}
		case '\r', '\n':
		default:
			r.char(c)
		}
	}
	if len(r.outer) > 0 && !r.j.out.full {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// char handles a byte of text.
func (r *rtfReader) char(c byte) {
	if r.ignore > 0 {
		r.ignore--
		return
	}
	r.flushUnits()
	r.bytes = append(r.bytes, c)
}

// control handles the input after a backslash.
func (r *rtfReader) control() error {
	if r.at >= len(r.in) {
		return io.ErrUnexpectedEOF
	}
	c := r.in[r.at]
	if c|0x20 < 'a' || c|0x20 > 'z' {
		r.at++
		r.symbol(c)
		return nil
	}
	start := r.at
	for r.at < len(r.in) && r.in[r.at]|0x20 >= 'a' && r.in[r.at]|0x20 <= 'z' && r.at-start < 40 {
		r.at++
	}
	word := string(r.in[start:r.at])
	digits := r.at
	if r.at < len(r.in) && r.in[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.in) && r.in[r.at] >= '0' && r.in[r.at] <= '9' && r.at-digits < 12 {
		r.at++
	}
	number, err := strconv.Atoi(string(r.in[digits:r.at]))
	if r.at < len(r.in) && r.in[r.at] == ' ' {
		r.at++
	}
	r.word(word, number, err == nil)
	return nil
}

// symbol handles a control symbol.
func (r *rtfReader) symbol(c byte) {
	switch c {
	case '\'':
		if r.at+2 <= len(r.in) {
			if b, err := strconv.ParseUint(string(r.in[r.at:r.at+2]), 16, 8); err == nil {
				r.char(byte(b))
			}
			r.at += 2
		}
	case '*':
		r.star = true
	case '~':
		r.flush()
		r.write("\u00a0")
	case '_':
		r.flush()
		r.write("-")
	case '\\', '{', '}':
		r.char(c)
	case '\r', '\n':
		r.gap(block)
	}
}

// word handles a control word. has reports whether a number follows it.
func (r *rtfReader) word(word string, number int, has bool) {
	star := r.star
	r.star = false
	if word == "u" && has {
		r.flushBytes()
		if number < 0 {
			number += 1 << 16
		}
		r.units = append(r.units, uint16(number))
		r.ignore = r.group.unicode
		return
	}
	r.flush()
	if skip, known := rtfSkipped[word]; skip || star && !known && word != "shppict" && word != "fldinst" {
		r.group.skip = true
		return
	}
	switch word {
	case "uc":
		r.group.unicode = min(max(number, 0), 16)
	case "bin":
		r.at = min(r.at+max(number, 0), len(r.in))
	case "ansicpg":
		r.base = cmp.Or(rtfPages[number], "windows-"+strconv.Itoa(number))
		r.group.charset = r.base
	case "mac":
		r.base = "macintosh"
	case "fonttbl":
		r.group.fonts, r.group.skip = true, true
	case "f":
		if r.font = number; !r.group.fonts {
			r.group.charset = r.byFont[number]
		}
	case "fcharset":
		if r.group.fonts && len(r.byFont) < 10_000 {
			r.byFont[r.font] = rtfCharsets[number]
		}
	case "info":
		r.group.skip = true
	case "title":
		r.group.fact = &r.j.fact.Title
	case "author":
		r.group.fact = &r.j.fact.Author
	case "creatim":
		r.date, r.group.skip = true, true
	case "yr", "mo", "dy", "hr", "min":
		if r.date {
			r.created[strings.Index("yrmodyhrmi", word[:2])/2] = number
			r.date = word != "min"
		}
	case "par", "sect", "page":
		r.gap(block)
	case "line", "row", "softline":
		r.gap(line)
	case "tab", "cell", "nestcell", "emspace", "enspace":
		r.gap(space)
	default:
		r.write(rtfText[word])
	}
}

// rtfPages maps the \ansicpg of a document to a charset. Any other number n stands for
// windows-n.
var rtfPages = map[int]string{932: "shift_jis", 936: "gb18030", 949: "euc-kr", 950: "big5", 10000: "macintosh", 65001: "utf-8", 866: "ibm866"}

// gap requests a gap, unless the group is left out.
func (r *rtfReader) gap(g gap) {
	r.flush()
	if !r.group.skip {
		r.j.out.need(g)
	}
}

// write appends decoded text to the rendition, or to the fact of the group.
func (r *rtfReader) write(s string) {
	switch {
	case r.group.fact != nil && len(*r.group.fact) < maxFactBytes:
		*r.group.fact += s
	case r.group.fact == nil && !r.group.skip:
		r.j.out.words(s)
	}
}

// flush decodes and writes the pending units and bytes.
func (r *rtfReader) flush() {
	r.flushUnits()
	r.flushBytes()
}

// flushUnits decodes the pending units together, since two \u can form a surrogate pair.
func (r *rtfReader) flushUnits() {
	if len(r.units) > 0 {
		units := r.units
		r.units = nil
		r.write(string(utf16.Decode(units)))
	}
}

// flushBytes decodes the pending bytes together, since a character may have several. It
// tries the charset of the font, then that of the document, then windows-1252.
func (r *rtfReader) flushBytes() {
	if len(r.bytes) == 0 {
		return
	}
	b := r.bytes
	r.bytes = r.bytes[:0]
	for _, name := range []string{r.group.charset, r.base, "windows-1252"} {
		if e, _ := findCharset(name); e != nil {
			if s, err := e.NewDecoder().Bytes(b); err == nil {
				r.write(string(s))
				return
			}
		}
	}
}
