package simdb

// Snapshots of a database.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/meter"
	"github.com/simdb/simdb/query"
)

// Snapshot is a Reader of one state of a database: every call sees the same documents, regardless
// of later writes. It is safe for concurrent use. Close it soon, because it retains overwritten
// data.
type Snapshot struct {
	reader
	of *engine.Snapshot
}

// newSnapshot wraps a snapshot that its owner closes.
func newSnapshot(s *engine.Snapshot, m *meter.Meter) *Snapshot {
	return &Snapshot{reader{func() (snapshot, error) { return ofSnapshot(s), nil }, m}, s}
}

// Snapshot returns a snapshot of the present state.
func (db *DB) Snapshot() (*Snapshot, error) {
	s, err := db.store().Snapshot()
	if err != nil {
		return nil, err
	}
	return newSnapshot(s, db.meter), nil
}

// Close releases the snapshot. Later calls return ErrClosed; running calls and loops over rows
// finish, even if Close is called from inside the loop.
func (s *Snapshot) Close() error { return s.of.Close() }

// Query runs a statement that only reads, as DB.Query does. A statement that changes anything is
// ErrReadOnly. CHECK needs the database, so here it is an *api.ParseError.
func (s *Snapshot) Query(ctx context.Context, statement string, args ...any) (*Rows, error) {
	return s.QueryWith(ctx, QueryOptions{}, statement, args...)
}

// QueryWith is Query with limits on the statement.
func (s *Snapshot) QueryWith(ctx context.Context, opts QueryOptions, statement string, args ...any) (*Rows, error) {
	c := s.meter.Begin(ctx, "Query")
	if err := engine.CheckContext(ctx); err != nil {
		return nil, c.End(err)
	}
	rows, err := query.RunAt(ctx, s.of, query.Options(opts), statement, args...)
	return rowsFor(c, rows, err)
}

// Collection describes a collection, or returns ErrNotFound.
func (s *Snapshot) Collection(name string) (api.CollectionInfo, error) { return s.of.Collection(name) }

// Infos yields the documents of a collection in bytewise order of ids, starting with the first id ≥
// from. Starting takes as long in a large collection as in a small one.
func (s *Snapshot) Infos(ctx context.Context, collection, from string) iter.Seq2[api.DocInfo, error] {
	return observed(ctx, s.meter, "Infos", s.of.InfosFrom(ctx, collection, from))
}

// Documents yields all documents of a collection, with their texts, in bytewise order of ids.
func (s *Snapshot) Documents(ctx context.Context, collection string) iter.Seq2[api.Document, error] {
	return observed(ctx, s.meter, "Documents", s.of.Documents(ctx, collection))
}

// IDs yields the ids of a collection that begin with a prefix, in bytewise order. Its cost depends
// on the number of these ids, not on the number of documents.
func (s *Snapshot) IDs(ctx context.Context, collection, prefix string) iter.Seq2[string, error] {
	return observed(ctx, s.meter, "IDs", s.of.IDs(ctx, collection, prefix))
}

// Spread returns the ids of up to n documents that represent a collection: a sample spread evenly
// over the order in which texts were first written. Of several documents with equal shingles it
// considers one. It omits documents without shingles.
func (s *Snapshot) Spread(ctx context.Context, collection string, n int) ([]string, error) {
	c := s.meter.Begin(ctx, "Spread")
	ids, err := s.of.Spread(ctx, collection, n)
	c.Rows = int64(len(ids))
	return ids, c.End(err)
}

// Notes yields the notes with names that begin with a prefix, in bytewise order of names.
func (s *Snapshot) Notes(ctx context.Context, prefix string) iter.Seq2[api.Note, error] {
	return observed(ctx, s.meter, "Notes", s.of.Notes(ctx, prefix))
}

// Dedupe is DB.Dedupe of this state, without deletion.
func (s *Snapshot) Dedupe(ctx context.Context, keep api.Keep, opts ...SearchOption) iter.Seq2[api.Duplicate, error] {
	return rowsOf(ctx, s.reader, "Dedupe", opts, func(m snapshot, q *search) (iter.Seq2[api.Duplicate, error], error) {
		found, err := m.one.Dedupe(ctx, q.Search, keep)
		rows, err := planned(q, found, err)
		return engine.Undated(rows), err
	})
}

// Groupings describes the maintained groupings.
func (s *Snapshot) Groupings() []api.Grouping { return s.of.Groupings() }

// Groups yields the groups of a grouping, by number, or the largest first.
func (s *Snapshot) Groups(ctx context.Context, name string, q api.GroupsQuery) iter.Seq2[api.Group, error] {
	return observed(ctx, s.meter, "Groups", s.of.Groups(ctx, name, q))
}

// GroupOf returns the group of a document; ok is false if it has none.
func (s *Snapshot) GroupOf(name, id string) (g api.Group, ok bool, err error) {
	return s.of.GroupOf(name, id)
}

// Group returns the group with a number, or the group that it was merged into; ok is false if the
// group has ended or never existed.
func (s *Snapshot) Group(name string, number uint64) (g api.Group, ok bool, err error) {
	return s.of.Group(name, number)
}

// GroupMembers yields the documents of a group, the keeper first. The number of a merged
// group stands for the group that it was merged into.
func (s *Snapshot) GroupMembers(ctx context.Context, name string, number uint64) iter.Seq2[api.GroupMember, error] {
	return observed(ctx, s.meter, "GroupMembers", s.of.GroupMembers(ctx, name, number))
}

// Groups is Snapshot.Groups of the present state.
func (db *DB) Groups(ctx context.Context, name string, q api.GroupsQuery) iter.Seq2[api.Group, error] {
	return rowsOf(ctx, db.reader, "Groups", nil, func(m snapshot, _ *search) (iter.Seq2[api.Group, error], error) {
		return m.one.Groups(ctx, name, q), nil
	})
}

// Mark returns a mark of this state for Since, which then selects the documents put later. It waits
// until all earlier writes are durable. A mark is printable, belongs to this database and never
// expires.
func (s *Snapshot) Mark(ctx context.Context) (string, error) {
	return askOne(ctx, s.reader, "Mark", nil, func(m *engine.Snapshot, _ *search) (string, error) { return m.Mark(ctx) })
}

// Mark is Snapshot.Mark of the present state.
func (db *DB) Mark(ctx context.Context) (string, error) {
	return askOne(ctx, db.reader, "Mark", nil, func(s *engine.Snapshot, _ *search) (string, error) { return s.Mark(ctx) })
}
