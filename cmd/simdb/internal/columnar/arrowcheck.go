package columnar

// Validation of Arrow messages before the library reads them: the library allocates the declared
// length of lists, recurses into nested tables without a limit, and unpacks the declared size of
// buffers. Reads beyond the bytes panic; checkMessage recovers.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
)

const (
	maxArrowHead   = 64 << 20 // bytes of the head of a message
	maxArrowFields = 1 << 16  // elements of all its lists, except lists of buffers
	maxBatchRows   = 1 << 28  // rows of a batch; columns of NULL take no bytes per row
)

// Kinds of messages.
const (
	schemaMessage   = 1
	dictionaryBatch = 2
	recordBatch     = 3
)

// messageInfo holds the declarations of a message head.
type messageInfo struct {
	kind     byte
	body     int64
	rows     int64    // rows of a record batch
	codec    int8     // compression of its buffers, -1 for none
	nodes    int      // number of nodes of a batch
	buffers  []extent // place of the buffers in the body
	views    []uint64 // number of buffers of each view column
	unpacked int64    // bytes of the body and the unpacked buffers
	layouts  layouts  // columns of a schema
	id       int64    // number of a dictionary
	damage   error    // damage of this message alone; the next can be read
}

// layout is the minimal number of nodes and buffers of a batch by its schema. The library reads that
// many without a check. Columns of views have further buffers.
type layout struct{ nodes, buffers, views int }

// layouts holds the layouts of record batches and of dictionaries.
type layouts struct {
	batch        layout
	dictionaries map[int64]layout
}

// buffersOf maps each type to the number of buffers of a column, without its children.
var buffersOf = [...]int{0, 0, 2, 2, 3, 3, 2, 2, 2, 2, 2, 2, 2, 1, 1, 2, 1, 2, 2, 3, 3, 2, 0, 2, 2, 3, 3}

// Column types with special cases.
const (
	unionType = 14
	viewType  = 23 // and 24
)

type extent struct{ at, size int64 }

// headShape maps the fields of a table that are lists of tables to the shape of their elements. Field
// numbers are vtable offsets: 4, 6, 8 …
type headShape struct {
	lists map[flatbuffers.VOffsetT]*headShape
}

var (
	pairShape   = &headShape{}
	fieldShape  = &headShape{lists: map[flatbuffers.VOffsetT]*headShape{16: pairShape}}
	schemaShape = &headShape{lists: map[flatbuffers.VOffsetT]*headShape{6: fieldShape, 8: pairShape}}
)

func init() { fieldShape.lists[14] = fieldShape }

var errArrow = errors.New("its head is damaged")

// checkMessage validates the head of a message. An error means that the next message cannot be found;
// info.damage is damage of this message only.
func checkMessage(head []byte) (info messageInfo, err error) {
	framed := false
	defer func() {
		if p := recover(); p != nil && framed {
			info.damage = errArrow
		} else if p != nil {
			err = errArrow
		}
	}()
	t := flatbuffers.Table{Bytes: head, Pos: flatbuffers.GetUOffsetT(head)}
	info.kind, info.body, info.codec = t.GetByteSlot(6, 0), t.GetInt64Slot(10, 0), -1
	if info.body < 0 {
		return info, errArrow
	}
	framed = true
	left := maxArrowFields
	info.damage = (&headShape{lists: map[flatbuffers.VOffsetT]*headShape{12: pairShape}}).check(t, 0, &left)
	header, ok := child(t, 8)
	switch {
	case info.damage != nil:
	case !ok:
		info.damage = errArrow
	case info.kind == schemaMessage:
		if info.damage = schemaShape.check(header, 0, &left); info.damage == nil {
			info.damage = info.layouts.schema(header, t.GetInt16Slot(4, 0))
		}
	case info.kind == dictionaryBatch:
		info.id = header.GetInt64Slot(4, 0)
		if header, ok = child(header, 6); !ok {
			return info, errArrow
		}
		info.damage = info.batch(header)
	case info.kind == recordBatch:
		info.damage = info.batch(header)
	default:
		info.damage = fmt.Errorf("messages of kind %d are not read", info.kind)
	}
	return info, nil
}

// child returns the table in a field, and whether the field is set.
func child(t flatbuffers.Table, field flatbuffers.VOffsetT) (flatbuffers.Table, bool) {
	o := flatbuffers.UOffsetT(t.Offset(field))
	if o == 0 {
		return t, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(o + t.Pos)}, true
}

// list returns the position and the number of the elements of a list. It rejects a list that exceeds
// the bytes.
func list(t flatbuffers.Table, field flatbuffers.VOffsetT, size int) (at flatbuffers.UOffsetT, n int, err error) {
	o := flatbuffers.UOffsetT(t.Offset(field))
	if o == 0 {
		return 0, 0, nil
	}
	at, n = t.Vector(o), t.VectorLen(o)
	if n < 0 || int64(at)+int64(n)*int64(size) > int64(len(t.Bytes)) {
		return 0, 0, errArrow
	}
	return at, n, nil
}

const typeOfField = 8

// schema computes the layouts of a validated schema.
func (l *layouts) schema(t flatbuffers.Table, version int16) error {
	l.dictionaries = map[int64]layout{}
	var err error
	l.batch, err = l.columns(t, 6, version)
	return err
}

// columns sums the layouts of the columns in a list field.
func (l *layouts) columns(t flatbuffers.Table, field flatbuffers.VOffsetT, version int16) (sum layout, err error) {
	at, n, err := list(t, field, flatbuffers.SizeUOffsetT)
	for i := range n {
		column := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + flatbuffers.UOffsetT(i*flatbuffers.SizeUOffsetT))}
		has, err := l.columns(column, 14, version)
		if err != nil {
			return sum, err
		}
		kind := column.GetByteSlot(typeOfField, 0)
		if int(kind) >= len(buffersOf) || kind == 0 {
			return sum, fmt.Errorf("columns of the type %d are not read", kind)
		}
		has.nodes++
		has.buffers += buffersOf[kind]
		switch kind {
		case viewType, viewType + 1:
			has.views++
		case unionType:
			const dense, version5 = 1, 4
			if about, ok := child(column, 10); ok && about.GetInt16Slot(4, 0) == dense {
				has.buffers++
			}
			if version < version5 {
				has.buffers++
			}
		}
		if dictionary, ok := child(column, 12); ok {
			l.dictionaries[dictionary.GetInt64Slot(4, 0)] = has
			has = layout{nodes: 1, buffers: 2}
		}
		sum.nodes, sum.buffers, sum.views = sum.nodes+has.nodes, sum.buffers+has.buffers, sum.views+has.views
	}
	return sum, err
}

// has reports whether a batch has the nodes and buffers that its layout requires.
func (info *messageInfo) has(want layout) bool {
	if info.nodes < want.nodes || len(info.views) < want.views {
		return false
	}
	buffers := uint64(want.buffers)
	for _, n := range info.views[:want.views] {
		buffers += n
	}
	return uint64(len(info.buffers)) >= buffers
}

// check walks a table and the tables below it. It counts a table at each reference, because references
// may repeat and multiply. left is the remaining number of elements.
func (s *headShape) check(t flatbuffers.Table, depth int, left *int) error {
	if depth > maxDepth {
		return fmt.Errorf("columns are nested more than %d deep", maxDepth)
	}
	for field, elements := range s.lists {
		at, n, err := list(t, field, flatbuffers.SizeUOffsetT)
		if *left -= n; err != nil || *left < 0 {
			return errors.Join(err, fmt.Errorf("it has more than %d columns and notes", maxArrowFields))
		}
		for i := range n {
			next := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + flatbuffers.UOffsetT(i*flatbuffers.SizeUOffsetT))}
			if err := elements.check(next, depth+1, left); err != nil {
				return err
			}
		}
	}
	if s == fieldShape && t.GetByteSlot(typeOfField, 0) == unionType {
		if kind, ok := child(t, 10); ok {
			_, _, err := list(kind, 6, 4)
			return err
		}
	}
	return nil
}

// batch reads the declared rows, nodes and buffers of a batch.
func (info *messageInfo) batch(t flatbuffers.Table) error {
	if info.rows = t.GetInt64Slot(4, 0); info.rows < 0 || info.rows > maxBatchRows {
		info.rows = 0
		return fmt.Errorf("it says that it has more than %d rows", maxBatchRows)
	}
	var err error
	if _, info.nodes, err = list(t, 6, 16); err != nil {
		return err
	}
	at, n, err := list(t, 8, 16)
	if err != nil {
		return err
	}
	for i := range n {
		b := t.Bytes[int(at)+16*i:]
		info.buffers = append(info.buffers, extent{int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))})
	}
	if compression, ok := child(t, 10); ok {
		info.codec = compression.GetInt8Slot(4, 0)
	}
	at, views, err := list(t, 12, 8)
	for i := range views {
		count := binary.LittleEndian.Uint64(t.Bytes[int(at)+8*i:])
		if count > uint64(n) {
			return errArrow
		}
		info.views = append(info.views, count)
	}
	return err
}

// fits sums the unpacked sizes of the buffers of a message, and returns an error beyond room bytes.
func (info *messageInfo) fits(body []byte, room int64) error {
	const lz4Codec, zstdCodec = 0, 1
	info.unpacked = int64(len(body))
	for _, b := range info.buffers {
		if b.at < 0 || b.size < 0 || b.at > int64(len(body)) || b.size > int64(len(body))-b.at {
			return errors.New("damaged: a buffer lies outside of it")
		}
		if info.codec < 0 || b.size == 0 {
			continue
		}
		if info.codec != lz4Codec && info.codec != zstdCodec {
			return fmt.Errorf("the compression %d is not read", info.codec)
		}
		packed := body[b.at:][:b.size]
		if len(packed) < 8 {
			return errors.New("damaged: a buffer has no length")
		}
		n := int64(binary.LittleEndian.Uint64(packed))
		if n == -1 { // not compressed
			continue
		}
		var h zstd.Header // unpacking allocates its window
		window := int64(0)
		if info.codec == zstdCodec && h.Decode(packed[8:]) == nil {
			window = int64(min(h.WindowSize, 1<<40))
		}
		if n < 0 || n > math.MaxInt64/4-info.unpacked {
			return errors.New("damaged: a buffer has a length that cannot be")
		}
		if info.unpacked += n; info.unpacked+window > room {
			return fmt.Errorf("it unpacks to more than the part of --memory that is left; raise --memory to more than %d", 2*(info.unpacked+window))
		}
	}
	return nil
}
