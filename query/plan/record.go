package plan

// One row of the engine, and the documents that it is about. A document is read
// only when a field asks for it.

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"

	"github.com/simdb/simdb/query/value"
)

// Record is one row before its fields are chosen.
type Record struct {
	snap          Reader
	docs          [2]docRef
	store         string         // of several that were asked
	sim           value.Fraction // exactly
	simFloat      float64
	shared, union uint64
	ignored       uint64
	dist          int64
	si            int64           // the index compared, of the document found
	own           any             // what only rows of some statements have: *group, *relation or *member
	counted       *engine.Counted // rows that it stands for
	err           error           // of reading a document
}

// member is what a row has of a cluster, or of a group that is kept.
type member struct {
	name    string // of the cluster; the keeper of the group
	members int64
	number  int64 // of the group
	from    int64 // of the group that it was a part of
	keep    bool  // a duplicate stays: it is like none
}

// member returns that of the record.
func (r *Record) member() *member { return r.own.(*member) }

// docRef is a document of a record.
type docRef struct {
	collection, id string
	info           *api.DocInfo
	meta           api.Meta // nil if it is not at hand
	text           *string
}

// Rows returns how many rows the record stands for, and of how many before tests of documents.
func (r *Record) Rows() (n, of int64) {
	if r.counted == nil {
		return 1, 1
	}
	return r.counted.Rows, r.counted.Of
}

// Score is the sim of the record.
func (r *Record) Score() measure.Score { return measure.Score{Shared: r.sim.Num, Of: r.sim.Den} }

// Value returns what a field holds. It is what a Row shows, but sim is exact.
func (r *Record) Value(f Ref) any {
	if r.keeps() && f.ofLike() {
		return nil
	}
	if f.col != nil {
		return f.col.get(r, f)
	}
	d := &r.docs[f.side]
	if d.meta != nil {
		return metadata(d.meta, f.path)
	}
	return metadata(r.info(d).Meta, f.path)
}

// keeps says whether the record is a duplicate that is like none.
func (r *Record) keeps() bool {
	m, ok := r.own.(*member)
	return ok && m.keep
}

// Cell returns a field as a Row shows it.
func (r *Record) Cell(f Ref) any {
	if f.col == &colSim && !r.keeps() {
		return r.simFloat
	}
	v := r.Value(f)
	if f.col != nil && f.col.show != nil && v != nil { // nil in the row of a keeper
		return f.col.show(v)
	}
	return v
}

func (r *Record) info(d *docRef) *api.DocInfo {
	if d.info == nil {
		info, err := r.snap.Info(d.collection, d.id)
		r.fail(err)
		d.info = &info
	}
	return d.info
}

func (r *Record) text(d *docRef) string {
	if d.text == nil {
		doc, err := r.snap.Get(d.collection, d.id)
		r.fail(err)
		d.text = &doc.Text
	}
	return *d.text
}

func (r *Record) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// metadata follows a path into nested objects. It returns nil if the path ends
// early. A path of no names leads to all of it.
func metadata(m api.Meta, path []string) any {
	if len(m) == 0 {
		return nil
	}
	var v any = map[string]any(m)
	for _, name := range path {
		v = value.Object(v)[name]
	}
	return v
}

// eachPath visits the path of every value of an object and of the objects in it.
// The path is valid during the visit.
func eachPath(m api.Meta, above []string, visit func(path []string)) {
	for name, v := range m {
		path := append(above, name)
		visit(path)
		eachPath(value.Object(v), path, visit)
	}
}

// Err is why a field could not be read.
func (r *Record) Err() error { return r.err }

// Document names the document of a record.
func (r *Record) Document() (collection, id string) { return r.docs[0].collection, r.docs[0].id }

// group is a row of GROUP BY.
type group struct {
	keys       []any
	n          int64
	aggregates []any
}

// Grouped is a row of GROUP BY: its values, how many records have them, and what is made of
// these.
func Grouped(keys []any, n int64, aggregates []any) *Record {
	return &Record{own: &group{keys, n, aggregates}}
}

// document is a document of one collection.
func document(snap Reader, collection string, info api.DocInfo) *Record {
	return &Record{snap: snap, docs: [2]docRef{{collection: collection, id: info.ID, info: &info}}}
}

func foundRecord(m Found) *Record {
	rec := matchRecord(m.At, m.Match)
	rec.store = m.Store
	return rec
}

func matchRecord(snap Reader, m api.Match) *Record {
	num, den := m.Ratio()
	return &Record{snap: snap, docs: [2]docRef{{collection: m.Collection, id: m.ID}}, sim: value.Fraction{Num: num, Den: den},
		simFloat: m.Sim, shared: m.Shared, union: m.Union, ignored: m.Ignored, dist: int64(m.Dist), si: m.SI}
}

func pairRecord(snap Reader, m api.PairMatch) *Record {
	num, den := m.Ratio()
	return &Record{snap: snap, sim: value.Fraction{Num: num, Den: den},
		docs:     [2]docRef{{collection: m.CollectionA, id: m.A}, {collection: m.CollectionB, id: m.B}},
		simFloat: m.Sim, shared: m.Shared, union: m.Union, ignored: m.Ignored, dist: int64(m.Dist)}
}
