package ingest

// CSV: a header row with the names of the fields, then one document per record. The beginning of a
// file determines its delimiter, quoting and charset.

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readCSV reads a header row and then one document per record.
func (r *reader) readCSV(b *bufio.Reader, p *probe) error {
	layout := layoutOf(p)
	if reason := binaryReason(p.raw); reason != "" && !r.o.Binary && wideEncoding(p.raw) == nil && !layout.hasText {
		return r.reject(1, p.source, 0, reason)
	}
	b, done := utf8Lines(b, p.raw)
	defer done()
	l := &rows{max: maxHeaderBytes + 1, dialect: sniffCSV(p, layout.between)}
	if !r.o.Binary {
		old := &legacyText{in: b, renderer: r.o.Renderer}
		defer func() { returnBuffer(l.r) }()
		l.r, l.legacy = borrowBuffer(old), old
	} else {
		l.r = b
	}
	if layout.skip {
		l.next()
	}
	first, err := l.nextFull()
	switch {
	case err == io.EOF:
		return r.reject(1, p.source, 0, "CSV without a header row")
	case err != nil:
		return r.brokenOff(first, p.stream, err)
	}
	header, reason := parseHeader(first.bytes, r.ids, l.dialect)
	if reason != "" {
		// Without a usable header no record can be read. Count the rest for the reject.
		for first.lines = 0; err == nil && r.ctx.Err() == nil && !r.o.First; first.lines++ {
			_, err = l.next()
		}
		first.rest = err != io.EOF
		return cmp.Or(r.ctx.Err(), r.rejectRecords(first, p.source, reason))
	}
	l.max, l.fields = r.o.maxRecordBytes(), len(header.names)
	if header.numbered {
		l.back()
	}
	err = r.readRecords(p, l, l.max, unit{header: header})
	r.warnOfCSV(l, p)
	return err
}

// warnOfCSV adds a warning for irregularities of a file as a whole.
func (r *reader) warnOfCSV(l *rows, p *probe) {
	var odd []string
	if l.legacy != nil && l.legacy.charset != "" {
		odd = append(odd, notUTF8(l.legacy.charset))
	}
	if l.odd > 0 {
		odd = append(odd, grouped(l.odd)+" of its rows have quotes that CSV does not allow; they are read as they stand")
	}
	if len(odd) > 0 {
		r.warn(p.source, strings.Join(odd, "; "))
	}
}

const (
	// maxHeaderBytes and maxColumns bound the header, which determines the layout of every record.
	// A spreadsheet has at most 16,384 columns.
	maxHeaderBytes = 1 << 20
	maxColumns     = 16384
)

// dialect is the delimiter and the quoting of a CSV file.
type dialect struct {
	between byte
	how     quoting
}

// delimiters are the candidates for the delimiter.
const delimiters = ",;\t|"

// layout describes how a delimiter splits the first rows of a file.
type layout struct {
	between byte
	skip    bool     // the first line only declares the delimiter, as Excel writes it: sep=;
	names   []string // the first row
	hasText bool     // the names include the text field
	rows    int      // number of rows after the first
	good    int      // rows with as many fields as the first
}

// layoutOf finds the delimiter of a file: the delimiter given by the user or by the first line,
// else the first candidate that gives the header the text field, else the candidate that splits
// most rows into as many fields as the header.
func layoutOf(p *probe) (best layout) {
	order := delimiters
	if strings.EqualFold(path.Ext(p.name), ".tsv") {
		order = "\t,;|"
	}
	head, skip := p.head, false
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	if sep := bytes.TrimRight(line, "\r"); len(sep) == 5 && bytes.HasPrefix(bytes.ToLower(sep), []byte("sep=")) {
		order, head, skip = string(sep[4:]), rest, true
	}
	if p.o.Delimiter != 0 {
		order = string(rune(p.o.Delimiter))
	}
	// A header with the text field outweighs any number of regular rows: texts contain commas, but
	// a header rarely contains the name of the text field by chance.
	worth := func(l layout) (n int) {
		if l.hasText {
			n += 1 << 20
		}
		if len(l.names) > 1 && 2*l.good >= l.rows {
			n += 1 + l.good
		}
		return n
	}
	for i, between := range []byte(order) {
		l := layout{between: between, skip: skip}
		rest := head
		for len(rest) > 0 && l.rows < sniffedRecords {
			line, behind, ended := bytes.Cut(rest, []byte("\n"))
			if !ended && !p.whole && l.names != nil {
				break
			}
			if rest = behind; len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			row, _ := splitRow(line, dialect{between, strict})
			if l.names == nil {
				l.names, l.hasText = row, len(textPlaces(row, p.ids)) > 0
				continue
			}
			if l.rows++; len(row) == len(l.names) {
				l.good++
			}
		}
		if i == 0 || worth(l) > worth(best) {
			best = l
		}
	}
	if len(best.names) == 1 && !skip && p.o.Delimiter == 0 {
		best.between = 0 // a single column of texts, where a comma is text
	}
	return best
}

// isNamedCSV reports whether the name of a stream has the extension .csv or .tsv.
func isNamedCSV(p *probe) bool {
	ext := strings.ToLower(path.Ext(p.name))
	return ext == ".csv" || ext == ".tsv"
}

// isCSV reports whether a stream with another name is CSV: its first line is a header of plausible
// names with the text field and at least one other, and at least half of the following rows have as
// many fields.
func isCSV(p *probe) bool {
	if line, _, _ := bytes.Cut(p.head, []byte("\n")); !slices.ContainsFunc(p.ids.text.fields, func(f field) bool { return bytes.Contains(line, []byte(f.name)) }) {
		return false
	}
	l := layoutOf(p)
	noName := func(s string) bool {
		return s == "" || len(s) > 64 || strings.TrimSpace(s) != s || strings.HasSuffix(s, ".")
	}
	return l.hasText && len(l.names) > 1 && l.good > 0 && 2*l.good >= l.rows && !slices.ContainsFunc(l.names, noName)
}

// sniffCSV determines the quoting. With tabs as delimiters, quotes are literal if literal quotes
// give every line as many fields as the header, and quoting does not. A field \N (NULL) indicates
// backslash escapes; so does a \" in a line that has the right number of fields only with escapes.
func sniffCSV(p *probe, between byte) dialect {
	head := p.head
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 && !p.whole {
		head = head[:end]
	}
	fields, quoted, literals, escapes := 0, true, true, false
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		row, closed := splitRow(line, dialect{between, strict})
		if fields == 0 {
			fields = len(row)
		}
		good := closed && len(row) == fields
		quoted = quoted && good
		plain, _ := splitRow(line, dialect{between, literal})
		literals = literals && len(plain) == fields
		escapes = escapes || slices.Contains(plain, `\N`) || slices.Contains(plain, `\N`+"\r")
		if bytes.Contains(line, []byte(`\"`)) {
			row, closed := splitRow(line, dialect{between, escaped})
			escapes = escapes || !good && closed && len(row) == fields
		}
	}
	switch {
	case escapes:
		return dialect{between, escaped}
	case between == '\t' && literals && !quoted:
		return dialect{between, literal}
	}
	return dialect{between, strict}
}

// header describes the fields of the CSV records of a file.
type header struct {
	names    []string
	id       int   // index of the id field, -1 if there is none
	text     []int // indexes of the text fields
	numbered bool  // there is no header row: fields are named by number
	between  byte
	ids      idRule
}

// parseHeader parses the header row, or returns the reason for rejecting it.
func parseHeader(row []byte, ids idRule, d dialect) (*header, string) {
	if len(row) > maxHeaderBytes {
		return nil, fmt.Sprintf("CSV header is over the limit of %d bytes", maxHeaderBytes)
	}
	names, _ := splitRow(row, d)
	if len(names) > maxColumns {
		return nil, fmt.Sprintf("CSV header has %d fields, over the limit of %d", len(names), maxColumns)
	}
	for i, name := range names {
		names[i] = strings.TrimSpace(readAsUTF8(name))
	}
	h, reason := newHeader(names, ids)
	if h != nil {
		h.between = d.between
	}
	return h, reason
}

// textPlaces returns the indexes of the text fields in a header.
func textPlaces(names []string, ids idRule) (places []int) {
	for _, f := range ids.text.of(func(name string) bool { return slices.Contains(names, name) }) {
		if at := slices.Index(names, f.name); at >= 0 {
			places = append(places, at)
		}
	}
	return places
}

// newHeader finds the id and text fields among the names of a header, in any position. All other
// fields are metadata. If the text field is a number that is not a name in the header, the file
// has no header row.
func newHeader(names []string, ids idRule) (*header, string) {
	h := &header{names: names, ids: ids, id: slices.Index(names, ids.field.name), text: textPlaces(names, ids)}
	// A text field such as 2 that is not the name of a column selects the column by position, in a
	// file without a header row.
	if n, err := strconv.Atoi(ids.text.fields[0].name); len(h.text) == 0 && err == nil && n > 0 {
		h = &header{numbered: true, ids: ids}
		for i := range names {
			h.names = append(h.names, strconv.Itoa(i+1))
		}
		h.id, h.text, names = slices.Index(h.names, ids.field.name), textPlaces(h.names, ids), h.names
	}
	switch {
	case len(h.text) == 0 && h.numbered:
		return nil, fmt.Sprintf("CSV has %d fields, but no field number %s", len(names), ids.text.name)
	case len(h.text) == 0:
		name := "NAME"
		if at := slices.IndexFunc(usual, func(s string) bool { return slices.Contains(names, s) }); at >= 0 {
			name = usual[at]
		}
		return nil, fmt.Sprintf("CSV header has no field %.40q, has %s; use --text-field %s, or --text-field 2 for the second field of a file without a header", ids.text.name, someNames(names), name)
	case h.id < 0 && ids.named:
		return nil, fmt.Sprintf("CSV header has no field %.40q, has %s; --id-field names another", ids.field.name, someNames(names))
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return nil, fmt.Sprintf("CSV header has field %.200q twice", name)
		}
		seen[name] = true
	}
	return h, ""
}

// csvDecoder decodes single records. It has no state.
type csvDecoder struct{}

// decode returns the document of a record. All fields but id and text are metadata.
func (csvDecoder) decode(raw []byte, h *header, how quoting) (Doc, string) {
	values, null, good := split(raw, dialect{h.between, how})
	if !good {
		return Doc{}, badQuotes
	}
	if len(values) != len(h.names) {
		return Doc{}, fmt.Sprintf("record has %d fields, the header %d", len(values), len(h.names))
	}
	isNull := func(i int) bool { return null != nil && null[i] }
	var doc Doc
	if h.id >= 0 && !isNull(h.id) {
		doc.ID = values[h.id]
	}
	if doc.ID == "" && h.ids.named {
		return doc, emptyID
	}
	var parts []string
	nulls := 0
	for _, at := range h.text {
		if isNull(at) {
			nulls++
		} else if values[at] != "" {
			parts = append(parts, values[at])
		}
	}
	if nulls == len(h.text) {
		return doc, fmt.Sprintf("field %q is null", h.ids.text.name)
	}
	doc.Text = strings.Join(parts, "\n\n")
	valid := true
	for i, name := range h.names {
		if i == h.id || slices.Contains(h.text, i) || !h.ids.keeps(name) {
			continue
		}
		if doc.Meta == nil {
			doc.Meta = make(map[string]any, len(h.names))
		}
		if isNull(i) {
			doc.Meta[name] = nil
			continue
		}
		valid = valid && utf8.ValidString(values[i])
		doc.Meta[name] = readAsUTF8(values[i])
	}
	if !valid {
		doc.Warnings = append(doc.Warnings, "invalid UTF-8 in metadata, read as U+FFFD")
	}
	return doc, ""
}

// readAsUTF8 replaces each invalid byte by U+FFFD, because metadata is JSON.
func readAsUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
