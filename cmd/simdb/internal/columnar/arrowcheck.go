package columnar

// What is looked at in a message of Arrow before the library sees it: it reserves room for as
// many elements as a list says that it has, follows tables as deep as they go, and unpacks as
// much as a buffer says. Reading beyond the bytes panics, which is caught.

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
	maxArrowFields = 1 << 16  // and of all its lists together, but for those of buffers
	maxBatchRows   = 1 << 28  // which columns of NULL have without any bytes
)

// Kinds of messages.
const (
	schemaMessage   = 1
	dictionaryBatch = 2
	recordBatch     = 3
)

// messageInfo is what a head says of its message.
type messageInfo struct {
	kind     byte
	body     int64
	rows     int64    // of a record batch
	codec    int8     // of its buffers, -1 for none
	nodes    int      // that a batch has
	buffers  []extent // in the body
	views    []uint64 // buffers of each column of views
	unpacked int64    // bytes that the buffers have, with the body
	layouts  layouts  // of a schema
	id       int64    // of a dictionary
	damage   error    // of this message alone
}

// layout is how many nodes and buffers a batch has at least: the library reads them by their
// number, and not how many there are. Columns of views have more buffers.
type layout struct{ nodes, buffers, views int }

// layouts are those of record batches and of dictionaries.
type layouts struct {
	batch        layout
	dictionaries map[int64]layout
}

// buffersOf is how many buffers a column of each type has, without those of its children.
var buffersOf = [...]int{0, 0, 2, 2, 3, 3, 2, 2, 2, 2, 2, 2, 2, 1, 1, 2, 1, 2, 2, 3, 3, 2, 0, 2, 2, 3, 3}

// Types of columns that have something of their own.
const (
	unionType = 14
	viewType  = 23 // and the next
)

type extent struct{ at, size int64 }

// headShape says which fields of a table are lists. The fields are numbered as in a vtable: from 4,
// by twos.
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

// checkMessage looks at the head of a message. An error is of its frame: the next message cannot
// be found.
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

// child returns the table that a field holds.
func child(t flatbuffers.Table, field flatbuffers.VOffsetT) (flatbuffers.Table, bool) {
	o := flatbuffers.UOffsetT(t.Offset(field))
	if o == 0 {
		return t, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(o + t.Pos)}, true
}

// list returns where the elements of a list begin, and how many there are.
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

// schema adds up the columns of a schema that was checked.
func (l *layouts) schema(t flatbuffers.Table, version int16) error {
	l.dictionaries = map[int64]layout{}
	var err error
	l.batch, err = l.columns(t, 6, version)
	return err
}

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

// has reports whether a batch has what its layout wants.
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

// check goes through a table and those below it, of which each may be named more than once.
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

// batch takes the rows and the buffers of a batch.
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

// fits adds up what the buffers of a message unpack to.
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
		if n == -1 { // it is not compressed
			continue
		}
		var h zstd.Header // whose window is taken while the buffer is unpacked
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
