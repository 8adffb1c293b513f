package dump

// Reading a dump: each line is verified before its content is returned.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// The errors of a dump; test with errors.Is.
var (
	ErrNoDump  = errors.New("not a dump of simdb")
	ErrVersion = errors.New("a dump of another version of simdb")
	ErrDamaged = errors.New("damaged dump")
)

// Reader reads a dump. It must not be used concurrently.
type Reader struct {
	r    *bufio.Reader
	max  int64 // maximum bytes of a line
	line int64 // number of the last line read
	buf  []byte
	crc  uint32
	had  endLine
	done bool
}

// NewReader starts to read a dump with lines of at most max bytes.
func NewReader(r io.Reader, max int64) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// Line returns the number of the last line that Next has read, from 1.
func (d *Reader) Line() int64 { return d.line }

// anyLine has the fields of all kinds of lines.
type anyLine struct {
	Version     *int            `json:"simdb_dump"`
	Collection  *string         `json:"collection"`
	Settings    json.RawMessage `json:"settings"`
	Groups      json.RawMessage `json:"groups"`
	Collections int64           `json:"collections"`
	Documents   int64           `json:"documents"`
	Unreadable  int64           `json:"unreadable"`
	End         bool            `json:"end"`
	documentLine
}

// Next returns the next collection, or the next document of the last one. At the
// verified end of the dump it returns io.EOF.
func (d *Reader) Next() (*Collection, *Document, error) {
	if d.done {
		return nil, nil, io.EOF
	}
	for {
		l, err := d.next()
		switch {
		case err != nil:
			return nil, nil, err
		case d.line == 1 && l.Version == nil:
			return nil, nil, fmt.Errorf("%w: its first line is not the head of a dump", ErrNoDump)
		case d.line == 1 && *l.Version != version:
			return nil, nil, fmt.Errorf("%w: it has version %d, this program reads %d; restore it with the version that wrote it, or a later one", ErrVersion, *l.Version, version)
		case d.line == 1:
		case l.End:
			return nil, nil, d.ended(l)
		case l.Collection != nil:
			d.had.Collections++
			return &Collection{Name: *l.Collection, Settings: l.Settings, Groups: l.Groups, Documents: l.Documents}, nil, nil
		case l.ID == "" && len(l.ID64) == 0:
			return nil, nil, d.damaged("neither a collection nor a document nor the end")
		case d.had.Collections == 0:
			return nil, nil, d.damaged("a document before the first collection")
		default:
			d.had.Documents++
			return nil, l.document(), nil
		}
	}
}

// document returns the document of a line.
func (l *anyLine) document() *Document {
	doc := &Document{ID: l.ID + string(l.ID64), Text: string(l.Text64), Tokens: l.Tokens, Lexed: l.Lexed, Meta: l.Meta}
	if l.Text != nil {
		doc.Text = *l.Text
	}
	if l.Tokens64 != nil {
		doc.Tokens = make([]string, len(l.Tokens64))
		for i, t := range l.Tokens64 {
			doc.Tokens[i] = string(t)
		}
	}
	if len(l.Meta64) > 0 {
		doc.Meta = l.Meta64
	}
	return doc
}

// ended verifies the last line, and that nothing follows it.
func (d *Reader) ended(l *anyLine) error {
	if l.Collections != d.had.Collections || l.Documents != d.had.Documents {
		return d.damaged("the end counts %d collections and %d documents, but there were %d and %d",
			l.Collections, l.Documents, d.had.Collections, d.had.Documents)
	}
	_, err := d.r.Peek(1)
	if err == nil {
		d.line++
		return d.damaged("data after the end: another dump, or the same one twice")
	}
	if err == io.EOF {
		d.done = true
	}
	return err
}

// next reads a line and verifies its crc.
func (d *Reader) next() (*anyLine, error) {
	b, err := d.readLine()
	if err != nil {
		return nil, err
	}
	b, crc, ok := cutCRC(b)
	if !ok {
		if d.line == 1 {
			return nil, fmt.Errorf("%w: its first line has no crc; to read texts, use import", ErrNoDump)
		}
		return nil, d.damaged("the line does not end in its crc")
	}
	d.crc = crc32.Update(d.crc, castagnoli, b)
	if !bytes.Equal(fmt.Appendf(nil, crcFormat, d.crc), crc) {
		return nil, d.damaged("wrong crc: the line is damaged, or an earlier line is missing or repeated")
	}
	var l anyLine
	dec := json.NewDecoder(io.MultiReader(bytes.NewReader(b), strings.NewReader("}")))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return nil, d.damaged("%v", err)
	}
	return &l, nil
}

// cutCRC splits a line into its content and its crc.
func cutCRC(line []byte) (rest, crc []byte, ok bool) {
	at := len(line) - crcBytes
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(`,"crc":"`)) {
		return nil, nil, false
	}
	return line[:at], line[at:], true
}

// readLine returns a line without its line end, valid until the next call.
func (d *Reader) readLine() ([]byte, error) {
	d.buf = d.buf[:0]
	d.line++
	for {
		part, err := d.r.ReadSlice('\n')
		if int64(len(d.buf)+len(part)) > d.max {
			return nil, d.damaged("the line is longer than %d bytes", d.max)
		}
		switch {
		case err == nil && len(d.buf) == 0:
			return part[:len(part)-1], nil
		case err == nil:
			d.buf = append(d.buf, part...)
			return d.buf[:len(d.buf)-1], nil
		case err == bufio.ErrBufferFull:
			d.buf = append(d.buf, part...)
		case err == io.EOF && d.line == 1 && len(d.buf)+len(part) == 0:
			return nil, fmt.Errorf("%w: it is empty", ErrNoDump)
		case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
			return nil, d.damaged("it is cut off here")
		default:
			return nil, fmt.Errorf("line %d: %w", d.line, err)
		}
	}
}

// damaged returns an ErrDamaged with the number of the line.
func (d *Reader) damaged(format string, args ...any) error {
	return fmt.Errorf("%w: line %d: %s", ErrDamaged, d.line, fmt.Sprintf(format, args...))
}
