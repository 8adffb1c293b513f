package ingest

// Splitting CSV into rows. A row ends with its line unless a quoted field continues. Programs write
// quotes in many ways that RFC 4180 does not allow, and an unclosed quote must not swallow the
// following rows. Therefore a row is read by the first quoting rule that yields as many fields as
// the header has.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// rows splits a stream into the rows of a table. After an unclosed quote it looks ahead by lines,
// at most max bytes.
type rows struct {
	r      *bufio.Reader
	legacy *legacyText
	max    int64
	dialect
	fields int   // of the header; 0 before the header is read
	line   int64 // lines consumed so far
	odd    int64 // rows that violate RFC 4180

	window []byte
	begin  int // of the unconsumed bytes
	ends   []lineEnd
	first  int // first unconsumed line
	err    error

	last, lastLines int // bytes and lines of the row that was cut last
}

// lineEnd is the end of a line in the window, and its size, which may exceed the part in the
// window.
type lineEnd struct {
	end  int
	size int64
}

// back returns the first row of a file to the input.
func (l *rows) back() {
	l.begin -= l.last
	l.first -= l.lastLines
	l.line -= int64(l.lastLines)
}

// nextFull returns the next row that is not blank.
func (l *rows) nextFull() (rec record, err error) {
	for {
		if rec, err = l.next(); err != nil || len(bytes.TrimSpace(rec.bytes)) > 0 {
			return rec, err
		}
	}
}

// next returns the next row, and io.EOF after the last.
func (l *rows) next() (record, error) {
	l.compact()
	line, ok := l.ahead(0)
	rec := record{line: l.line + 1, n: l.line + 1}
	if !ok {
		return rec, l.err
	}
	if l.ends[l.first].size > l.max || l.how == literal || bytes.IndexByte(line, '"') < 0 && (l.how != escaped || bytes.IndexByte(line, '\\') < 0) {
		return l.take(rec, 1, l.how), nil
	}
	k, state := l.reads(l.how, l.max)
	// Before the header there is no number of fields to compare with, so the first reading counts.
	if state == rowGood || l.fields == 0 {
		return l.take(rec, max(k, 1), l.how), nil
	}
	// The rules apply to the line alone first: most faulty quotes stay within their line. Only then
	// may a faulty row span lines.
	for _, how := range []quoting{escaped, loose, spliced, literal} {
		if how == escaped && !bytes.Contains(line, []byte(`\"`)) {
			continue
		}
		if row, good := splitRow(line, dialect{l.between, how}); good && len(row) == l.fields && l.rowFollows(1, state >= rowOpen) {
			l.odd++
			return l.take(rec, 1, how), nil
		}
	}
	if k := l.readsLoose(); k > 0 {
		l.odd++
		return l.take(rec, k, loose), nil
	}
	if k == 1 && state == rowOtherwise {
		return l.take(rec, 1, l.how), nil // the decoder reports the number of fields
	}
	rec = l.lose(rec)
	if state == rowLong {
		rec.reason = fmt.Sprintf("a quote is not closed, or the record is over the limit of %d bytes, for which --max-doc is", l.max)
	}
	if rec.lines > 1 {
		rec.reason += fmt.Sprintf("; %s lines lost", grouped(rec.lines))
	}
	return rec, nil
}

// compact drops consumed bytes from the window.
func (l *rows) compact() {
	switch {
	case len(l.ends) == l.first:
		l.window, l.begin, l.ends, l.first = l.window[:0], 0, l.ends[:0], 0
	case l.begin > bufferBytes && l.begin > len(l.window)/2:
		n := copy(l.window, l.window[l.begin:])
		l.ends = l.ends[:copy(l.ends, l.ends[l.first:])]
		for i := range l.ends {
			l.ends[i].end -= l.begin
		}
		l.window, l.begin, l.first = l.window[:n], 0, 0
	}
}

// lose skips to the next line that is a row.
func (l *rows) lose(rec record) record {
	rec = l.take(rec, 1, l.how)
	rec.lines = 1
	for {
		if line, ok := l.ahead(0); !ok || len(bytes.TrimSpace(line)) > 0 && l.rowFollows(0, false) {
			break
		}
		rec.lines++
		l.take(record{}, 1, l.how)
		l.compact() // release the lost lines
	}
	rec.bytes, rec.size = nil, 0
	rec.reason = badQuotes
	return rec
}

const badQuotes = "a quote is not closed, or stands where CSV does not allow it"

// looseAhead is the maximum distance in bytes to the end of a quoted field with quotes in it.
const looseAhead = 64 << 10

// rowState is the result of trying to read a row.
type rowState uint8

const (
	rowGood      rowState = iota
	rowOtherwise          // it has another number of fields than the header
	rowBad                // it has a quote in an invalid place
	rowOpen               // a quote is not closed
	rowLong               // a quote is not closed within the limit
)

// reads returns the number of lines of the next row under a quoting rule, and the result.
func (l *rows) reads(how quoting, most int64) (lines int, state rowState) {
	q := quotes{dialect: dialect{l.between, how}}
	from := l.begin
	for k := 0; ; k++ {
		line, ok := l.ahead(k)
		if !ok {
			if l.err == io.EOF && k > 0 && q.backslash {
				break
			}
			return k, rowOpen
		}
		open := q.scan(line)
		if q.bad {
			return k + 1, rowBad
		}
		if open && l.fields > 0 && q.fields >= l.fields { // not a row, wherever the quote ends
			return k + 1, rowOpen
		}
		if !open {
			lines = k + 1
			if len(line) == 0 || line[len(line)-1] != '\n' {
				q.fields++
			}
			break
		}
		if int64(l.ends[l.first+k].end-from) > most {
			return k + 1, rowLong
		}
	}
	if q.fields != l.fields && l.fields > 0 {
		return lines, rowOtherwise
	}
	return lines, rowGood
}

// readsLoose returns the number of lines of the next row if quotes in its quoted fields are literal
// unless the row can end after them; 0 if that yields no row.
func (l *rows) readsLoose() (lines int) {
	q := quotes{dialect: dialect{l.between, loose}}
	from := l.begin
	for k := 0; ; k++ {
		line, ok := l.ahead(k)
		if !ok || int64(l.ends[l.first+k].end-from) > looseAhead {
			return 0
		}
		for _, c := range bytes.TrimRight(line, "\r\n") {
			q.step(c)
		}
		switch {
		case q.state != inQuotes && q.fields+1 == l.fields && l.rowFollows(k+1, true):
			return k + 1
		case q.state != inQuotes && q.state != afterQuote:
			return 0
		}
		q.step('\n')
	}
}

// rowFollows reports whether the k-th unconsumed line is a row, or blank lines precede a row. The
// end of the file counts too, unless the row before it is open: then the file may be truncated.
func (l *rows) rowFollows(k int, open bool) bool {
	for ; ; k++ {
		line, ok := l.ahead(k)
		if !ok {
			return !open
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		q := quotes{dialect: l.dialect}
		goesOn := q.scan(line)
		if !goesOn && line[len(line)-1] != '\n' {
			q.fields++
		}
		if goesOn || q.bad {
			row, _ := splitRow(line, dialect{l.between, literal})
			apart, good := splitRow(line, dialect{l.between, loose})
			return len(row) == l.fields || good && len(apart) == l.fields || goesOn && q.fields < l.fields && q.fields > 0
		}
		return q.fields == l.fields
	}
}

// take consumes a row of the given number of lines.
func (l *rows) take(rec record, lines int, how quoting) record {
	taken := l.ends[l.first : l.first+lines]
	end := taken[lines-1].end
	rec.bytes, rec.how = l.window[l.begin:end], how
	for _, e := range taken {
		rec.size += e.size
	}
	l.last, l.lastLines = end-l.begin, lines
	l.begin = end
	l.first += lines
	l.line += int64(lines)
	return rec
}

// ahead returns the k-th unconsumed line, or false after the last.
func (l *rows) ahead(k int) ([]byte, bool) {
	k += l.first
	for len(l.ends) <= k {
		if l.err != nil || !l.fill() {
			return nil, false
		}
	}
	begin := l.begin
	if k > l.first {
		begin = l.ends[k-1].end
	}
	return l.window[begin:l.ends[k].end], true
}

// fill reads a line into the window, at most max+1 bytes of it.
func (l *rows) fill() bool {
	var size int64
	for {
		part, err := l.r.ReadSlice('\n')
		room := max(l.max+1-size, 0)
		size += int64(len(part))
		l.window = append(l.window, part[:min(int64(len(part)), room)]...)
		switch {
		case err == nil, err == io.EOF && size > 0:
			l.ends = append(l.ends, lineEnd{len(l.window), size})
			return true
		case err != bufio.ErrBufferFull:
			l.window = l.window[:len(l.window)-int(min(size, l.max+1))]
			l.err = err
			return false
		}
	}
}
