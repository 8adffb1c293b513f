package ingest

// A JSON array of objects: each element is a record like a line of JSONL, however long the
// array is.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// isArray reports whether a stream begins as a JSON array.
func isArray(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, utf8BOM)), []byte("["))
}

// isArrayOfObjects reports whether the first element of an array is an object. A file of
// other values that is in a directory by chance is a text.
func isArrayOfObjects(head []byte) bool {
	_, first, _ := bytes.Cut(head, []byte("["))
	return bytes.HasPrefix(bytes.TrimSpace(first), []byte("{"))
}

// elements cuts an array into its elements. Whether each is valid is seen when it is decoded:
// here only brackets and strings count. It keeps at most max bytes of an element.
type elements struct {
	r     *bufio.Reader
	max   int64
	line  int64 // in which the reader is
	n     int64 // elements begun
	begun bool
	buf   []byte
}

// next returns the next element, and io.EOF behind the end of the array.
func (e *elements) next() (record, error) {
	c, err := e.mark()
	if !e.begun {
		if err == nil && c != '[' {
			err = formError("not a JSON array")
		}
		e.begun = true
		if err == nil {
			c, err = e.mark()
		}
		if err == nil && c == ']' {
			return e.ended()
		}
	} else if err == nil {
		switch c {
		case ']':
			return e.ended()
		case ',':
			c, err = e.mark()
		default:
			err = formError(fmt.Sprintf("invalid JSON: %q behind element %d, want , or ]", c, e.n))
		}
	}
	rec := record{line: e.line, n: e.n + 1}
	if err != nil {
		return rec, unexpected(err)
	}
	e.n++
	e.buf = e.buf[:0]
	err = e.element(&rec, c)
	rec.bytes = e.buf
	return rec, unexpected(err)
}

// ended checks that nothing comes behind the array.
func (e *elements) ended() (record, error) {
	c, err := e.mark()
	if err == nil {
		err = formError(fmt.Sprintf("invalid JSON: %q behind the array", c))
	}
	return record{line: e.line, n: e.n + 1}, err
}

// element reads up to the end of the element that begins with c.
func (e *elements) element(rec *record, c byte) (err error) {
	depth, inString, escaped := 0, false, false
	for {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == ']' && depth == 0 || c == ',' && depth == 0: // behind a number or a word
			return e.r.UnreadByte()
		case c == '}' || c == ']':
			if depth--; depth <= 0 {
				e.keep(rec, c)
				return nil
			}
		}
		e.keep(rec, c)
		if c, err = e.r.ReadByte(); err != nil {
			return err
		}
		if c == '\n' {
			e.line++
		}
	}
}

func (e *elements) keep(rec *record, c byte) {
	if rec.size++; rec.size <= e.max {
		e.buf = append(e.buf, c)
	}
}

// mark returns the next byte that is no white space.
func (e *elements) mark() (byte, error) {
	for {
		c, err := e.r.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case c == '\n':
			e.line++
		case c != ' ' && c != '\t' && c != '\r':
			return c, nil
		}
	}
}

// unexpected is an end of the stream before that of the array.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
