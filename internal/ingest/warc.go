package ingest

// WARC, the archives of web crawls, and WET, the texts of their pages. A record is a version line,
// headers, a blank line, and a block of Content-Length bytes.

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

const warcMagic = "WARC/1."

// beginsWARC reports whether a record begins here.
func beginsWARC(head []byte) bool { return bytes.HasPrefix(head, []byte(warcMagic)) }

// webPage is the metadata of a page in a record.
type webPage struct {
	id, url, date, record    string
	language, truncated      string
	mediaType, declared      string // the latter is its charset
	transferCoding, encoding string // of HTTP
}

// charset returns the charset declared by the server; p may be nil.
func (p *webPage) charset() string {
	if p == nil {
		return ""
	}
	return p.declared
}

// webEndings maps the media types that are read to file extensions.
var webEndings = map[string]string{
	"text/html": ".html", "application/xhtml+xml": ".html", "text/plain": ".txt", "text/markdown": ".md",
	"application/pdf": ".pdf", "application/rtf": ".rtf", "text/rtf": ".rtf", "application/epub+zip": ".epub",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx", "application/vnd.oasis.opendocument.text": ".odt",
}

// warcReader reads the records of a WARC.
type warcReader struct {
	o      Options
	kind   *kind
	path   string // of the file
	b      *bufio.Reader
	source string
	at     int64           // bytes read
	from   int64           // offset of the current record
	n      int64           // records started
	broken int             // damaged records that contain the beginning of another
	seen   map[uint64]bool // hashes of the URLs
	passed map[string]int  // number of skipped records by kind
}

// readWARC reads each page of a WARC. After damage it continues at the next line that begins a
// record.
func (r *reader) readWARC(b *bufio.Reader, p *probe) error {
	s := p.stream
	w := &warcReader{o: r.o, b: b, kind: p.kind, path: s.path, source: s.source, seen: map[uint64]bool{}, passed: map[string]int{}}
	for {
		u, err := w.next()
		damage, ok := errors.AsType[formError](err)
		if ok {
			err = w.skip()
			u = &unit{source: s.source, line: w.n, reason: fmt.Sprintf("WARC record at byte %d: %s; %d bytes to where the next one begins are not read", w.from, damage, w.at-w.from)}
			if err == io.EOF {
				u.rest = true
				u.reason = fmt.Sprintf("WARC record at byte %d: %s; it and what may follow, %d bytes to the end, are not read", w.from, damage, w.at-w.from)
				err = nil
			}
		}
		switch {
		case err == io.EOF:
			w.report(r)
			return nil
		case err != nil:
			return r.brokenOff(record{n: w.n, line: w.n}, s, err)
		case u == nil:
			continue
		}
		if err := r.put(w.n, *u); err != nil {
			return err
		}
	}
}

// report adds a warning with the number of skipped records.
func (w *warcReader) report(r *reader) {
	if len(w.passed) == 0 {
		return
	}
	const shown = 10
	what := slices.SortedFunc(maps.Keys(w.passed), func(a, b string) int { return cmp.Or(w.passed[b]-w.passed[a], strings.Compare(a, b)) })
	all := 0
	for i, name := range what {
		all += w.passed[name]
		what[i] = fmt.Sprintf("%d %s", w.passed[name], name)
	}
	list := strings.Join(what[:min(len(what), shown)], ", ")
	if len(what) > shown {
		list += fmt.Sprintf(" and %d other kinds", len(what)-shown)
	}
	r.warn(w.source, fmt.Sprintf("WARC records that are no pages with text are passed over, %d of %d: %s", all, w.n, list))
}

// skip advances to the line that begins the next record, or to io.EOF.
func (w *warcReader) skip() error {
	for {
		if head, _ := w.b.Peek(len(warcMagic)); beginsWARC(head) {
			return nil
		}
		part, err := w.b.ReadSlice('\n')
		for w.at += int64(len(part)); err == bufio.ErrBufferFull; w.at += int64(len(part)) {
			part, err = w.b.ReadSlice('\n')
		}
		if err != nil {
			return err
		}
	}
}

// next reads a record and returns the unit of its page, or nil for a record without a page. A
// formError means that the record is damaged.
func (w *warcReader) next() (*unit, error) {
	var version string
	var err error
	for err == nil && version == "" {
		w.from = w.at
		version, err = w.line()
	}
	if err == io.EOF && version == "" {
		return nil, io.EOF
	}
	w.n++
	if err == nil && !beginsWARC([]byte(version)) {
		err = formError(fmt.Sprintf("it begins with %.20q, not with WARC/1.0", version))
	}
	if err != nil {
		return nil, recordEnded(err)
	}
	h, err := w.headers()
	if err != nil {
		return nil, recordEnded(err)
	}
	size, err := strconv.ParseInt(h["content-length"], 10, 64)
	if err != nil || size < 0 {
		return nil, formError(fmt.Sprintf("its Content-Length is %.40q", h["content-length"]))
	}
	kind := h["warc-type"]
	page := kind == "response" || kind == "resource" || kind == "conversion"
	if page && size <= maxDocumentBytes {
		return w.page(h, size)
	}
	n, err := io.CopyN(io.Discard, w.b, size)
	if w.at += n; err != nil {
		return nil, recordEnded(err)
	}
	if page {
		return &unit{source: w.source, line: w.n, reason: documentTooLarge(size)}, nil
	}
	w.passed[fmt.Sprintf("%.40s", cmp.Or(kind, "without a type"))]++
	return nil, nil
}

// mostBroken is the maximum number of damaged blocks to read twice.
const mostBroken = 100

// page reads the block of a record that may contain a page.
func (w *warcReader) page(h map[string]string, size int64) (*unit, error) {
	var held bytes.Buffer
	_, err := io.CopyN(&held, w.b, size)
	block := held.Bytes()
	end, _ := w.b.Peek(1)
	if (err == nil || err == io.EOF) && (int64(len(block)) < size || len(end) > 0 && end[0] != '\r' && end[0] != '\n') {
		// The length is wrong, and the next record may begin within the block.
		if next := bytes.Index(block, []byte("\n"+warcMagic)); next >= 0 && w.broken < mostBroken {
			w.broken++
			w.at += int64(next + 1)
			w.b = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(block[next+1:]), w.b), bufferBytes)
			return nil, formError(fmt.Sprintf("it says that it has %d bytes, and a record begins within them", size))
		}
		w.at += int64(len(block))
		return nil, formError(fmt.Sprintf("it does not end after the %d bytes that it says", size))
	}
	w.at += int64(len(block))
	if err != nil {
		return nil, err
	}
	p := &webPage{
		url: strings.Trim(h["warc-target-uri"], "<>"), date: h["warc-date"], record: strings.Trim(h["warc-record-id"], "<>"),
		language: h["warc-identified-content-language"], truncated: h["warc-truncated"],
	}
	contentType := h["content-type"]
	if h["warc-type"] == "response" {
		line, rest, _ := bytes.Cut(block, []byte("\n"))
		protocol, status, _ := strings.Cut(string(line[:min(len(line), 40)]), " ")
		switch {
		case !strings.HasPrefix(protocol, "HTTP/"):
			w.passed["response without HTTP"]++
			return nil, nil
		case !strings.HasPrefix(status, "2"):
			w.passed[fmt.Sprintf("with HTTP status %.3s", status)]++
			return nil, nil
		}
		var http map[string]string
		http, block = splitHeaders(rest)
		contentType, p.transferCoding, p.encoding = http["content-type"], strings.ToLower(http["transfer-encoding"]), strings.ToLower(http["content-encoding"])
	}
	p.mediaType, p.declared = mediaTypeOf(contentType)
	ending, known := webEndings[p.mediaType]
	if !known && (p.mediaType != "" || w.o.Renderer == nil || !w.o.Renderer.Reads("", block[:min(len(block), sniffBytes)])) {
		w.passed[fmt.Sprintf("%.60s", cmp.Or(p.mediaType, "without a media type"))]++
		return nil, nil
	}
	p.id = cmp.Or(p.url, p.record)
	// A crawl may contain a page several times. The first keeps its URL as the id, later ones add
	// the record.
	if key := xxhash.Sum64String(p.url); w.seen[key] {
		p.id += "#" + cmp.Or(p.record, p.date)
	} else {
		w.seen[key] = true
	}
	return &unit{kind: w.kind, source: w.source, line: w.n, n: w.n, path: w.path, name: "page" + ending, raw: block, web: p}, nil
}

// mediaTypeOf parses Content-Type, also in the invalid forms that servers send.
func mediaTypeOf(header string) (mediaType, charset string) {
	mediaType, params, err := mime.ParseMediaType(header)
	if err != nil {
		mediaType, _, _ = strings.Cut(header, ";")
	}
	return strings.ToLower(strings.TrimSpace(mediaType)), params["charset"]
}

// recordEnded converts the end of the file to damage of the current record.
func recordEnded(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return formError("the file ends within it")
	}
	return err
}

// line returns the next line without its end.
func (w *warcReader) line() (string, error) {
	part, err := w.b.ReadSlice('\n')
	w.at += int64(len(part))
	if err == bufio.ErrBufferFull {
		return "", formError("a line of its headers is too long")
	}
	return string(bytes.TrimRight(part, "\r\n")), err
}

// maxWARCHeaders exceeds the number of headers of any intact record.
const maxWARCHeaders = 1000

// headers reads the headers of a record, by name in lower case.
func (w *warcReader) headers() (map[string]string, error) {
	var all []byte
	for range maxWARCHeaders {
		if head, _ := w.b.Peek(len(warcMagic)); beginsWARC(head) {
			return nil, formError("another record begins in its headers")
		}
		line, err := w.line()
		if err != nil {
			return nil, err
		}
		if line == "" {
			h, _ := splitHeaders(all)
			return h, nil
		}
		all = append(append(all, line...), '\n')
	}
	return nil, formError(fmt.Sprintf("it has more than %d headers", maxWARCHeaders))
}

// splitHeaders returns headers by name in lower case, and the bytes after the blank line that ends
// them. Of a repeated name the first value counts. Lines that are not headers are skipped, as
// browsers do.
func splitHeaders(b []byte) (h map[string]string, rest []byte) {
	h = map[string]string{}
	last := ""
	for len(b) > 0 {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte("\n"))
		if line = bytes.TrimRight(line, "\r"); len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			if last != "" {
				h[last] += " " + string(bytes.TrimSpace(line))
			}
			continue
		}
		name, value, ok := strings.Cut(string(line), ":")
		if last = strings.ToLower(strings.TrimSpace(name)); !ok || h[last] != "" {
			last = ""
			continue
		}
		h[last] = strings.TrimSpace(value)
	}
	return h, b
}

// webDocument decodes a page.
func (d *decoder) webDocument(u unit) (doc Doc, reason string) {
	p := u.web
	doc.ID = d.ids.prefix + p.id
	if u.raw, reason = p.body(u.raw); reason != "" {
		return doc, reason
	}
	switch {
	case d.o.Renderer != nil:
		doc, reason = d.render(u)
	case p.mediaType == "text/plain":
		doc, reason = textDocument(u.raw, d.o.Binary)
	default:
		reason = fmt.Sprintf("%s, of which only a reader of documents makes text", cmp.Or(p.mediaType, "page"))
	}
	doc.ID = p.id
	d.ids.ofRecord(u, &doc)
	if reason != "" {
		return doc, reason
	}
	if p.truncated != "" {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("the crawl has cut the page off: %.40s", p.truncated))
	}
	meta := map[string]any{}
	maps.Copy(meta, doc.Meta)
	delete(meta, "path") // a page has no path
	for name, value := range map[string]string{"url": p.url, "date": p.date, "media_type": p.mediaType, "record_id": p.record, "language": p.language} {
		if value != "" {
			meta[name] = readAsUTF8(value)
		}
	}
	maps.DeleteFunc(meta, func(name string, _ any) bool { return !d.ids.keeps(name) })
	doc.Meta = meta
	return doc, ""
}

// body undoes the HTTP codings. Some crawlers undo them and keep the header, so a body without the
// declared coding is used unchanged. A truncated page yields its intact part.
func (p *webPage) body(raw []byte) (_ []byte, reason string) {
	if strings.Contains(p.transferCoding, "chunked") {
		if whole, err := readUpTo(httputil.NewChunkedReader(bytes.NewReader(raw))); err == nil || len(whole) > 0 && err == io.ErrUnexpectedEOF {
			raw = whole
		}
	}
	var z io.Reader
	var err error
	switch p.encoding {
	case "", "identity":
		return raw, ""
	case "gzip", "x-gzip":
		z, err = gzip.NewReader(bytes.NewReader(raw))
	case "deflate":
		z, err = zlib.NewReader(bytes.NewReader(raw))
	default:
		return nil, fmt.Sprintf("Content-Encoding %.40q is not read", p.encoding)
	}
	if err != nil {
		return raw, ""
	}
	whole, err := readUpTo(z)
	switch {
	case len(whole) > maxDocumentBytes:
		return nil, fmt.Sprintf("page unpacks to more than %d bytes", maxDocumentBytes)
	case err != nil && (p.truncated == "" || len(whole) == 0):
		return nil, fmt.Sprintf("its %s is damaged: %v", p.encoding, err)
	}
	return whole, ""
}

// readUpTo reads at most one byte more than the limit of a document.
func readUpTo(in io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(in, maxDocumentBytes+1))
}
