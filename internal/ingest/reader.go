package ingest

// The reading goroutine opens the inputs, decompresses them, detects their formats and puts units
// into chunks.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/simdb/simdb/api"
)

// reader reads the inputs and fills chunks. Its methods return an error only to stop the import;
// every fault of the input is a reject.
type reader struct {
	ctx   context.Context
	o     Options
	ids   idRule
	skip  *rules // patterns excluded from archives
	run   uint64
	after cursor // skip input up to and including it
	alone bool   // the input is the only named path, and a file
	met   bool   // after has been reached, or is the beginning
	pipe  *pipeline
	at    cursor // current position
	trail trail  // checksum of the input so far
	as    string // detected format of the stream
	chunk *chunk // nil if empty
	text  []byte // buffer of readText
}

// stream is an opened input.
type stream struct {
	source string // for messages
	path   string // below the base of the import; determines the id of a text
	name   string // its extension indicates the format
	named  bool   // the only named path
	stdin  bool
	depth  int     // 1 in an archive
	taken  *File   // set if Options.Take accepted the file
	size   int64   // bytes to come, -1 if unknown
	file   fs.File // nil if the stream is decompressed or in an archive

	packed string // name of the compression, or ""

	expansion *expansion // of the outermost file
}

// readAll reads all inputs and sends the last chunk.
func (r *reader) readAll(inputs []input) error {
	for i, in := range inputs {
		r.at = cursor{path: i}
		if err := r.readInput(in); err != nil {
			return r.locateChange(err, inputs)
		}
	}
	if !r.met {
		return r.locateChange(api.ErrChanged, inputs)
	}
	return r.flush()
}

// locateChange adds the position of the change to api.ErrChanged and keeps other errors.
func (r *reader) locateChange(err error, inputs []input) error {
	if err != api.ErrChanged {
		return err
	}
	last := path.Join(filepath.ToSlash(inputs[r.after.path].path), r.after.file)
	return fmt.Errorf("%w: what was read up to %s is not what stands there now; import again without --resume", err, last)
}

// readInput reads one named path.
func (r *reader) readInput(in input) error {
	if in.passed {
		return nil
	}
	r.alone = !in.several && !in.mode.IsDir()
	if !in.mode.IsDir() {
		r.trail.enterFile("", in.stamp)
		if r.at.path < r.after.path {
			return nil
		}
	}
	switch {
	case in.stdin:
		// A read of a terminal or a pipe cannot be interrupted, so it has its own goroutine, which
		// the import does not wait for.
		e := &expansion{ratio: r.o.MaxRatio, size: -1}
		ahead := newAhead(r.ctx, packed{r.countReads(r.o.Stdin), e})
		return r.readStream(ahead, stream{source: in.at, path: in.at, name: in.at, named: true, stdin: true, size: -1, expansion: e})
	case in.mode.IsDir():
		return r.readDir(in)
	case in.mode&fs.ModeSymlink != 0:
		return r.reject(1, in.path, 0, symbolicLink+": to follow it, name it alone, or name what it leads to")
	case !in.mode.IsRegular():
		return r.reject(1, in.path, 0, notRegular)
	}
	f, err := in.open()
	if err != nil {
		return r.reject(1, in.path, 0, cause(err)) // removed or replaced since resolve
	}
	defer f.Close()
	return r.readFile(f, stream{source: in.path, path: in.at, name: in.path, named: !in.several})
}

// open opens a named file.
func (in input) open() (fs.File, error) {
	if in.fsys != nil {
		return in.fsys.Open(in.path)
	}
	return os.Open(in.path)
}

// readFile reads an opened file.
func (r *reader) readFile(f fs.File, s stream) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return r.reject(1, s.source, 0, cause(err))
	case !info.Mode().IsRegular():
		return r.reject(1, s.source, 0, notRegular)
	}
	s.size, s.file = info.Size(), f
	s.expansion = &expansion{ratio: r.o.MaxRatio, size: s.size}
	return r.readStream(r.countReads(f), s)
}

// readStream decompresses a stream if necessary, and reads it.
func (r *reader) readStream(in io.Reader, s stream) error {
	b := borrowBuffer(in)
	defer returnBuffer(b)
	head, err := peek(b, sniffBytes)
	if err != nil {
		return r.failed(1, s, 0, err)
	}
	if w := compression(head); w != nil {
		return r.readCompressed(w, head, b, s)
	}
	if unwrappedName(s.name) != s.name && beginsCompressed(head) {
		return r.failed(1, s, 0, io.ErrUnexpectedEOF)
	}
	return r.readUnwrapped(b, s)
}

// peek returns the first n bytes of a stream, or fewer. It omits an error after some bytes, because
// reading meets the error again.
func peek(b *bufio.Reader, n int) ([]byte, error) {
	head, err := b.Peek(n)
	if len(head) > 0 || err == io.EOF {
		err = nil
	}
	return head, err
}

// readCompressed decompresses in its own goroutine, because that costs as much as the rest of the
// import.
func (r *reader) readCompressed(w *wrapping, head []byte, in io.Reader, s stream) error {
	unwrapped, err := w.open(head, in, r.o.bounds(s.expansion))
	if err != nil {
		return r.failed(1, s, 0, err)
	}
	ahead := newAhead(r.ctx, unpacked{unwrapped, s.expansion, min(s.depth, 1)})
	defer unwrapped.Close()
	defer ahead.stop()
	b := borrowBuffer(ahead)
	defer returnBuffer(b)
	s.size, s.file = -1, nil
	s.packed = w.name
	return r.readUnwrapped(b, s)
}

var errZipStdin = errors.New("ingest: a zip cannot be read from standard input: its directory is at the end; name the file")

// readUnwrapped detects the format of an uncompressed stream and reads it.
func (r *reader) readUnwrapped(b *bufio.Reader, s stream) error {
	p, b, err := r.probe(b, s)
	if err != nil {
		return r.failed(1, s, 0, err)
	}
	switch {
	case s.stdin && len(p.raw) == 0 && p.kind == text && s.taken == nil:
		return r.reject(1, s.source, 0, "nothing came in; did the command before the pipe fail?")
	case p.kind != text && p.kind != document && s.taken != nil:
		return r.reject(1, s.source, 0, "an archive or a file of records, not one text; use simdb import")
	}
	defer func(outer string) { r.as = outer }(r.as)
	r.as = p.describe()
	return p.kind.read(r, b, p)
}

// put adds a unit with the number of its record in the current entry, or skips it if it precedes
// the position to resume. Skipped input must have the checksum of the position; otherwise put
// returns api.ErrChanged.
func (r *reader) put(record int64, u unit) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.at.record, u.as, u.alone = record, r.as, r.alone && r.at.entry == 0
	r.trail.add(u)
	r.at.sum = r.trail.sum()
	if !r.met {
		// Passing the position without meeting it, or meeting it with another checksum, means that
		// the input has changed.
		order := r.at.compare(r.after)
		if order > 0 || order == 0 && r.at.sum != r.after.sum {
			return api.ErrChanged
		}
		r.met = order == 0
		return nil
	}
	if r.chunk == nil {
		r.chunk = newChunk(r.o.BatchBytes)
	}
	c := r.chunk
	c.size += len(u.raw)
	u.raw = c.hold(u.raw)
	c.units = append(c.units, u)
	c.end = r.at
	if len(c.units) >= r.o.BatchDocs || c.size >= r.o.BatchBytes {
		return r.flush()
	}
	return nil
}

// reject puts a reject.
func (r *reader) reject(record int64, source string, line int64, reason string) error {
	return r.put(record, unit{source: source, line: line, reason: reason})
}

// warn adds a warning for a whole file, after its records. The warning has no position of its own,
// because the file may grow.
func (r *reader) warn(source, why string) {
	if !r.met || r.at == r.after && r.after != (cursor{}) {
		return // reported before the interruption
	}
	if r.chunk == nil {
		r.chunk = newChunk(r.o.BatchBytes)
		r.chunk.end = r.at
	}
	r.chunk.batch.Warnings = append(r.chunk.batch.Warnings, Warning{source, why})
}

// rejectRecords rejects records, or lines that cannot be divided into records.
func (r *reader) rejectRecords(rec record, source, reason string) error {
	return r.put(rec.n, unit{source: source, line: rec.line, reason: reason, lines: rec.lines, rest: rec.rest})
}

// brokenOff rejects the rest of a stream after a read error.
func (r *reader) brokenOff(rec record, s stream, err error) error {
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	rec.rest = true
	return r.rejectRecords(rec, s.source, readFailure(err)+"; nothing behind it is read")
}

// failed rejects an input that cannot be read.
func (r *reader) failed(record int64, s stream, line int64, err error) error {
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	return r.reject(record, s.source, line, readFailure(err))
}

// formError is an error of the input with a complete message for the reject.
type formError string

func (e formError) Error() string { return string(e) }

// readFailure returns the reject reason for a read error.
func readFailure(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "input ends early (truncated?)"
	}
	if wrong, ok := errors.AsType[formError](err); ok {
		return wrong.Error()
	}
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err
	}
	return fmt.Sprintf("cannot read on: %v", err)
}

// flush sends the current chunk, if any.
func (r *reader) flush() error {
	c := r.chunk
	if c == nil {
		return nil
	}
	r.chunk = nil
	c.batch.End = c.end.position(r.run)
	return r.pipe.send(r.ctx, c)
}

// countReads adds the bytes of a reader to the progress. The result ends with ctx.
func (r *reader) countReads(in io.Reader) io.Reader { return &countedReader{r: r, in: in} }

// countedReader is the result of countReads.
type countedReader struct {
	r  *reader
	in io.Reader
}

// Read counts its bytes.
func (c *countedReader) Read(p []byte) (int, error) {
	return c.r.count(func() (int, error) { return c.in.Read(p) })
}

// count calls read, unless ctx has ended, and adds its bytes to the progress.
func (r *reader) count(read func() (int, error)) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := read()
	r.pipe.read.Add(int64(n))
	return n, err
}

// bufferBytes is the size of read buffers. A line that fits is copied only once, to its chunk.
const bufferBytes = 64 << 10

// buffers recycles read buffers.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, bufferBytes) }}

// borrowBuffer returns a pooled buffer that reads from in.
func borrowBuffer(in io.Reader) *bufio.Reader {
	b := buffers.Get().(*bufio.Reader)
	b.Reset(in)
	return b
}

// returnBuffer puts a buffer back into the pool.
func returnBuffer(b *bufio.Reader) {
	b.Reset(nil)
	buffers.Put(b)
}
