package engine

// Snapshots: one moment of the store, for as long as the caller needs it.

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"
)

// Snapshot is a repeatable view of the store: every call on it sees the same
// documents, whatever is written meanwhile. Close it soon: it keeps what is
// overwritten from being freed. Safe for concurrent use.
type Snapshot struct {
	db          *DB
	view        *view.Snapshot
	collections []*collection // of its views, in their order
	seq         uint64        // of the last record that it has
	log         wal.Ticket    // of the same, to wait until that is durable

	mu     sync.Mutex
	users  int // calls and loops over rows that are under way
	closed bool
	unuse  func() // lets the store sleep; nil: a call keeps it awake
}

// Snapshot freezes the present state.
func (db *DB) Snapshot() (*Snapshot, error) {
	if err := db.lifecycle.enter(); err != nil {
		return nil, err
	}
	defer db.lifecycle.leave()
	if err := db.use(); err != nil {
		return nil, err
	}
	s := db.snapshot()
	s.unuse = db.unuse
	return s, nil
}

// snapshot takes Pebble's snapshot and the state in memory under one mutex, so
// that they tell of the same moment.
func (db *DB) snapshot() *Snapshot {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.snapshotNow()
}

// snapshotNow takes a snapshot; the caller holds db.mu.
func (db *DB) snapshotNow() *Snapshot {
	s := &Snapshot{
		db: db, seq: db.seq, log: db.last,
		view: &view.Snapshot{Shared: db.shared, Pebble: db.disk.Pebble().NewSnapshot(), Scratch: db.disk.NewScratch(), Store: db.disk.UUID(), Applied: db.seq},
	}
	for _, c := range db.collections {
		s.collections = append(s.collections, c)
	}
	slices.SortFunc(s.collections, func(a, b *collection) int { return cmp.Compare(a.Name, b.Name) })
	for _, c := range s.collections {
		s.view.Views = append(s.view.Views, c.view())
	}
	if db.collections[api.DefaultCollection] == nil {
		s.view.Implied = db.implied.view()
	}
	db.snapshots[s] = true
	return s
}

// Close lets the snapshot go. Calls after it return ErrClosed; calls and loops
// over rows that are under way go on to their end, also one that Close is
// called from, and the last of them frees what the snapshot keeps.
func (s *Snapshot) Close() error {
	if s.db.lifecycle.enter() == nil {
		defer s.db.lifecycle.leave()
		return s.close()
	}
	return nil // the store has closed it, or will
}

func (s *Snapshot) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.freeIfLast()
}

// freeIfLast closes Pebble's snapshot, which panics when it is used after that,
// once no one can use it any more; s.mu is held.
func (s *Snapshot) freeIfLast() error {
	if !s.closed || s.users > 0 {
		return nil
	}
	s.db.mu.Lock()
	delete(s.db.snapshots, s)
	s.db.mu.Unlock()
	s.view.Scratch.Remove()
	if s.unuse != nil {
		defer s.unuse()
	}
	return s.view.Pebble.Close()
}

// enter begins a call on the snapshot; leave ends it.
func (s *Snapshot) enter() (leave func(), err error) {
	if err := s.db.lifecycle.enter(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.db.lifecycle.leave()
		return nil, fmt.Errorf("snapshot: %w", api.ErrClosed)
	}
	s.users++
	return s.leave, nil
}

func (s *Snapshot) leave() {
	s.mu.Lock()
	s.users--
	if err := s.freeIfLast(); err != nil {
		s.db.opts.Logger.Error("closing a snapshot", "error", err)
	}
	s.mu.Unlock()
	s.db.lifecycle.leave()
}

// called makes a call on the snapshot, unless it is closed.
func called[T any](s *Snapshot, call func(*view.Snapshot) (T, error)) (out T, err error) {
	leave, err := s.enter()
	if err != nil {
		return out, err
	}
	defer leave()
	defer segment.CatchUnreadable(&err)()
	return call(s.view)
}

// answered is called for an answer with rows, which are read later.
func answered[T any](s *Snapshot, ctx context.Context, call func(*view.Snapshot) (*Result[T], error)) (*Result[T], error) {
	r, err := called(s, call)
	if err != nil {
		return nil, err
	}
	r.All = guard(s, ctx, r.All)
	return r, nil
}

// guard makes a sequence check the lifecycle of the store, the caller's context and the store's
// before each item.
func guard[T any](s *Snapshot, ctx context.Context, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { lendRows(s, ctx, seq, yield) }
}

// lendRows is such a loop. It has a name of its own on the stack, by which Close in the
// body of the loop is known.
//
//go:noinline
func lendRows[T any](s *Snapshot, ctx context.Context, seq iter.Seq2[T, error], yield func(T, error) bool) {
	var zero T
	leave, err := s.enter()
	if err != nil {
		yield(zero, err)
		return
	}
	defer leave()
	s.db.lifecycle.lend()
	defer s.db.lifecycle.take()
	for item, err := range seq {
		if err == nil {
			err = s.view.Interrupted(ctx)
		}
		if err != nil {
			yield(zero, err)
			return
		}
		if !yield(item, nil) {
			return
		}
	}
}

// Collections describes all collections, by name.
func (s *Snapshot) Collections() []api.CollectionInfo {
	var out []api.CollectionInfo
	for _, v := range s.view.Views {
		out = append(out, v.Info())
	}
	return out
}

// Collection describes one; ErrNotFound if there is none of that name.
func (s *Snapshot) Collection(name string) (api.CollectionInfo, error) {
	v, err := s.view.View(name)
	if err != nil {
		return api.CollectionInfo{}, err
	}
	return v.Info(), nil
}

// Get returns a stored document; ErrNotFound if there is none of that id.
func (s *Snapshot) Get(collection, id string) (api.Document, error) {
	return called(s, func(m *view.Snapshot) (api.Document, error) { return m.Get(collection, id) })
}

// Info describes a document; ErrNotFound if there is none of that id.
func (s *Snapshot) Info(collection, id string) (api.DocInfo, error) {
	return called(s, func(m *view.Snapshot) (api.DocInfo, error) { return m.Info(collection, id) })
}

// Infos goes through a collection in the order of ids, bytewise.
func (s *Snapshot) Infos(ctx context.Context, collection string) iter.Seq2[api.DocInfo, error] {
	return guard(s, ctx, s.view.InfosFrom(ctx, collection, ""))
}

// InfosFrom is Infos from the first id that is from or comes after it. To reach it takes no
// longer in a large collection.
func (s *Snapshot) InfosFrom(ctx context.Context, collection, from string) iter.Seq2[api.DocInfo, error] {
	return guard(s, ctx, s.view.InfosFrom(ctx, collection, from))
}

// Spread returns the ids of up to n documents that stand for a collection: they were first
// written at equal distances in its life. Of documents with equal shingles it knows one, and
// of those without any none.
func (s *Snapshot) Spread(ctx context.Context, collection string, n int) ([]string, error) {
	return called(s, func(m *view.Snapshot) ([]string, error) { return m.Spread(ctx, collection, n) })
}

// IDs goes through the ids of a collection that begin with a prefix, in their order, bytewise.
// It costs as much as there are such ids, not as there are documents.
func (s *Snapshot) IDs(ctx context.Context, collection, prefix string) iter.Seq2[string, error] {
	return guard(s, ctx, s.view.IDs(ctx, collection, prefix))
}

// IDsWhere returns the ids of the documents of a collection that may meet a condition on
// their metadata, ascending, and what plans call the index that knows them. It reports
// false where no index helps.
func (s *Snapshot) IDsWhere(ctx context.Context, collection string, f *Fields) (ids []string, index string, ok bool, err error) {
	_, err = called(s, func(m *view.Snapshot) (none struct{}, err error) {
		v, err := m.View(collection)
		if err == nil {
			ids, index, ok, err = search.IDsOf(ctx, m, v, f)
		}
		return none, err
	})
	return ids, index, ok, err
}

// Documents is Infos with the texts.
func (s *Snapshot) Documents(ctx context.Context, collection string) iter.Seq2[api.Document, error] {
	return guard(s, ctx, s.view.Documents(ctx, collection))
}

// Fields returns the names of the top-level metadata fields that occur in a
// collection, sorted. Once it knows more than most it returns what it knows; 0 means any
// number.
func (s *Snapshot) Fields(ctx context.Context, collection string, most int) ([]string, error) {
	return called(s, func(m *view.Snapshot) ([]string, error) { return m.Fields(ctx, collection, most) })
}

// Metrics are those of the store, as it is now.
func (s *Snapshot) Metrics() api.Metrics { return s.db.Metrics() }

// Reading notes: one by its name, or all that begin alike.

// Notes goes through the notes whose names begin with a prefix, by name, bytewise.
func (s *Snapshot) Notes(ctx context.Context, prefix string) iter.Seq2[api.Note, error] {
	return guard(s, ctx, disk.Rows(func(yield func(api.Note) error) error {
		return disk.ScanSealed(s.view.Pebble, keys.OfNote(prefix), func(key, value []byte) error {
			return yield(api.Note{Name: string(key[1:]), Value: append([]byte{}, value...)})
		})
	}))
}
