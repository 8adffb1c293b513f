package plan

// Records: rows of the engine and their documents. A record reads a document only when a
// field requires it.

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"

	"github.com/simdb/simdb/query/value"
)

// Record is one row with all its fields, of which a statement selects some. It must not
// be used concurrently.
type Record struct {
	snap          Reader
	docs          [2]docRef
	store         string         // name of the store, if several
	sim           value.Fraction // exact
	simFloat      float64
	shared, union uint64
	ignored       uint64
	dist          int64
	si            api.SIValue     // similarity index of the found document, which the measure compares
	own           any             // only for some statements: *group, *relation or *member
	counted       *engine.Counted // rows that the record represents
	err           error           // first failure to read a document
}

// member holds the fields of a cluster, or of a stored group.
type member struct {
	name    string // of the cluster; for a group, its keeper
	members int64
	number  int64 // of the group
	from    int64 // the group from which this one split off
	keep    bool  // a duplicate that stays, and so has no similar document in its row
}

// member returns the cluster or group of the record.
func (r *Record) member() *member { return r.own.(*member) }

// docRef is a document of a record.
type docRef struct {
	collection, id string
	info           *api.DocInfo
	meta           api.Meta // nil if not yet read
	text           *string
}

// Rows returns the number of rows that the record represents, and their number before tests
// of documents.
func (r *Record) Rows() (n, of int64) {
	// An ordinary record represents itself.
	if r.counted == nil {
		return 1, 1
	}
	return r.counted.Rows, r.counted.Of
}

// Score returns the sim of the record as exact counts.
func (r *Record) Score() measure.Score { return measure.Score{Shared: r.sim.Num, Of: r.sim.Den} }

// Value returns the exact value of a field. Cell returns the value for a row.
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

// keeps reports whether the record is a duplicate that stays.
func (r *Record) keeps() bool {
	m, ok := r.own.(*member)
	return ok && m.keep
}

// Cell returns a field as a row shows it.
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

// info reads the description of a document once.
func (r *Record) info(d *docRef) *api.DocInfo {
	if d.info == nil {
		info, err := r.snap.Info(d.collection, d.id)
		r.fail(err)
		d.info = &info
	}
	return d.info
}

// text reads the text of a document once.
func (r *Record) text(d *docRef) string {
	if d.text == nil {
		doc, err := r.snap.Get(d.collection, d.id)
		r.fail(err)
		d.text = &doc.Text
	}
	return *d.text
}

// fail keeps the first error.
func (r *Record) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// metadata follows a path into nested objects. It returns nil if the path ends early, and m
// for an empty path.
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

// eachPath visits the path of every value of an object and its nested objects. A path is
// valid only during its visit.
func eachPath(m api.Meta, above []string, visit func(path []string)) {
	for name, v := range m {
		path := append(above, name)
		visit(path)
		eachPath(value.Object(v), path, visit)
	}
}

// Err returns the first error of reading a field.
func (r *Record) Err() error { return r.err }

// Document returns the collection and id of the record's document.
func (r *Record) Document() (collection, id string) { return r.docs[0].collection, r.docs[0].id }

// group is a row of GROUP BY.
type group struct {
	keys       []any
	n          int64
	aggregates []any
}

// Grouped returns a row of GROUP BY: its keys, the number of its records, and its
// aggregates.
func Grouped(keys []any, n int64, aggregates []any) *Record {
	return &Record{own: &group{keys, n, aggregates}}
}

// document returns a record of one document.
func document(snap Reader, collection string, info api.DocInfo) *Record {
	return &Record{snap: snap, docs: [2]docRef{{collection: collection, id: info.ID, info: &info}}}
}

// foundRecord returns a record of a row from several stores.
func foundRecord(m Found) *Record {
	rec := matchRecord(m.At, m.Match)
	rec.store = m.Store
	return rec
}

// matchRecord returns a record of a match.
func matchRecord(snap Reader, m api.Match) *Record {
	num, den := m.Ratio()
	return &Record{snap: snap, docs: [2]docRef{{collection: m.Collection, id: m.ID}}, sim: value.Fraction{Num: num, Den: den},
		simFloat: m.Sim, shared: m.Shared, union: m.Union, ignored: m.Ignored, dist: int64(m.Dist), si: m.SI}
}

// pairRecord returns a record of a pair.
func pairRecord(snap Reader, m api.PairMatch) *Record {
	num, den := m.Ratio()
	return &Record{snap: snap, sim: value.Fraction{Num: num, Den: den},
		docs:     [2]docRef{{collection: m.CollectionA, id: m.A}, {collection: m.CollectionB, id: m.B}},
		simFloat: m.Sim, shared: m.Shared, union: m.Union, ignored: m.Ignored, dist: int64(m.Dist)}
}
