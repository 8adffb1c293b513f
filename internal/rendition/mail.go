package rendition

// Mails: the subject is the title, the body the text. Among alternatives plain text
// precedes HTML. Attachments and enclosed mails are left out.

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
	"time"
)

// mailReader reads the parts of one mail.
type mailReader struct {
	j     *job
	parts int
}

// mail reads the headers as facts, and appends the parts. Header values may be encoded
// words, or raw bytes in an undeclared charset, which decode guesses.
func (j *job) mail() error {
	raw := bytes.TrimLeft(j.raw, "\r\n")
	if bytes.HasPrefix(raw, []byte("From ")) { // the separator line of an mbox
		_, raw, _ = bytes.Cut(raw, []byte("\n"))
	}
	m, err := mail.ReadMessage(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		return err
	}
	words := &mime.WordDecoder{CharsetReader: func(charset string, in io.Reader) (io.Reader, error) {
		e, _ := findCharset(charset)
		if e == nil {
			return nil, errCharset
		}
		return e.NewDecoder().Reader(in), nil
	}}
	header := func(name string) string {
		value := m.Header.Get(name)
		decoded, err := words.DecodeHeader(value)
		if err != nil {
			decoded = value
		}
		text, _, err := decode([]byte(decoded), "")
		if err != nil {
			return ""
		}
		return text
	}
	j.fact.Title, j.fact.Author, j.fact.MessageID = header("Subject"), header("From"), strings.Trim(header("Message-Id"), "<> ")
	if date, err := m.Header.Date(); err == nil {
		j.fact.Created = date.Format(time.RFC3339)
	}
	r := &mailReader{j: j}
	if err := r.part(textproto.MIMEHeader(m.Header), m.Body, 0); err != nil {
		return err
	}
	return j.out.err(nil)
}

// part appends the text of a part. A truncated part yields its beginning.
func (r *mailReader) part(h textproto.MIMEHeader, body io.Reader, depth int) error {
	if r.parts++; r.parts > maxMailParts {
		return fmt.Errorf("it has more than %d parts", maxMailParts)
	}
	if depth > maxMailDepth {
		return fmt.Errorf("its parts are nested deeper than %d", maxMailDepth)
	}
	if disposition, _, _ := mime.ParseMediaType(h.Get("Content-Disposition")); disposition == "attachment" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil && kind == "" {
		kind = "text/plain"
	}
	switch {
	case strings.HasPrefix(kind, "multipart/") && params["boundary"] != "":
		return r.multipart(kind, multipart.NewReader(body, params["boundary"]), depth)
	case kind == "text/plain", kind == "text/html":
		return r.leaf(kind, params["charset"], h.Get("Content-Transfer-Encoding"), body)
	}
	return nil
}

// multipart reads the parts of a part. Among alternatives the first plain one counts.
func (r *mailReader) multipart(kind string, parts *multipart.Reader, depth int) error {
	alternative := kind == "multipart/alternative"
	var other *mailReader // the best alternative so far
	for r.j.ctx.Err() == nil && !r.j.out.full {
		p, err := parts.NextRawPart()
		if err != nil {
			break // the end, or the fault of a truncated mail
		}
		if !alternative {
			if err := r.part(p.Header, p, depth+1); err != nil {
				return err
			}
			continue
		}
		sub := &mailReader{j: &job{ctx: r.j.ctx, r: r.j.r, out: newBuilder(r.j.out.max)}, parts: r.parts}
		if err := sub.part(p.Header, p, depth+1); err != nil {
			return err
		}
		r.parts = sub.parts
		r.j.out.full = r.j.out.full || sub.j.out.full
		if kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type")); kind == "text/plain" && sub.j.out.b.Len() > 0 {
			other = sub
			break
		}
		if sub.j.out.b.Len() > 0 && other == nil {
			other = sub
		}
	}
	if other != nil {
		r.j.out.need(block)
		r.j.out.raw(other.j.out.b.String())
		setOnce(&r.j.fact.Charset, other.j.fact.Charset)
	}
	return nil
}

// leaf appends the text of a part without parts.
func (r *mailReader) leaf(kind, charset, transfer string, body io.Reader) error {
	switch strings.ToLower(strings.TrimSpace(transfer)) {
	case "base64":
		raw, _ := io.ReadAll(body)
		raw = bytes.Map(onlyBase64, raw)
		body = base64.NewDecoder(base64.StdEncoding, bytes.NewReader(raw))
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	raw, _ := io.ReadAll(body) // undecodable input ends the text
	if kind == "text/html" && charset == "" {
		charset = declaredCharset(raw)
	}
	text, charset, err := decode(raw, charset)
	if err != nil {
		return err
	}
	setOnce(&r.j.fact.Charset, charset)
	r.j.out.need(block)
	if kind == "text/html" {
		page := &job{ctx: r.j.ctx, r: r.j.r, out: r.j.out}
		return page.page(text)
	}
	r.j.out.raw(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")))
	return nil
}

// onlyBase64 removes characters outside the alphabet, as RFC 2045 requires.
func onlyBase64(r rune) rune {
	if r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || r == '+' || r == '/' || r == '=' {
		return r
	}
	return -1
}
