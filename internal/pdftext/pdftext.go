// Package pdftext extracts the text and the metadata of a PDF. Run it in a separate
// process with limits on memory and time (cmd/simdb/internal/load/pdf.go): the pdf
// module panics on some broken files, and allocates sizes that the file claims. The
// package itself limits only the text and the number of pages. Begin with Read.
package pdftext

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"

	"github.com/simdb/simdb/internal/rendition"
)

// Read returns the rendition of a PDF, with at most maxTextBytes of text. An unreadable
// page is an error: half a document must not pass for the whole.
func Read(raw []byte, maxTextBytes int64) (got rendition.Rendition, err error) {
	defer func() {
		if r := recover(); r != nil { // the module panics on unsupported input
			got, err = rendition.Rendition{}, fmt.Errorf("broken: %v", r)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return got, err
	}
	info := r.Trailer().Key("Info")
	got.Facts = rendition.Facts{
		Title: info.Key("Title").Text(), Author: info.Key("Author").Text(),
		Created: date(info.Key("CreationDate").Text()), Modified: date(info.Key("ModDate").Text()),
	}
	var text strings.Builder
	pages := tree{above: map[string]bool{}, page: func(page, resources pdf.Value) error {
		// An empty page is valid.
		if page.Key("Contents").Kind() == pdf.Null {
			return nil
		}
		writePage(&text, draw(page, resources, maxTextBytes))
		if int64(text.Len()) > maxTextBytes {
			return errors.New("its text is over the limit; raise --max-doc")
		}
		return nil
	}}
	if err := pages.walk(r.Trailer().Key("Root").Key("Pages"), pdf.Value{}); err != nil {
		return got, err
	}
	got.Text = strings.TrimSpace(strings.ToValidUTF8(text.String(), "\uFFFD"))
	if got.Text == "" {
		return got, errors.New("it has no text (scanned pages?)")
	}
	return got, nil
}

// writePage joins the pieces of a page in drawing order. A vertical step is a new line,
// a large one a new paragraph, and a horizontal step a space. It joins words hyphenated
// at the end of a line.
func writePage(text *strings.Builder, pieces []piece) {
	text.WriteString("\n\n")
	b := &bytes.Buffer{}
	defer func() { text.Write(b.Bytes()) }()
	var last piece
	for i, p := range pieces {
		p.text = ligatures.Replace(strings.ReplaceAll(p.text, "\x00", ""))
		size := max(p.fontSize, last.fontSize, 1)
		if i > 0 {
			down, right := math.Abs(p.y-last.y), p.x-last.end
			switch {
			case down > size/2 && joinHyphenated(b, p.text):
			case down > 1.6*size:
				b.WriteString("\n\n")
			case down > size/2:
				b.WriteString("\n")
			case right > size/6 || right < -size:
				b.WriteString(" ")
			}
		}
		b.WriteString(p.text)
		last = p
	}
}

// joinHyphenated removes the hyphen from the end of a line if a letter precedes it and
// the next line begins with a lower-case letter, and reports whether it did.
func joinHyphenated(line *bytes.Buffer, next string) bool {
	if first, _ := utf8.DecodeRuneInString(next); !unicode.IsLower(first) {
		return false
	}
	whole := bytes.TrimRight(line.Bytes(), " ")
	hyphen, size := utf8.DecodeLastRune(whole)
	word := whole[:len(whole)-size]
	before, _ := utf8.DecodeLastRune(word)
	if !strings.ContainsRune("-\u2010\u00ad", hyphen) || !unicode.IsLetter(before) {
		return false
	}
	line.Truncate(len(word))
	return true
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

// date converts D:20260102030405+01'00' to RFC 3339; it returns other forms unchanged.
func date(s string) string {
	digits := strings.TrimPrefix(s, "D:")
	for _, layout := range []string{"20060102150405Z07'00'", "20060102150405Z07'00", "20060102150405Z0700", "20060102150405Z", "20060102150405"} {
		if t, err := time.Parse(layout, digits); err == nil {
			return t.Format(time.RFC3339)
		}
	}
	if len(digits) >= 14 {
		if t, err := time.Parse("20060102150405", digits[:14]); err == nil {
			return t.Format(time.RFC3339)
		}
	}
	return s
}
