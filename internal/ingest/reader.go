package ingest

// The goroutine that opens what is named and cuts it into units. It unpacks
// compression, decides what a stream is, and puts what it reads into chunks.

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

// reader goes through the inputs and fills chunks. Its methods return an error
// only to stop everything. Anything that is wrong with the input is a reject.
type reader struct {
	ctx   context.Context
	o     Options
	ids   idRule
	skip  *rules // what archives leave out
	run   uint64
	after cursor // skip what lies at it or before
	alone bool   // the input is a file, and the only one that was named
	met   bool   // after has been met, or is the beginning
	pipe  *pipeline
	at    cursor // where the reader is
	trail trail  // what it has passed
	as    string // what the stream is read as
	chunk *chunk // being filled, nil if empty
	text  []byte // scratch of readText
}

// stream is an input that was opened and is about to be read.
type stream struct {
	source string // for messages
	path   string // below the base of the import; what the id of a text is made of
	name   string // its ending says what the stream is
	named  bool   // the only thing that the user named
	stdin  bool
	depth  int     // 1 in an archive
	taken  *File   // by Options.Take
	size   int64   // bytes to come, -1 if unknown
	file   fs.File // nil if the stream is unpacked or in an archive

	packed string // how it was compressed

	expansion *expansion // of the outermost file
}

func (r *reader) readAll(inputs []input) error {
	for i, in := range inputs {
		r.at = cursor{path: i}
		if err := r.readInput(in); err != nil {
			return r.placed(err, inputs)
		}
	}
	if !r.met {
		return r.placed(api.ErrChanged, inputs)
	}
	return r.flush()
}

// placed adds to an error up to where the input has changed.
func (r *reader) placed(err error, inputs []input) error {
	if err != api.ErrChanged {
		return err
	}
	last := path.Join(filepath.ToSlash(inputs[r.after.path].path), r.after.file)
	return fmt.Errorf("%w: what was read up to %s is not what stands there now; import again without --resume", err, last)
}

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
		// A read of a terminal or a pipe cannot be interrupted, so it has its
		// own goroutine, and nobody waits for that.
		e := &expansion{ratio: r.o.MaxRatio, size: -1}
		ahead := newAhead(r.ctx, packed{r.counted(r.o.Stdin), e})
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
		return r.reject(1, in.path, 0, cause(err)) // it was there when we looked
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
	return r.readStream(r.counted(f), s)
}

// readStream unpacks a stream and reads it.
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

// peek returns the beginning of a stream. If some of it can be read, an error
// after that is not returned: it comes again when reading gets there.
func peek(b *bufio.Reader, n int) ([]byte, error) {
	head, err := b.Peek(n)
	if len(head) > 0 || err == io.EOF {
		err = nil
	}
	return head, err
}

// readCompressed decompresses in a goroutine of its own, because that costs as
// much as everything else together.
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

func (r *reader) readUnwrapped(b *bufio.Reader, s stream) error {
	p, b, err := r.probed(b, s)
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

// put adds a unit at a record of the current entry, unless it is to be skipped.
// What is skipped must be the same as when it was stored.
func (r *reader) put(record int64, u unit) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.at.record, u.as, u.alone = record, r.as, r.alone && r.at.entry == 0
	r.trail.add(u)
	r.at.sum = r.trail.sum()
	if !r.met {
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

func (r *reader) reject(record int64, source string, line int64, reason string) error {
	return r.put(record, unit{source: source, line: line, reason: reason})
}

// warn tells of a file as a whole, behind its records. It has no position: a file may grow.
func (r *reader) warn(source, why string) {
	if !r.met || r.at == r.after && r.after != (cursor{}) {
		return // told before
	}
	if r.chunk == nil {
		r.chunk = newChunk(r.o.BatchBytes)
		r.chunk.end = r.at
	}
	r.chunk.batch.Warnings = append(r.chunk.batch.Warnings, Warning{source, why})
}

// rejectRecords rejects records, or lines that cannot be told apart.
func (r *reader) rejectRecords(rec record, source, reason string) error {
	return r.put(rec.n, unit{source: source, line: rec.line, reason: reason, lines: rec.lines, rest: rec.rest})
}

// brokenOff rejects the rest of a stream, of which the beginning was read.
func (r *reader) brokenOff(rec record, s stream, err error) error {
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	rec.rest = true
	return r.rejectRecords(rec, s.source, readFailure(err)+"; nothing behind it is read")
}

// failed rejects an input that cannot be read further.
func (r *reader) failed(record int64, s stream, line int64, err error) error {
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	return r.reject(record, s.source, line, readFailure(err))
}

// formError says all that there is to say of why a stream cannot be read on.
type formError string

func (e formError) Error() string { return string(e) }

// readFailure says why a stream broke off.
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

// flush sends the chunk on, if there is one.
func (r *reader) flush() error {
	c := r.chunk
	if c == nil {
		return nil
	}
	r.chunk = nil
	c.batch.End = c.end.position(r.run)
	return r.pipe.send(r.ctx, c)
}

// counted counts what is read of an input. It ends when ctx ends.
func (r *reader) counted(in io.Reader) io.Reader { return &countedReader{r: r, in: in} }

type countedReader struct {
	r  *reader
	in io.Reader
}

func (c *countedReader) Read(p []byte) (int, error) {
	return c.r.count(func() (int, error) { return c.in.Read(p) })
}

// count counts what a read reads, unless ctx has ended.
func (r *reader) count(read func() (int, error)) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := read()
	r.pipe.read.Add(int64(n))
	return n, err
}

// bufferBytes is the size of read buffers. A line that fits is not copied on
// its way to the chunk.
const bufferBytes = 64 << 10

var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, bufferBytes) }}

func borrowBuffer(in io.Reader) *bufio.Reader {
	b := buffers.Get().(*bufio.Reader)
	b.Reset(in)
	return b
}

func returnBuffer(b *bufio.Reader) {
	b.Reset(nil)
	buffers.Put(b)
}
