package ingest

// JSON values in sequence: the elements of an array of any length, or objects over several lines.
// Each is a record like a line of JSONL.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxJSONDepth is the nesting limit of jsontext.
const maxJSONDepth = 10_000

// elements splits an array into its elements, or a sequence into its values. It checks only
// brackets, strings and the places of values; the decoder validates the rest. It keeps at most max
// bytes of an element. A broken element becomes one record with a reason, and reading continues at
// the next line that starts a record.
type elements struct {
	r        *bufio.Reader
	max      int64
	sequence bool  // values without an enclosing array
	wrapped  bool  // an object encloses the array
	line     int64 // current line
	n        int64 // elements started
	begun    bool
	resumed  bool // at the beginning of a record after a broken one
	done     bool // ignore the rest
	buf      []byte
	stack    []byte // open brackets
	indent   int    // of lines that start a record
	column   int    // of the next byte in its line, -1 after a byte that is not white space
}

// next returns the next element, and io.EOF after the last.
func (e *elements) next() (record, error) {
	if e.done {
		return record{}, io.EOF
	}
	rec, c, err := e.begin()
	if err != nil {
		return rec, err
	}
	e.n++
	e.buf = e.buf[:0]
	if err = e.element(&rec, c); err != nil {
		if wrong, ok := errors.AsType[formError](err); ok {
			return e.resume(rec, wrong.Error())
		}
	}
	rec.bytes = e.buf
	return rec, unexpectedEOF(err)
}

// begin advances to the first byte of the next element.
func (e *elements) begin() (rec record, c byte, err error) {
	c, err = e.mark()
	place := func() record { return record{line: e.line, n: e.n + 1} }
	switch {
	case e.sequence && err == io.EOF:
		return place(), 0, err
	case err != nil:
	case e.sequence && c == ',' && e.begun:
		c, err = e.mark()
	case e.sequence:
	case !e.begun && c != '[':
		err = formError("not a JSON array")
	case !e.begun:
		if c, err = e.mark(); err == nil && c == ']' {
			return e.checkEnd()
		}
	case c == ']':
		return e.checkEnd()
	case c == ',':
		if c, err = e.mark(); err == nil && c == ']' { // a trailing comma, as some programs write it
			return e.checkEnd()
		}
	case !e.resumed && (c != '{' || e.column <= 0):
		err = formError(fmt.Sprintf("invalid JSON: %q behind element %d, want , or ]", c, e.n))
	}
	e.begun, e.resumed = true, false
	if c == '{' && e.column > 0 {
		e.indent = max(e.indent, e.column)
	}
	return place(), c, unexpectedEOF(err)
}

// checkEnd checks that nothing follows the array, except the end of an enclosing object.
func (e *elements) checkEnd() (record, byte, error) {
	rec := record{line: e.line, n: e.n + 1}
	c, err := e.mark()
	if e.wrapped {
		err = e.unwrap(c, err)
	} else if err == nil {
		err = formError(fmt.Sprintf("invalid JSON: %q behind the array", c))
	}
	return rec, 0, err
}

// unwrap reads the rest of the object around an array. It fails on another array of objects,
// because these could be the wanted records.
func (e *elements) unwrap(c byte, err error) error {
	inString, escaped, before := false, false, byte(0)
	for ; err == nil; c, err = e.r.ReadByte() {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{' && before == '[':
			return formError("behind the array stands another one of objects, which is not read; take it out into a file of its own")
		}
		if c > ' ' {
			before = c
		}
	}
	if err == io.EOF && before != '}' {
		return io.ErrUnexpectedEOF
	}
	return err
}

// element reads up to the end of the element that begins with c.
func (e *elements) element(rec *record, c byte) (err error) {
	inString, escaped, before := false, false, byte(0)
	e.stack = e.stack[:0]
	for {
		switch {
		case escaped:
			escaped = false
		case inString:
			if escaped, inString = c == '\\', c != '"'; c == '\n' {
				return formError("invalid JSON: a string goes over the end of its line")
			}
		case c < ' ' && c != '\t' && c != '\n' && c != '\r':
			return formError(fmt.Sprintf("invalid JSON: %q", c))
		case len(e.stack) == 0 && before != 0 && (c == ']' || c == ',' || c <= ' '): // after a number or a word
			e.unread(c)
			return nil
		case c == '"' || c == '{' || c == '[':
			if reason := misplaced(c, before, e.stack); reason != "" {
				if e.column > 0 { // first in its line: it may be the next record
					e.unread(c)
				}
				return formError(reason)
			}
			if inString = c == '"'; !inString {
				e.stack = append(e.stack, c)
			}
		case c == '}' || c == ']':
			if len(e.stack) == 0 || e.stack[len(e.stack)-1] != c-2 {
				return formError(fmt.Sprintf("invalid JSON: %q closes nothing", c))
			}
			e.stack = e.stack[:len(e.stack)-1]
		}
		e.keep(rec, c)
		if inString && !escaped {
			e.inside(rec)
		}
		if c > ' ' || inString {
			before = c
		}
		if (c == '}' || c == ']' || c == '"') && len(e.stack) == 0 && !inString {
			return nil
		}
		if c, err = e.read(); err != nil {
			if err == io.EOF && e.sequence && len(e.stack) == 0 && !inString {
				return nil
			}
			return err
		}
	}
}

// inside reads a string up to the next quote, backslash or newline.
func (e *elements) inside(rec *record) {
	part, _ := e.r.Peek(e.r.Buffered())
	if end := bytes.IndexAny(part, "\"\\\n"); end >= 0 {
		part = part[:end]
	}
	rec.size += int64(len(part))
	e.buf = append(e.buf, part[:min(int64(len(part)), max(e.max-int64(len(e.buf)), 0))]...)
	e.r.Discard(len(part))
	if len(part) > 0 {
		e.column = -1
	}
}

// misplaced returns the reason that no value can begin with c after the byte before, or "".
func misplaced(c, before byte, stack []byte) string {
	switch {
	case len(stack) >= maxJSONDepth:
		return fmt.Sprintf("invalid JSON: nested more than %d deep", maxJSONDepth)
	case len(stack) > 0 && before != '{' && before != '[' && before != ',' && before != ':',
		len(stack) > 0 && stack[len(stack)-1] == '{' && c != '"' && before != ':':
		return fmt.Sprintf("invalid JSON: %q behind %q", c, before)
	}
	return ""
}

// resume skips a broken element, to the next line that starts a record.
func (e *elements) resume(rec record, reason string) (record, error) {
	for {
		var ahead []byte
		_, err := e.r.Peek(1)
		// A line starts a record if its first brace is indented no deeper than the records before.
		// A deeper brace belongs to the broken element.
		for n := 1; err == nil && e.column >= 0 && n <= max(e.indent, 2)-e.column; n++ {
			if ahead, err = e.r.Peek(n); err == nil && ahead[n-1] == '{' {
				e.resumed = true
				rec.lines = max(e.line-rec.line, 1)
				if rec.reason = reason; rec.lines > 1 {
					rec.reason += fmt.Sprintf("; %s lines lost", grouped(rec.lines))
				}
				return rec, nil
			}
			if err == nil && !bytes.ContainsRune([]byte(" \t,["), rune(ahead[n-1])) {
				break
			}
		}
		more := 0
		for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
			ahead, err = e.r.ReadSlice('\n')
			more += len(ahead)
		}
		if e.column = 0; more > 0 {
			e.line++
		}
		if err == io.EOF {
			e.done = true
			rec.lines, rec.rest = e.line-rec.line, true
			rec.reason = reason + "; no record begins behind it, nothing more is read"
			return rec, nil
		}
		if err != nil {
			return rec, err
		}
	}
}

// keep appends a byte up to the limit.
func (e *elements) keep(rec *record, c byte) {
	if rec.size++; rec.size <= e.max {
		e.buf = append(e.buf, c)
	}
}

// read returns the next byte and tracks its line and column.
func (e *elements) read() (byte, error) {
	c, err := e.r.ReadByte()
	switch {
	case err != nil:
	case c == '\n':
		e.line++
		e.column = 0
	case e.column >= 0 && (c == ' ' || c == '\t' || c == ',' || c == '{' || c == '['):
		e.column++
	default:
		e.column = -1
	}
	return c, err
}

// unread returns the last byte to the input.
func (e *elements) unread(c byte) {
	e.r.UnreadByte()
	switch {
	case c == '\n':
		e.line--
		e.column = -1
	case e.column > 0:
		e.column--
	}
}

// mark returns the next byte that is not white space.
func (e *elements) mark() (byte, error) {
	for {
		c, err := e.read()
		if err != nil || c > ' ' || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, err
		}
	}
}

// unexpectedEOF converts the end of the stream within an array to io.ErrUnexpectedEOF.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// skipBytes skips n bytes of a stream, and returns the number of newlines in them.
func skipBytes(b *bufio.Reader, n int) (lines int64, err error) {
	for n > 0 && err == nil {
		var part []byte
		part, err = b.Peek(min(n, bufferBytes))
		lines += int64(bytes.Count(part, []byte("\n")))
		n -= len(part)
		b.Discard(len(part))
	}
	return lines, err
}
