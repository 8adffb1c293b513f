package columnar

// Arrow: the IPC stream of record batches, as in pipes and in datasets of Hugging Face, and the file
// format (Feather V2), which is a stream between two magic strings. Streams are read sequentially. The
// library receives only messages that arrowcheck.go has validated.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/simdb/simdb/api"
)

const arrowMagic = "ARROW1\x00\x00"

// readsArrow reports whether head begins an Arrow file or stream: with the magic, or with the marker
// of a message and the length of a schema, a multiple of eight bytes.
func readsArrow(head []byte) bool {
	if bytes.HasPrefix(head, []byte(arrowMagic)) {
		return true
	}
	if len(head) < 8 || binary.LittleEndian.Uint32(head) != continued {
		return false
	}
	length := binary.LittleEndian.Uint32(head[4:])
	return length > 0 && length <= maxArrowHead && length%8 == 0
}

// continued is the marker before the length of a message.
const continued = 0xffffffff

// arrowStream reads messages and implements ipc.MessageReader of the library. After a damaged record
// batch, a new reader of the library starts, for which arrowStream repeats the schema and the
// dictionaries.
type arrowStream struct {
	in      io.Reader
	marked  bool // a file, with an end marker
	most    int64
	layouts layouts
	at      int64       // bytes read
	n       int         // record batches begun
	rows    int64       // rows of the last message, 0 if it is not a record batch
	kept    [][2][]byte // heads and bodies of the schema and the dictionaries
	again   int         // number of kept messages to repeat
	held    int64       // bytes of kept
	err     error       // error that ended the stream
}

func (*arrowStream) Retain()  {}
func (*arrowStream) Release() {}

// Message returns the next message. Its error is io.EOF at the end.
func (a *arrowStream) Message() (_ *ipc.Message, err error) {
	if a.again < len(a.kept) {
		a.again++
		return message(a.kept[a.again-1]), nil
	}
	if a.err != nil {
		return nil, a.err
	}
	a.rows = 0
	from := a.at
	parts, info, err := a.read()
	if err != nil {
		if a.err = err; err != io.EOF {
			a.err = fmt.Errorf("message at byte %d: %w", from, err)
		}
		return nil, a.err
	}
	if info.kind == recordBatch {
		a.n, a.rows = a.n+1, info.rows
	}
	want := a.layouts.batch
	switch info.kind {
	case schemaMessage:
		a.layouts, want = info.layouts, layout{}
	case dictionaryBatch:
		want = a.layouts.dictionaries[info.id]
	}
	if info.damage == nil && !info.has(want) {
		info.damage = errArrow
	}
	if info.damage == nil {
		info.damage = info.fits(parts[1], a.most-a.held)
	}
	if info.damage != nil {
		return nil, info.damage
	}
	if info.kind != recordBatch {
		a.kept = append(a.kept, parts)
		a.held += int64(len(parts[0])) + info.unpacked
		a.again = len(a.kept)
	}
	return message(parts), nil
}

// message converts a validated message for the library.
func message(parts [2][]byte) *ipc.Message {
	return ipc.NewMessage(memory.NewBufferBytes(parts[0]), memory.NewBufferBytes(parts[1]))
}

// read reads a framed message: marker, length of the head, head, body.
func (a *arrowStream) read() (parts [2][]byte, info messageInfo, err error) {
	var frame [8]byte
	n, err := io.ReadFull(a.in, frame[:4])
	if n == 0 && err == io.EOF && !a.marked || err == nil && binary.LittleEndian.Uint32(frame[:]) == 0 {
		return parts, info, io.EOF // the end of a stream without a marker, or the marker of old streams: 0
	}
	if err == nil {
		_, err = io.ReadFull(a.in, frame[4:])
	}
	if err != nil {
		return parts, info, endsEarly(err)
	}
	length := binary.LittleEndian.Uint32(frame[4:])
	switch mark := binary.LittleEndian.Uint32(frame[:]); {
	case mark == continued && length == 0:
		return parts, info, io.EOF
	case mark != continued || length > maxArrowHead:
		return parts, info, errors.New("damaged, and the next message cannot be located")
	}
	parts[0] = make([]byte, length)
	if _, err := io.ReadFull(a.in, parts[0]); err != nil {
		return parts, info, endsEarly(err)
	}
	info, err = checkMessage(parts[0])
	if err != nil {
		return parts, info, err
	}
	a.at += 8 + int64(length) + info.body
	if room := a.most - a.held; info.body > room {
		info.damage = fmt.Errorf("it has %d bytes, more than --memory leaves for it; raise --memory to %d", info.body, 2*(a.held+info.body))
		_, err := io.CopyN(io.Discard, a.in, info.body)
		return parts, info, endsEarly(err)
	}
	parts[1] = make([]byte, info.body)
	_, err = io.ReadFull(a.in, parts[1])
	if err != nil && info.kind == recordBatch {
		a.rows = info.rows
	}
	return parts, info, endsEarly(err)
}

// endsEarly explains the unexpected end of a stream.
func endsEarly(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the file ends there; is it cut off?")
	}
	return err
}

// records yields the rows of the record batches, and a reject for a damaged batch with its declared
// number of rows. A damaged dictionary ends the reading, because later batches would get wrong values.
func (a *arrowStream) records(ctx context.Context, want api.TableFields, yield func(api.TableRecord, error) bool) {
	var t *arrowTable
	for {
		a.again = 0
		r, err := ipc.NewReaderFromMessageReader(a)
		if err == nil && t == nil {
			t, err = newArrowTable(r.Schema(), want)
		}
		if err != nil {
			yield(api.TableRecord{}, fmt.Errorf("cannot read Arrow: %w", err))
			return
		}
		for r.Next() {
			if !t.rows(ctx, r.RecordBatch(), a.n, yield) {
				return
			}
		}
		err = r.Err()
		switch {
		case a.err != nil && a.err != io.EOF:
			if err = a.err; a.rows > 0 && !yield(lostRows(a.n+1, err, a.rows), nil) || a.rows > 0 {
				return
			}
			yield(api.TableRecord{}, fmt.Errorf("cannot read Arrow: %w", err))
			return
		case err == nil:
			return
		case a.rows == 0:
			yield(lostRows(a.n+1, fmt.Errorf("a dictionary before it is damaged: %w", err), a.drain()), nil)
			return
		case !yield(lostRows(a.n, err, a.rows), nil):
			return
		}
	}
}

// drain skips all remaining messages and returns their number of rows.
func (a *arrowStream) drain() (rows int64) {
	for {
		_, info, err := a.read()
		if err != nil {
			return rows
		}
		rows += info.rows
	}
}

// lostRows returns the reject for a damaged record batch.
func lostRows(batch int, err error, rows int64) api.TableRecord {
	return api.TableRecord{Reason: fmt.Sprintf("record batch %d: %v; %d rows are not read", batch, err, rows), Rows: rows}
}

// arrowTable converts rows of batches of one schema to JSON.
type arrowTable struct {
	columns []int
	names   [][]byte // as JSON
	writers []arrowValue
	splice  int // metadata column of a simdb export, to be spliced into the row; -1 for none
	most    rowLimit
	line    []byte
}

// newArrowTable selects the columns of want in a schema.
func newArrowTable(schema *arrow.Schema, want api.TableFields) (*arrowTable, error) {
	t := &arrowTable{splice: -1, most: rowLimit(want.MaxBytes)}
	exported, _ := schema.Metadata().GetValue(ExportKey)
	var names []string
	for i, f := range schema.Fields() {
		names = append(names, f.Name)
		if !wanted(f.Name, want, exported) {
			continue
		}
		if exported != "" && f.Name == exported {
			t.splice = len(t.columns)
		}
		t.columns = append(t.columns, i)
		t.names = append(t.names, appendString(nil, []byte(f.Name)))
		t.writers = append(t.writers, writerOfArrow(f))
	}
	return t, missingColumn(names, want, exported)
}

// rows yields the rows of a batch. If undetected damage makes the library panic, it yields a reject for
// the remaining rows.
func (t *arrowTable) rows(ctx context.Context, batch arrow.RecordBatch, n int, yield func(api.TableRecord, error) bool) bool {
	for at := range batch.NumRows() {
		if ctx.Err() != nil {
			return yield(api.TableRecord{}, ctx.Err())
		}
		json, err := t.row(batch, int(at))
		var damage panicked
		rec := api.TableRecord{JSON: json}
		switch {
		case errors.As(err, &damage):
			return yield(lostRows(n, fmt.Errorf("row %d of it: damaged: %v", at+1, damage.what), batch.NumRows()-at), nil)
		case err != nil:
			rec = api.TableRecord{Reason: err.Error()}
		}
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

type panicked struct{ what any }

func (p panicked) Error() string { return fmt.Sprint(p.what) }

// row returns a row as a JSON object. It recovers from panics of the library.
func (t *arrowTable) row(batch arrow.RecordBatch, at int) (_ []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked{p}
		}
	}()
	b := append(t.line[:0], '{')
	for i, c := range t.columns {
		if len(b) > 1 {
			b = append(b, ',')
		}
		from := len(b)
		b = append(append(b, t.names[i]...), ':')
		colon := len(b)
		if b, err = t.most.arrow(b, batch.Column(c), at, t.writers[i]); err != nil {
			if _, ok := errors.AsType[rowLimit](err); ok {
				return nil, err
			}
			return nil, columnError{t.names[i], err}
		}
		if int64(len(b)) > int64(t.most) {
			return nil, t.most
		}
		if i == t.splice {
			b = spliced(b, from, colon)
		}
	}
	t.line = append(b, '}')
	return t.line, nil
}

// arrowRecords yields the rows of a stream or a file. most limits the memory, in bytes.
func arrowRecords(ctx context.Context, in io.Reader, most int64, want api.TableFields) iter.Seq2[api.TableRecord, error] {
	return func(yield func(api.TableRecord, error) bool) {
		a := &arrowStream{in: in, most: most}
		var begin [len(arrowMagic)]byte
		if _, err := io.ReadFull(in, begin[:]); err != nil {
			yield(api.TableRecord{}, fmt.Errorf("cannot read Arrow: %w", endsEarly(err)))
			return
		}
		if a.marked = string(begin[:]) == arrowMagic; a.marked {
			a.at = int64(len(begin))
		} else {
			a.in = io.MultiReader(bytes.NewReader(begin[:]), in)
		}
		a.records(ctx, want, yield)
	}
}
