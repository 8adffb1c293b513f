package ingest

// Splitting a stream into records of any length, in bounded memory.

import (
	"bufio"
	"io"
)

// lines splits a stream into lines, each a record. It keeps at most max bytes of a line.
type lines struct {
	r    *bufio.Reader
	max  int64
	line int64 // lines started so far
	buf  []byte
}

// record is one record, unchanged from the input. Its bytes are valid until the next call, and
// fewer than size if size exceeds the limit.
type record struct {
	bytes  []byte
	size   int64
	line   int64  // 1-based line of its beginning
	reason string // of a reject, or ""
	n      int64  // 1-based number of the record; of a line, its line number
	lines  int64  // number of lines that a reject covers, 0 for the record alone
	rest   bool   // the reject covers the rest of the file
	how    quoting
}

// next returns the next record, and io.EOF after the last. With any other error the record has the
// place of the failure and incomplete bytes.
func (l *lines) next() (record, error) {
	l.buf = l.buf[:0]
	rec := record{line: l.line + 1, n: l.line + 1}
	for {
		part, err := l.r.ReadSlice('\n')
		rec.size += int64(len(part))
		if err == nil {
			l.line++
		}
		switch {
		case err == nil, err == io.EOF && rec.size > 0:
			if int64(len(part)) == rec.size {
				rec.bytes = part // common case: no copy
			} else {
				l.keep(part)
				rec.bytes = l.buf
			}
			return rec, nil
		case err != nil && err != bufio.ErrBufferFull:
			return rec, err
		}
		l.keep(part)
	}
}

// keep appends to the record up to the limit.
func (l *lines) keep(part []byte) {
	room := max(l.max-int64(len(l.buf)), 0)
	l.buf = append(l.buf, part[:min(int64(len(part)), room)]...)
}
