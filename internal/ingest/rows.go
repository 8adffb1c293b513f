package ingest

// Cutting CSV into its rows. A row ends with its line, unless a quoted field goes on. Programs
// write quotes in many ways that RFC 4180 does not allow, and a quote that is never closed must not
// swallow what follows: a row is read in the first of these ways that gives it as many fields as
// the header has.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// rows cuts a stream into the rows of a table. Lines ahead are looked at where a quote is not
// closed; at most max bytes.
type rows struct {
	r      *bufio.Reader
	legacy *legacyText
	max    int64
	dialect
	fields int   // of the header; 0 while it is not known
	line   int64 // lines cut so far
	odd    int64 // rows that are not as RFC 4180 has them

	window []byte
	begin  int // of what is not cut yet
	ends   []lineEnd
	first  int // line that is not cut yet
	err    error

	last, lastLines int // bytes and lines of the row that was cut last
}

// lineEnd is where a line ends in the window, and how long it is: more than is kept, perhaps.
type lineEnd struct {
	end  int
	size int64
}

// back takes back the first row of a file.
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

// next returns the next row, and io.EOF behind the last one.
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
	if state == rowGood || l.fields == 0 {
		return l.take(rec, max(k, 1), l.how), nil
	}
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
		return l.take(rec, 1, l.how), nil // that is the reason
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

// compact drops what was cut.
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

// lose goes to the next line that is a row.
func (l *rows) lose(rec record) record {
	rec = l.take(rec, 1, l.how)
	rec.lines = 1
	for {
		if line, ok := l.ahead(0); !ok || len(bytes.TrimSpace(line)) > 0 && l.rowFollows(0, false) {
			break
		}
		rec.lines++
		l.take(record{}, 1, l.how)
		l.compact() // what is lost is not kept
	}
	rec.bytes, rec.size = nil, 0
	rec.reason = badQuotes
	return rec
}

const badQuotes = "a quote is not closed, or stands where CSV does not allow it"

// looseAhead is how far a quoted field with quotes in it is looked for its end.
const looseAhead = 64 << 10

// rowState is how a row reads.
type rowState uint8

const (
	rowGood      rowState = iota
	rowOtherwise          // it has other fields than the header
	rowBad                // it has a quote where none may be
	rowOpen               // a quote is not closed
	rowLong               // nor within the limit
)

// reads reports of how many lines the next row is, and how it reads.
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
		if open && l.fields > 0 && q.fields >= l.fields { // it is no row, wherever the quote ends
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

// readsLoose reports of how many lines the next row is, if quotes in its quoted fields are
// characters unless the row can end with them; 0 if it is none.
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

// rowFollows reports whether the k-th line ahead is a row, or blank lines and then a row. The end of
// the file is one too, unless the row before it is open: then the file may be cut off.
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

// take cuts a row of so many lines.
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

// ahead returns the k-th line that is not cut yet, or false behind the last.
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

// fill reads a line into the window, of which it keeps at most a byte more than max.
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
