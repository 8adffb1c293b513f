package ingest

// Documents that are not plain text. Options.Renderer reads them, so that a program that imports
// only texts links no readers of HTML, Word and mail.

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDocumentBytes is the limit of a document, and of a mail in a mailbox. It exceeds the limit of
// a text, because a document also contains pictures.
const maxDocumentBytes = 64 << 20

// documentTooLarge returns the reject reason of a document of a known size.
func documentTooLarge(size int64) string {
	return fmt.Sprintf("document of %d bytes is over the limit of %d", size, maxDocumentBytes)
}

// readDocument reads a stream as one document.
func (r *reader) readDocument(b *bufio.Reader, p *probe) error {
	s := p.stream
	u := unit{kind: document, source: s.source, path: s.path, name: s.name, taken: s.taken}
	if s.size > maxDocumentBytes {
		u.reason = documentTooLarge(s.size)
		return r.put(1, u)
	}
	raw, err := r.readCapped(b, maxDocumentBytes)
	switch {
	case err != nil && r.ctx.Err() != nil:
		return r.ctx.Err()
	case err != nil:
		u.reason = readFailure(err)
	case len(raw) > maxDocumentBytes:
		u.reason = fmt.Sprintf("document is over the limit of %d bytes", maxDocumentBytes)
	default:
		u.raw = raw
	}
	return r.put(1, u)
}

// render renders a unit as a document, and adds the path, size and hash of the file to its
// metadata.
func (d *decoder) render(u unit) (doc Doc, reason string) {
	text, meta, err := d.o.Renderer.Render(d.ctx, u.name, u.web.charset(), u.raw)
	if err != nil {
		return doc, err.Error()
	}
	if meta == nil {
		meta = map[string]any{}
	}
	sum := sha256.Sum256(u.raw)
	meta["path"], meta["bytes"], meta["sha256"] = readAsUTF8(u.path), int64(len(u.raw)), hex.EncodeToString(sum[:])
	return Doc{Text: text, Meta: meta}, ""
}

// recode decodes a text that is not UTF-8 again, in its likely charset. Without a likely charset
// the text remains unchanged.
func (d *decoder) recode(u unit, doc *Doc) {
	if d.o.Renderer == nil || d.o.Binary || d.o.Format != "auto" || utf8.ValidString(doc.Text) {
		return
	}
	if rendered, reason := d.render(u); reason == "" {
		doc.Text, doc.Meta = rendered.Text, rendered.Meta
	}
}

// A mailbox (mbox) is a sequence of mails. Each begins with a line "From " with a time, after a
// blank line or at the beginning of the file.
var (
	mailStart    = regexp.MustCompile(`^From \S.* \d?\d:\d\d`)
	mailboxStart = regexp.MustCompile(`^From \S+ .*\d{4}\r?\n[A-Za-z-]+:`)
	quotedStart  = regexp.MustCompile(`(?m)^>(>*From )`)
)

// dovecotFiles matches the index files of a mail server in a Maildir.
var dovecotFiles = regexp.MustCompile(`^dovecot(-uidlist|-uidvalidity.*|-keywords|\.index.*|\.mailbox\.log)$`)

// isMailbox reports whether a stream is an mbox.
func isMailbox(p *probe) bool {
	if p.o.Renderer == nil {
		return false
	}
	switch strings.ToLower(path.Ext(p.name)) {
	case ".mbox", ".mbx":
		return mailStart.Match(p.raw)
	}
	return mailboxStart.Match(p.raw) && mailStart.Match(p.raw)
}

// readMailbox reads each mail of a mailbox as a document. The id of mail n is the path of the
// mailbox and n, because a Message-ID may be missing or repeated.
func (r *reader) readMailbox(b *bufio.Reader, p *probe) error {
	s := p.stream
	var mail []byte
	n, size, blankBefore := int64(0), int64(0), true
	put := func() error {
		if n == 0 {
			return nil
		}
		u := unit{kind: document, source: s.source, path: s.path + "/" + strconv.FormatInt(n, 10), name: "message.eml"}
		u.raw = quotedStart.ReplaceAll(mail, []byte("$1"))
		if size > maxDocumentBytes {
			u.raw, u.reason = nil, documentTooLarge(size)
		}
		return r.put(n, u)
	}
	for {
		part, err := b.ReadSlice('\n')
		if blankBefore && mailStart.Match(part) {
			if err := put(); err != nil {
				return err
			}
			n, mail, size = n+1, mail[:0], 0
		}
		blankBefore = len(bytes.TrimRight(part, "\r\n")) == 0
		if size += int64(len(part)); size <= maxDocumentBytes {
			mail = append(mail, part...)
		}
		for err == bufio.ErrBufferFull { // a line longer than the buffer does not start a mail
			part, err = b.ReadSlice('\n')
			if size += int64(len(part)); size <= maxDocumentBytes {
				mail = append(mail, part...)
			}
		}
		switch {
		case err == io.EOF:
			return put()
		case err != nil:
			return r.brokenOff(record{n: n + 1}, s, err)
		}
	}
}
