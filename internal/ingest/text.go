package ingest

// Files that are one text each, in UTF-8, or in UTF-16 or UTF-32 with a byte order mark;
// and the checks that every document must pass.

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
	utf32LEBOM = []byte("\xff\xfe\x00\x00") // in UTF-16 a text of NUL
	utf32BEBOM = []byte("\x00\x00\xfe\xff")
)

func isUTF32(head []byte) bool {
	return bytes.HasPrefix(head, utf32LEBOM) || bytes.HasPrefix(head, utf32BEBOM)
}

// isWide reports whether a head begins with a byte order mark of UTF-16 or UTF-32.
func isWide(head []byte) bool {
	return bytes.HasPrefix(head, utf16LEBOM) || bytes.HasPrefix(head, utf16BEBOM) || isUTF32(head)
}

// readText reads a stream as one document. If it is binary, or its size is
// known and too large, it is rejected before it is read.
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
	return r.put(1, unit{kind: text, source: s.source, path: s.path, name: s.name, raw: raw, taken: s.taken, warning: p.json.unsure})
}

// readCapped reads to the end, or one byte more than the limit.
func (r *reader) readCapped(b *bufio.Reader, limit int64) ([]byte, error) {
	buf := bytes.NewBuffer(r.text[:0])
	_, err := buf.ReadFrom(io.LimitReader(b, limit+1))
	r.text = buf.Bytes()
	return r.text, err
}

func (o Options) tooLarge(size int64) string {
	return fmt.Sprintf("text of %d bytes is over the limit of %d; raise --max-doc", size, o.MaxDocBytes)
}

// textDocument makes a document of the bytes of a file. A byte order mark is
// dropped. One of UTF-16 or UTF-32 counts only if such text follows, because it may also be
// the first two bytes of anything else.
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

// decodeWide decodes by the byte order mark. It reports false for text that is
// not clean.
func decodeWide(raw []byte) (string, bool) {
	decoded, err := wideEncoding(raw).NewDecoder().Bytes(raw)
	if err != nil || len(raw)%2 != 0 || bytes.IndexByte(decoded, 0) >= 0 || bytes.Contains(decoded, []byte("\uFFFD")) {
		return "", false
	}
	return string(decoded), true
}

// wideEncoding returns the encoding of UTF-32 or UTF-16 that a head shows, by its mark or by the NUL bytes of
// ASCII characters, or nil. Records begin with a bracket or a name, so the first bytes tell.
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
	least := max(len(some)/8, 3) // records are ASCII around their values, whatever their script
	switch {
	case zeros[0] == 0 && zeros[1] >= least && some[1] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case zeros[1] == 0 && zeros[0] >= least && some[0] == 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

// asUTF8 is the head of a stream as withoutBOM gives it.
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

// hasCROnly reports whether lines end with a carriage return alone, as Excel writes them for the Macintosh.
func hasCROnly(head []byte) bool {
	return bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0
}

// lineFeeds reads carriage returns as line feeds.
type lineFeeds struct{ io.Reader }

func (l lineFeeds) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// withoutBOM returns the stream of a file of records as UTF-8 in lines, without its byte
// order mark. Spreadsheets like to write CSV as UTF-16.
func withoutBOM(b *bufio.Reader, head []byte) (_ *bufio.Reader, done func()) {
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

// latin1 reads every byte as the code point of its value.
func latin1(raw []byte) string {
	var b strings.Builder
	b.Grow(len(raw))
	for _, c := range raw {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// finish checks a document, wherever it comes from. It returns why the document
// is rejected, or "".
func (d *decoder) finish(doc *Doc) string {
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
