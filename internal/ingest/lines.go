package ingest

// Cutting a stream into records, however long they are, in bounded memory.

import (
	"bufio"
	"io"
)

// lines cuts a stream into lines, each a record. It keeps at most max bytes of one.
type lines struct {
	r    *bufio.Reader
	max  int64
	line int64 // lines begun so far
	buf  []byte
}

// record is one record: its bytes as in the input, valid until the next one is
// read. If size is over the limit, there are fewer bytes than size.
type record struct {
	bytes  []byte
	size   int64
	line   int64  // 1-based, where it begins
	reason string // why it is rejected, or ""
	n      int64  // 1-based, of those before it and itself; of a line, its number
	lines  int64  // that a reject covers, 0 for the record alone
	rest   bool   // a reject: nothing behind it is read
	how    quoting
}

// next returns the next record, and io.EOF after the last one. With any other
// error the record says where the input broke off, and its bytes are not
// complete.
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
				rec.bytes = part // the usual case: not copied
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

func (l *lines) keep(part []byte) {
	room := max(l.max-int64(len(l.buf)), 0)
	l.buf = append(l.buf, part[:min(int64(len(part)), room)]...)
}
