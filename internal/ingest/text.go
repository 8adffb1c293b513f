package ingest

// Text files in UTF-8, or in UTF-16 or UTF-32 with a byte order mark, and the checks for every
// document.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

var (
	utf8BOM    = []byte("\xef\xbb\xbf")
	utf16LEBOM = []byte("\xff\xfe")
	utf16BEBOM = []byte("\xfe\xff")
	utf32LEBOM = []byte("\xff\xfe\x00\x00") // as UTF-16: a text that begins with NUL
	utf32BEBOM = []byte("\x00\x00\xfe\xff")
)

// isUTF32 reports whether a head begins with a byte order mark of UTF-32.
func isUTF32(head []byte) bool {
	return bytes.HasPrefix(head, utf32LEBOM) || bytes.HasPrefix(head, utf32BEBOM)
}

// isWide reports whether a head begins with a byte order mark of UTF-16 or UTF-32.
func isWide(head []byte) bool {
	return bytes.HasPrefix(head, utf16LEBOM) || bytes.HasPrefix(head, utf16BEBOM) || isUTF32(head)
}

// readText reads a stream as one document. It rejects binary streams, and streams of a known
// excessive size, before reading them.
func (r *reader) readText(b *bufio.Reader, p *probe) error {
	reason, s := "", p.stream
	if !r.o.Binary && !isWide(p.raw) {
		reason = binaryReason(p.raw)
	}
	if reason == "" && s.size > r.o.MaxDocBytes {
		reason = r.o.tooLarge(s.size)
	}
	if reason != "" {
		return r.put(1, unit{source: s.source, path: s.path, reason: reason})
	}
	raw, err := r.readCapped(b, r.o.MaxDocBytes)
	switch {
	case err != nil && r.ctx.Err() != nil:
		return r.ctx.Err()
	case err != nil:
		reason = readFailure(err)
	case int64(len(raw)) > r.o.MaxDocBytes:
		reason = fmt.Sprintf("text is over the limit of %d bytes; raise --max-doc", r.o.MaxDocBytes)
	}
	if reason != "" {
		return r.put(1, unit{source: s.source, path: s.path, reason: reason})
	}
	return r.put(1, unit{kind: text, source: s.source, path: s.path, name: s.name, raw: raw, taken: s.taken, warning: p.json.ambiguous})
}

// readCapped reads to the end, but at most limit+1 bytes. The result is valid until the next call.
func (r *reader) readCapped(b *bufio.Reader, limit int64) ([]byte, error) {
	buf := bytes.NewBuffer(r.text[:0])
	_, err := buf.ReadFrom(io.LimitReader(b, limit+1))
	r.text = buf.Bytes()
	return r.text, err
}

// tooLarge returns the reject reason of a text of a known size.
func (o Options) tooLarge(size int64) string {
	return fmt.Sprintf("text of %d bytes is over the limit of %d; raise --max-doc", size, o.MaxDocBytes)
}

// textDocument decodes the bytes of a file and drops a byte order mark. A mark of UTF-16 or UTF-32
// counts only if valid text follows, because other files may begin with the same two bytes.
func textDocument(raw []byte, binary bool) (doc Doc, reason string) {
	if isWide(raw) {
		if decoded, ok := decodeWide(raw); ok {
			doc.Text = decoded
			return doc, ""
		}
	}
	if reason := binaryReason(raw); reason != "" {
		if !binary {
			return doc, reason
		}
		doc.Text = latin1(raw)
		return doc, ""
	}
	doc.Text = string(bytes.TrimPrefix(raw, utf8BOM))
	return doc, ""
}

// decodeWide decodes according to the byte order mark. It returns false for invalid text.
func decodeWide(raw []byte) (string, bool) {
	decoded, err := wideEncoding(raw).NewDecoder().Bytes(raw)
	if err != nil || len(raw)%2 != 0 || bytes.IndexByte(decoded, 0) >= 0 || bytes.Contains(decoded, []byte("\uFFFD")) {
		return "", false
	}
	return string(decoded), true
}

// wideEncoding returns the UTF-32 or UTF-16 encoding of a head, or nil, by its byte order mark or
// by the NUL bytes of ASCII characters. Records begin with a bracket or a name, so the first bytes
// are conclusive.
func wideEncoding(head []byte) encoding.Encoding {
	switch {
	case isUTF32(head):
		return utf32.UTF32(utf32.LittleEndian, utf32.ExpectBOM)
	case isWide(head):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
	case len(head) < 8:
		return nil
	}
	zeros, some := [2]int{}, head[:min(len(head), sniffBytes)&^1]
	for i, c := range some {
		if c == 0 {
			zeros[i&1]++
		}
	}
	least := max(len(some)/8, 3) // the syntax of records is ASCII in every script
	switch {
	case zeros[0] == 0 && zeros[1] >= least && some[1] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case zeros[1] == 0 && zeros[0] >= least && some[0] == 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

// asUTF8 returns the head of a stream in the form that utf8Lines gives it.
func asUTF8(head []byte) []byte {
	if order := wideEncoding(head); order != nil {
		if decoded, err := order.NewDecoder().Bytes(head[:len(head)&^3]); err == nil {
			return decoded
		}
	}
	if head = bytes.TrimPrefix(head, utf8BOM); hasCROnly(head) {
		head = bytes.ReplaceAll(head, []byte("\r"), []byte("\n"))
	}
	return head
}

// hasCROnly reports whether lines end with a lone carriage return, as written by Excel for the
// Macintosh.
func hasCROnly(head []byte) bool {
	return bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0
}

// lineFeeds replaces carriage returns by line feeds.
type lineFeeds struct{ io.Reader }

// Read replaces in place, so the size remains.
func (l lineFeeds) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// utf8Lines returns a file of records as UTF-8 with line feeds, without a byte order mark.
// Spreadsheets often write CSV as UTF-16. Call done after reading.
func utf8Lines(b *bufio.Reader, head []byte) (_ *bufio.Reader, done func()) {
	if bytes.HasPrefix(head, utf8BOM) {
		b.Discard(len(utf8BOM))
	}
	var in io.Reader
	switch {
	case wideEncoding(head) != nil:
		in = transform.NewReader(b, wideEncoding(head).NewDecoder())
	case hasCROnly(head):
		in = lineFeeds{b}
	default:
		return b, func() {}
	}
	decoded := borrowBuffer(in)
	return decoded, func() { returnBuffer(decoded) }
}

// latin1 decodes each byte as the code point of its value.
func latin1(raw []byte) string {
	var b strings.Builder
	b.Grow(len(raw))
	for _, c := range raw {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// finish checks a document of any origin and adds warnings. It returns the reason of its reject, or
// "".
func (d *decoder) finish(doc *Doc) string {
	// The reject must not carry an id that is empty or too long.
	if reason := checkID(doc.ID); reason != "" {
		doc.ID = ""
		return reason
	}
	if int64(len(doc.Text)) > d.o.MaxDocBytes {
		return d.o.tooLarge(int64(len(doc.Text)))
	}
	if doc.Text == "" {
		doc.Warnings = append(doc.Warnings, "empty text")
	}
	if !utf8.ValidString(doc.Text) {
		doc.Warnings = append(doc.Warnings, "invalid UTF-8")
	}
	return ""
}
