package engine

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/simdb/simdb/shingle"
)

// maxBatchBytes bounds the stored bytes of one batch: half of it fills a
// memtable, and a log record holds it whole.
const maxBatchBytes = 64 << 20

// Batch is a group of operations that become visible together or not at all.
// The zero value is empty and ready. Not safe for concurrent use.
type Batch struct{ ops []operation }

// Put adds a document; an equal id replaces.
func (b *Batch) Put(d Document) {
	b.ops = append(b.ops, operation{kind: opPut, collection: orDefault(d.Collection), name: d.ID, doc: d})
}

// Delete removes a document if it is there.
func (b *Batch) Delete(collection, id string) {
	b.ops = append(b.ops, operation{kind: opDelete, collection: orDefault(collection), name: id})
}

// Mark keeps a note under a name, for DB.Mark to read: how far an import came,
// in the same batch as its documents. A nil value removes it.
func (b *Batch) Mark(name string, value []byte) {
	b.ops = append(b.ops, operation{kind: opMark, name: name, value: value})
}

// Len is the number of operations.
func (b *Batch) Len() int { return len(b.ops) }

// BatchStats says what a batch did. An operation that a later one on the same
// id in the same batch overrides counts as superseded only.
type BatchStats struct{ Inserted, Replaced, Deleted, Superseded int }

func orDefault(collection string) string {
	if collection == "" {
		return DefaultCollection
	}
	return collection
}

type opKind byte

const (
	opPut opKind = iota + 1
	opDelete
	opMark
	opCreate
	opDrop
	opBook
)

// operation is one change. In the log it is its kind, the collection's number,
// the name, and what the kind needs (encode); everything else is derived.
type operation struct {
	kind       opKind
	collection string // by name, until prepared
	name       string // id of the document, name of the mark or collection
	doc        Document
	mustExist  bool // delete: the batch is refused if the id is not there

	c         *collection // prepared
	meta      []byte      // put
	text      []byte      // put: stored form
	textBytes int64
	value     []byte // mark; create: settings as JSON; book: its content
	*derived         // put
}

// derived is what a put needs beside what the log has.
type derived struct {
	bag      shingle.Bag
	set      setRecord // when the bag is not empty
	folded   []byte
	features features // as far as the collection keeps them
}

// derive does the analysis, outside every lock. Replay does it again, so it must
// depend on nothing but the text and the collection's settings.
func (o *operation) derive(text string) {
	o.textBytes, o.derived = int64(len(text)), &derived{}
	if o.bag = o.c.analysis.Bag(text); len(o.bag.Set) == 0 {
		return
	}
	o.features = o.c.kept.featuresOf(text)
	o.set, o.folded = o.c.describe(o.bag, text)
}

func (o *operation) encode(dst []byte) []byte {
	dst = append(dst, byte(o.kind))
	var number uint32
	if o.c != nil {
		number = o.c.number
	}
	dst = binary.AppendUvarint(dst, uint64(number))
	dst = appendBlob(dst, o.name)
	switch o.kind {
	case opPut:
		dst = appendBlob(dst, o.meta)
		dst = appendBlob(dst, o.text)
	case opMark, opCreate, opBook:
		dst = append(dst, byte(min(len(o.value), 1))) // nil removes a mark
		dst = appendBlob(dst, o.value)
	}
	return dst
}

// decodeOperations reads a log record. Collections are resolved by number as
// the operations are applied, because one may create what the next fills.
func decodeOperations(payload []byte) (ops []operation, numbers []uint32, err error) {
	d := decoder{b: payload}
	for len(d.b) > 0 && d.err == nil {
		var o operation
		o.kind = opKind(d.bytes(1)[0])
		numbers = append(numbers, uint32(d.uvarint()))
		o.name = string(d.blob())
		switch o.kind {
		case opPut:
			o.meta, o.text = d.blob(), d.blob()
		case opMark, opCreate, opBook:
			if present := d.bytes(1); present != nil {
				o.value = d.blob()
				if present[0] == 0 {
					o.value = nil
				}
			}
		case opDelete, opDrop:
		default:
			return nil, nil, corrupt("log record: unknown operation %d", o.kind)
		}
		ops = append(ops, o)
	}
	if d.err != nil {
		return nil, nil, corrupt("log record: %w", d.err)
	}
	return ops, numbers, nil
}

// prepare checks a batch and derives all it needs: everything that can be done
// before the commit mutex. It returns the operations that count, the log
// record, and how many operations others override.
func (db *DB) prepare(b *Batch, maxText int64) (p prepared, err error) {
	size, err := db.screen(b, maxText, &p)
	if err != nil {
		return p, err
	}
	for i := range p.ops {
		o := &p.ops[i]
		if o.kind == opPut || o.kind == opDelete {
			if o.c, err = db.collection(o.collection); err != nil {
				return p, err
			}
		}
		if o.kind == opPut {
			o.derive(o.doc.Text)
			o.text = db.codec.encode(o.doc.Text, o.c.dictionary.Load())
			size += len(o.text)
			o.doc = Document{}
		}
	}
	if size > maxBatchBytes {
		return p, fmt.Errorf("%w: batch of %d bytes, the limit is %d", ErrTooLarge, size, maxBatchBytes)
	}
	p.record = make([]byte, 0, size)
	for i := range p.ops {
		p.record = p.ops[i].encode(p.record)
	}
	return p, nil
}

// screen finds the operations that count, refuses those that no collection
// could take, and returns about how long the log record will be without texts.
func (db *DB) screen(b *Batch, maxText int64, p *prepared) (size int, err error) {
	last := map[[2]string]int{}
	for i, o := range b.ops {
		if o.kind == opPut || o.kind == opDelete {
			if j, again := last[[2]string{o.collection, o.name}]; again && !b.ops[j].mustExist {
				p.superseded++
			}
			last[[2]string{o.collection, o.name}] = i
		}
	}
	p.ops = make([]operation, 0, len(b.ops))
	for i, o := range b.ops {
		if o.kind == opPut || o.kind == opDelete {
			if last[[2]string{o.collection, o.name}] != i {
				continue
			}
			if err := checkID(o.name); err != nil {
				return 0, err
			}
		}
		if o.kind == opPut {
			if int64(len(o.doc.Text)) > maxText {
				return 0, fmt.Errorf("%w: document %q has %d bytes of text, the limit is %d", ErrTooLarge, o.name, len(o.doc.Text), maxText)
			}
			if o.meta, err = encodeMeta(o.doc.Meta); err != nil {
				return 0, fmt.Errorf("document %q: %w", o.name, err)
			}
		}
		size += len(o.name) + len(o.meta) + len(o.value) + 32
		p.ops = append(p.ops, o)
	}
	return size, nil
}

// prepared is a batch ready to commit.
type prepared struct {
	ops        []operation
	record     []byte
	superseded int
}

func (db *DB) settingsJSON(c *collection) ([]byte, error) {
	return json.Marshal(collectionRecord{Name: c.name, Settings: c.settings, Unicode: db.opts.unicode})
}
