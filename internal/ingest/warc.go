package ingest

// WARC, the archives of web crawls, and WET, the texts of their pages. A record is a line with
// the version, headers, a blank line, and as many bytes as Content-Length says.

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

func beginsWARC(head []byte) bool { return bytes.HasPrefix(head, []byte(warcMagic)) }

// webPage is what a record says of its page.
type webPage struct {
	id, url, date, record    string
	language, truncated      string
	mediaType, said          string // the latter is its charset
	transferCoding, encoding string // of HTTP
}

// charset is what the server has said; p may be nil.
func (p *webPage) charset() string {
	if p == nil {
		return ""
	}
	return p.said
}

// webEndings are the media types that are read, by the ending that a file of each has.
var webEndings = map[string]string{
	"text/html": ".html", "application/xhtml+xml": ".html", "text/plain": ".txt", "text/markdown": ".md",
	"application/pdf": ".pdf", "application/rtf": ".rtf", "text/rtf": ".rtf", "application/epub+zip": ".epub",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx", "application/vnd.oasis.opendocument.text": ".odt",
}

// warcReader goes through the records of a WARC.
type warcReader struct {
	o      Options
	kind   *kind
	path   string // of the file
	b      *bufio.Reader
	source string
	at     int64           // bytes read
	from   int64           // where the record begins
	n      int64           // records begun
	broken int             // records that others began within
	seen   map[uint64]bool // hashes of the URLs
	passed map[string]int  // records that are no pages, by what they are
}

// readWARC puts each page of a WARC. What cannot be read ends at the next line that begins a
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
			w.tell(r)
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

// tell says how many records were passed over.
func (w *warcReader) tell(r *reader) {
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

// skip goes to the line that begins the next record, or to io.EOF.
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

// next reads a record and returns the unit of its page, or nil if it has none. A formError
// says that the record is damaged.
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
		return nil, ended(err)
	}
	h, err := w.headers()
	if err != nil {
		return nil, ended(err)
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
		return nil, ended(err)
	}
	if page {
		return &unit{source: w.source, line: w.n, reason: documentTooLarge(size)}, nil
	}
	w.passed[fmt.Sprintf("%.40s", cmp.Or(kind, "without a type"))]++
	return nil, nil
}

// mostBroken is how many blocks of damaged records are read twice.
const mostBroken = 100

// page reads the block of a record that may have a page.
func (w *warcReader) page(h map[string]string, size int64) (*unit, error) {
	var held bytes.Buffer
	_, err := io.CopyN(&held, w.b, size)
	block := held.Bytes()
	end, _ := w.b.Peek(1)
	if (err == nil || err == io.EOF) && (int64(len(block)) < size || len(end) > 0 && end[0] != '\r' && end[0] != '\n') {
		// Its length is wrong, and what comes next may lie in the block.
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
	p.mediaType, p.said = mediaTypeOf(contentType)
	ending, known := webEndings[p.mediaType]
	if !known && (p.mediaType != "" || w.o.Renderer == nil || !w.o.Renderer.Reads("", block[:min(len(block), sniffBytes)])) {
		w.passed[fmt.Sprintf("%.60s", cmp.Or(p.mediaType, "without a media type"))]++
		return nil, nil
	}
	p.id = cmp.Or(p.url, p.record)
	if key := xxhash.Sum64String(p.url); w.seen[key] {
		p.id += "#" + cmp.Or(p.record, p.date)
	} else {
		w.seen[key] = true
	}
	return &unit{kind: w.kind, source: w.source, line: w.n, n: w.n, path: w.path, name: "page" + ending, raw: block, web: p}, nil
}

// mediaTypeOf returns the type and the charset of a header, of which servers write all sorts.
func mediaTypeOf(header string) (mediaType, charset string) {
	mediaType, params, err := mime.ParseMediaType(header)
	if err != nil {
		mediaType, _, _ = strings.Cut(header, ";")
	}
	return strings.ToLower(strings.TrimSpace(mediaType)), params["charset"]
}

// ended is the end of a record as its damage.
func ended(err error) error {
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

// maxWARCHeaders is more headers than a record has.
const maxWARCHeaders = 1000

// headers reads the headers of a record by their names in lower case.
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

// splitHeaders returns headers by their names in lower case, and what follows the blank line
// behind them. Of a name that is given twice the first value counts. What is no header is
// passed over, as browsers do.
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

// webDocument makes a document of a page.
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
	delete(meta, "path") // which it has none of
	for name, value := range map[string]string{"url": p.url, "date": p.date, "media_type": p.mediaType, "record_id": p.record, "language": p.language} {
		if value != "" {
			meta[name] = readAsUTF8(value)
		}
	}
	maps.DeleteFunc(meta, func(name string, _ any) bool { return !d.ids.keeps(name) })
	doc.Meta = meta
	return doc, ""
}

// body undoes the codings of HTTP. Some crawlers undo them themselves and leave the header: what
// is not coded so is taken as it is. A page that is cut off gives what it has.
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

// readUpTo reads one byte more than a document may have.
func readUpTo(in io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(in, maxDocumentBytes+1))
}
