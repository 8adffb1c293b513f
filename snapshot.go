package simdb

// One moment of a database, for as long as a caller needs it.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/meter"
	"github.com/simdb/simdb/query"
)

// Snapshot is a Reader of one moment of a database: every call on it sees the same documents,
// whatever is written meanwhile. Close it soon: it keeps what is overwritten from being
// freed. Safe for concurrent use.
type Snapshot struct {
	reader
	of *engine.Snapshot
}

func newSnapshot(s *engine.Snapshot, m *meter.Meter) *Snapshot {
	return &Snapshot{reader{func() (snapshot, error) { return ofSnapshot(s), nil }, m}, s}
}

// Snapshot freezes the present state.
func (db *DB) Snapshot() (*Snapshot, error) {
	s, err := db.store().Snapshot()
	if err != nil {
		return nil, err
	}
	return newSnapshot(s, db.meter), nil
}

// Close lets the snapshot go. Calls after it return ErrClosed; calls and loops over rows that
// are under way go on to their end, also one that Close is called from.
func (s *Snapshot) Close() error { return s.of.Close() }

// Query answers a statement that only reads, as DB.Query does. One that
// changes something is ErrReadOnly. CHECK is of the database: here it is an *api.ParseError.
func (s *Snapshot) Query(ctx context.Context, statement string, args ...any) (*Rows, error) {
	return s.QueryWith(ctx, QueryOptions{}, statement, args...)
}

// QueryWith is Query for a statement that may do what the options say.
func (s *Snapshot) QueryWith(ctx context.Context, opts QueryOptions, statement string, args ...any) (*Rows, error) {
	c := s.meter.Begin(ctx, "Query")
	if err := engine.CheckContext(ctx); err != nil {
		return nil, c.End(err)
	}
	rows, err := query.RunAt(ctx, s.of, query.Options(opts), statement, args...)
	return rowsFor(c, rows, err)
}

// Collection describes one; ErrNotFound if there is none of that name.
func (s *Snapshot) Collection(name string) (api.CollectionInfo, error) { return s.of.Collection(name) }

// Infos goes through a collection in the order of ids, bytewise, from the first id that is
// from or comes after it. To reach it takes no longer in a large collection.
func (s *Snapshot) Infos(ctx context.Context, collection, from string) iter.Seq2[api.DocInfo, error] {
	return observed(ctx, s.meter, "Infos", s.of.InfosFrom(ctx, collection, from))
}

// Documents is Infos of all documents, with the texts.
func (s *Snapshot) Documents(ctx context.Context, collection string) iter.Seq2[api.Document, error] {
	return observed(ctx, s.meter, "Documents", s.of.Documents(ctx, collection))
}

// IDs goes through the ids of a collection that begin with a prefix, in their order, bytewise.
// It costs as much as there are such ids, not as there are documents.
func (s *Snapshot) IDs(ctx context.Context, collection, prefix string) iter.Seq2[string, error] {
	return observed(ctx, s.meter, "IDs", s.of.IDs(ctx, collection, prefix))
}

// Spread returns the ids of up to n documents that stand for a collection: they were first
// written at equal distances in its life. Of documents with equal shingles it knows one, and
// of those without any none.
func (s *Snapshot) Spread(ctx context.Context, collection string, n int) ([]string, error) {
	c := s.meter.Begin(ctx, "Spread")
	ids, err := s.of.Spread(ctx, collection, n)
	c.Rows = int64(len(ids))
	return ids, c.End(err)
}

// Notes goes through the notes whose names begin with a prefix, by name, bytewise.
func (s *Snapshot) Notes(ctx context.Context, prefix string) iter.Seq2[api.Note, error] {
	return observed(ctx, s.meter, "Notes", s.of.Notes(ctx, prefix))
}

// Dedupe is DB.Dedupe of this moment; it deletes nothing.
func (s *Snapshot) Dedupe(ctx context.Context, keep api.Keep, opts ...SearchOption) iter.Seq2[api.Duplicate, error] {
	return rowsOf(ctx, s.reader, "Dedupe", opts, func(m snapshot, q *search) (iter.Seq2[api.Duplicate, error], error) {
		found, err := m.one.Dedupe(ctx, q.Search, keep)
		rows, err := planned(q, found, err)
		return engine.Undated(rows), err
	})
}

// Groupings describes what is kept in groups.
func (s *Snapshot) Groupings() []api.Grouping { return s.of.Groupings() }

// Groups goes through the groups of a name, by number, or the largest first.
func (s *Snapshot) Groups(ctx context.Context, name string, q api.GroupsQuery) iter.Seq2[api.Group, error] {
	return observed(ctx, s.meter, "Groups", s.of.Groups(ctx, name, q))
}

// GroupOf is the group of a document; false if it has none.
func (s *Snapshot) GroupOf(name, id string) (g api.Group, ok bool, err error) {
	return s.of.GroupOf(name, id)
}

// Group is the group of a number, or the one that it went into; false if it has ended, or never
// was.
func (s *Snapshot) Group(name string, number uint64) (g api.Group, ok bool, err error) {
	return s.of.Group(name, number)
}

// GroupMembers goes through the documents of a group, that which is kept first. The number
// of a group that went into another one answers for that.
func (s *Snapshot) GroupMembers(ctx context.Context, name string, number uint64) iter.Seq2[api.GroupMember, error] {
	return observed(ctx, s.meter, "GroupMembers", s.of.GroupMembers(ctx, name, number))
}

// Groups is Snapshot.Groups of the present moment.
func (db *DB) Groups(ctx context.Context, name string, q api.GroupsQuery) iter.Seq2[api.Group, error] {
	return rowsOf(ctx, db.reader, "Groups", nil, func(m snapshot, _ *search) (iter.Seq2[api.Group, error], error) {
		return m.one.Groups(ctx, name, q), nil
	})
}

// Mark names the moment, for Since: what is put after it is written since. It waits until all
// that was written before survives a crash. A mark is printable, belongs to this database and
// never ends.
func (s *Snapshot) Mark(ctx context.Context) (string, error) {
	return askedOne(ctx, s.reader, "Mark", nil, func(m *engine.Snapshot, _ *search) (string, error) { return m.Mark(ctx) })
}

// Mark is Snapshot.Mark of the present moment.
func (db *DB) Mark(ctx context.Context) (string, error) {
	return askedOne(ctx, db.reader, "Mark", nil, func(s *engine.Snapshot, _ *search) (string, error) { return s.Mark(ctx) })
}
