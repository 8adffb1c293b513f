package engine

// Snapshots: one moment of the store, for as long as the caller needs it.

import (
	"cmp"
	"context"
	"fmt"
	"io"
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

// Snapshot is a repeatable view of the store: all its calls see the same documents,
// regardless of later writes. Close it soon, because it retains overwritten data. It is
// safe for concurrent use.
type Snapshot struct {
	db          *DB
	view        *view.Snapshot
	collections []*collection // of its views, in order
	seq         uint64        // of the last record that it contains
	log         wal.Ticket    // of the same record, to wait for its sync

	mu     sync.Mutex
	users  int // running calls and loops over rows
	closed bool
	unuse  func() // lets the store sleep; nil if a call keeps it awake
}

// Snapshot returns a snapshot of the present state. The caller must close it.
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

// snapshot freezes Pebble and the state in memory under one mutex, so that both show the
// same moment.
func (db *DB) snapshot() *Snapshot {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.snapshotNow()
}

// snapshotNow returns a snapshot. The caller holds db.mu.
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

// Close releases the snapshot. Later calls return ErrClosed. Running calls and loops over
// rows continue, even a loop that calls Close, and the last of them frees the retained
// data. A second Close is a no-op.
func (s *Snapshot) Close() error {
	if s.db.lifecycle.enter() == nil {
		defer s.db.lifecycle.leave()
		return s.close()
	}
	return nil // the store closes its snapshots
}

// close is Close for a caller that has entered the store.
func (s *Snapshot) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.freeIfLast()
}

// freeIfLast closes Pebble's snapshot once it has no users, because Pebble panics on later
// use. The caller holds s.mu.
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

// enter begins a call on the snapshot. Unless it returns an error, the caller must call
// leave.
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

// leave ends a call on the snapshot.
func (s *Snapshot) leave() {
	s.mu.Lock()
	s.users--
	if err := s.freeIfLast(); err != nil {
		s.db.opts.Logger.Error("closing a snapshot", "error", err)
	}
	s.mu.Unlock()
	s.db.lifecycle.leave()
}

// callView runs a call on the snapshot, unless it is closed.
func callView[T any](s *Snapshot, call func(*view.Snapshot) (T, error)) (out T, err error) {
	leave, err := s.enter()
	if err != nil {
		return out, err
	}
	defer leave()
	defer segment.CatchUnreadable(&err)()
	return call(s.view)
}

// callRows runs a call with rows for later reading, and guards the rows.
func callRows[T any](s *Snapshot, ctx context.Context, call func(*view.Snapshot) (*Result[T], error)) (*Result[T], error) {
	r, err := callView(s, call)
	if err != nil {
		return nil, err
	}
	r.All = guard(s, ctx, r.All)
	return r, nil
}

// guard returns a sequence that, before each item, checks the store, the caller's context
// and the store's context.
func guard[T any](s *Snapshot, ctx context.Context, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { lendRows(s, ctx, seq, yield) }
}

// lendRows is the loop of guard. It must not be inlined: Close recognises its name on the
// stack of a loop body.
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

// MemoryBytes returns the memory budget of the store.
func (s *Snapshot) MemoryBytes() int64 { return s.view.MemoryBytes }

// ScratchFile is a temporary file, which disappears when closed.
type ScratchFile interface {
	io.WriteCloser
	io.ReaderAt
}

// Scratch creates a temporary file for rows that exceed memory. Closing the snapshot closes it too.
func (s *Snapshot) Scratch() (ScratchFile, error) {
	return callView(s, func(m *view.Snapshot) (ScratchFile, error) { return m.Scratch.Create() })
}

// Collections describes all collections, by name.
func (s *Snapshot) Collections() []api.CollectionInfo {
	var out []api.CollectionInfo
	for _, v := range s.view.Views {
		out = append(out, v.Info())
	}
	return out
}

// Collection describes a collection, or returns ErrNoCollection; docs always exists.
func (s *Snapshot) Collection(name string) (api.CollectionInfo, error) {
	v, err := s.view.View(name)
	if err != nil {
		return api.CollectionInfo{}, err
	}
	return v.Info(), nil
}

// Get returns a stored document, or ErrNotFound.
func (s *Snapshot) Get(collection, id string) (api.Document, error) {
	return callView(s, func(m *view.Snapshot) (api.Document, error) { return m.Get(collection, id) })
}

// Info returns the description of a document, or ErrNotFound.
func (s *Snapshot) Info(collection, id string) (api.DocInfo, error) {
	return callView(s, func(m *view.Snapshot) (api.DocInfo, error) { return m.Info(collection, id) })
}

// Infos yields the documents of a collection without their texts, by id, bytewise.
func (s *Snapshot) Infos(ctx context.Context, collection string) iter.Seq2[api.DocInfo, error] {
	return guard(s, ctx, s.view.InfosFrom(ctx, collection, ""))
}

// InfosFrom is Infos from the first id at or after from. It seeks, at a cost independent of
// the size of the collection.
func (s *Snapshot) InfosFrom(ctx context.Context, collection, from string) iter.Seq2[api.DocInfo, error] {
	return guard(s, ctx, s.view.InfosFrom(ctx, collection, from))
}

// Spread returns up to n ids that represent a collection: their documents were first
// written at equal distances in its life. Of several documents with equal shingles it
// returns a single id, and it omits documents without shingles.
func (s *Snapshot) Spread(ctx context.Context, collection string, n int) ([]string, error) {
	return callView(s, func(m *view.Snapshot) ([]string, error) { return m.Spread(ctx, collection, n) })
}

// IDs yields the ids of a collection with a prefix, bytewise. The cost is proportional to
// their number, not to the size of the collection.
func (s *Snapshot) IDs(ctx context.Context, collection, prefix string) iter.Seq2[string, error] {
	return guard(s, ctx, s.view.IDs(ctx, collection, prefix))
}

// IDsWhere returns the ids of the documents of a collection that may satisfy a condition on
// their metadata, ascending, and the name of the index in plans. It returns false if no
// index helps.
func (s *Snapshot) IDsWhere(ctx context.Context, collection string, f *Fields) (ids []string, index string, ok bool, err error) {
	_, err = callView(s, func(m *view.Snapshot) (none struct{}, err error) {
		v, err := m.View(collection)
		if err == nil {
			ids, index, ok, err = search.IDsOf(ctx, m, v, f)
		}
		return none, err
	})
	return ids, index, ok, err
}

// Documents is Infos with texts.
func (s *Snapshot) Documents(ctx context.Context, collection string) iter.Seq2[api.Document, error] {
	return guard(s, ctx, s.view.Documents(ctx, collection))
}

// Fields returns the sorted names of top-level metadata fields of a collection. It stops
// reading once it has found more than most; 0 means no limit.
func (s *Snapshot) Fields(ctx context.Context, collection string, most int) ([]string, error) {
	return callView(s, func(m *view.Snapshot) ([]string, error) { return m.Fields(ctx, collection, most) })
}

// Metrics returns the present figures of the store, not of the snapshot.
func (s *Snapshot) Metrics() api.Metrics { return s.db.Metrics() }

// Reading notes by prefix.

// Notes yields the notes with names that have a prefix, by name, bytewise.
func (s *Snapshot) Notes(ctx context.Context, prefix string) iter.Seq2[api.Note, error] {
	return guard(s, ctx, disk.Rows(func(yield func(api.Note) error) error {
		return disk.ScanSealed(s.view.Pebble, keys.OfNote(prefix), func(key, value []byte) error {
			return yield(api.Note{Name: string(key[1:]), Value: append([]byte{}, value...)})
		})
	}))
}
