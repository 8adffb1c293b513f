package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
)

// Snapshot is a repeatable view of the store: every call on it sees the same
// documents, whatever is written meanwhile. Close it soon: it keeps what is
// overwritten from being freed. Safe for concurrent use.
type Snapshot struct {
	db     *DB
	pebble *pebble.Snapshot
	views  []*view // by name

	mu     sync.Mutex
	users  int // calls and loops over rows that are under way
	closed bool
	files  []string // of joins, removed at the end
}

// view is a collection as a snapshot sees it. Of the embedded collection only
// the fields that never change may be used; the others are hidden by these.
type view struct {
	*collection
	table     index.View
	index     *postings
	fresh     freshBags
	words     *countedWords // where postings do not count them
	next      uint32
	documents int64
	textBytes int64
	sets      int64
	tail      int64
}

// Snapshot freezes the present state.
func (db *DB) Snapshot() (*Snapshot, error) {
	if !db.gate.enter() {
		return nil, ErrClosed
	}
	defer db.gate.leave()
	return db.snapshot(), nil
}

// snapshot takes Pebble's snapshot and the state in memory under one mutex, so
// that they tell of the same moment.
func (db *DB) snapshot() *Snapshot {
	db.mu.Lock()
	defer db.mu.Unlock()
	s := &Snapshot{db: db, pebble: db.pebble.NewSnapshot()}
	for _, c := range db.collections {
		s.views = append(s.views, &view{
			collection: c, table: c.table.View(), index: c.index, fresh: c.fresh, words: newCountedWords(),
			next: c.next, documents: c.documents, textBytes: c.textBytes, sets: c.sets, tail: c.tail,
		})
	}
	slices.SortFunc(s.views, func(a, b *view) int { return cmp.Compare(a.name, b.name) })
	db.snapshots[s] = true
	return s
}

// Close lets the snapshot go. Calls after it return ErrClosed; calls and loops
// over rows that are under way go on to their end, also one that Close is
// called from, and the last of them frees what the snapshot keeps.
func (s *Snapshot) Close() error {
	if s.db.gate.enter() {
		defer s.db.gate.leave()
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
	s.removeTemporary()
	return s.pebble.Close()
}

// enter begins a call on the snapshot; leave ends it.
func (s *Snapshot) enter() (leave func(), err error) {
	if !s.db.gate.enter() {
		return nil, ErrClosed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.db.gate.leave()
		return nil, fmt.Errorf("snapshot: %w", ErrClosed)
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
	s.db.gate.leave()
}

// guard makes a sequence check the gate, the caller's context and the store's
// before each item.
func guard[T any](s *Snapshot, ctx context.Context, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		leave, err := s.enter()
		if err != nil {
			yield(zero, err)
			return
		}
		defer leave()
		for item, err := range seq {
			if err == nil {
				err = s.interrupted(ctx)
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
}

// interrupted says whether a long call should stop.
func (s *Snapshot) interrupted(ctx context.Context) error {
	if s.db.ctx.Err() != nil {
		return ErrClosed
	}
	return ctx.Err()
}

func (s *Snapshot) view(name string) (*view, error) {
	name = orDefault(name)
	i, ok := slices.BinarySearchFunc(s.views, name, func(v *view, name string) int { return cmp.Compare(v.name, name) })
	if !ok {
		return nil, fmt.Errorf("collection %q %w", name, ErrNotFound)
	}
	return s.views[i], nil
}

// viewsOf resolves the names of a search, docs where there are none.
func (s *Snapshot) viewsOf(names []string) ([]*view, error) {
	if len(names) == 0 {
		names = []string{DefaultCollection}
	}
	var out []*view
	for _, n := range names {
		v, err := s.view(n)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, v) {
			return nil, invalid("collection %q is named twice", n)
		}
		out = append(out, v)
	}
	return out, nil
}

// Collections describes all collections, by name.
func (s *Snapshot) Collections() []CollectionInfo {
	var out []CollectionInfo
	for _, v := range s.views {
		out = append(out, v.info())
	}
	return out
}

// Collection describes one; ErrNotFound if there is none of that name.
func (s *Snapshot) Collection(name string) (CollectionInfo, error) {
	v, err := s.view(name)
	if err != nil {
		return CollectionInfo{}, err
	}
	return v.info(), nil
}

func (v *view) info() CollectionInfo {
	return CollectionInfo{Name: v.name, Settings: v.settings, Documents: v.documents, Sets: v.sets, TextBytes: v.textBytes}
}

// Get returns a stored document; ErrNotFound if there is none of that id.
func (s *Snapshot) Get(collection, id string) (Document, error) {
	leave, err := s.enter()
	if err != nil {
		return Document{}, err
	}
	defer leave()
	v, err := s.view(collection)
	if err != nil {
		return Document{}, err
	}
	r, err := s.record(v, id)
	if err != nil {
		return Document{}, err
	}
	return s.document(v, id, r)
}

func (s *Snapshot) document(v *view, id string, r documentRecord) (d Document, err error) {
	d.Collection, d.ID = v.name, id
	if d.Meta, err = decodeMeta(r.meta); err != nil {
		return d, fmt.Errorf("document %q: %w", id, err)
	}
	d.Text, err = s.text(v, r.set, id)
	return d, err
}

// record reads what is stored of an id, apart from its text.
func (s *Snapshot) record(v *view, id string) (documentRecord, error) {
	b, err := get(s.pebble, keys.WithID(v.key(keys.Document), id))
	if err != nil {
		return documentRecord{}, err
	}
	if b == nil {
		return documentRecord{}, fmt.Errorf("document %q %w", id, ErrNotFound)
	}
	return decodeDocumentRecord(b)
}

// text reads the text of a document that has the set.
func (s *Snapshot) text(v *view, set uint32, id string) (string, error) {
	value, closer, err := s.pebble.Get(keys.WithID(v.key(keys.Text, set), id))
	if errors.Is(err, pebble.ErrNotFound) {
		return "", corrupt("text of document %q is missing", id)
	}
	if err != nil {
		return "", storeError(err)
	}
	text, err := s.db.codec.decode(value, v.dictionary.Load())
	if err = errors.Join(err, closer.Close()); err != nil {
		return "", fmt.Errorf("document %q: %w", id, err)
	}
	return text, nil
}

// DocInfo is what is known of a document without reading its text.
type DocInfo struct {
	ID        string
	Meta      Meta
	TextBytes int64
	Shingles  int64  // distinct
	SimHash   uint64 // valid when Shingles > 0
	SI        []SI   // similarity indexes, in the order of the collection's settings
}

// SI is a similarity index of a document; a text may be too short to have one.
type SI struct {
	Value int64
	Valid bool
}

// Info describes a document; ErrNotFound if there is none of that id.
func (s *Snapshot) Info(collection, id string) (DocInfo, error) {
	leave, err := s.enter()
	if err != nil {
		return DocInfo{}, err
	}
	defer leave()
	v, err := s.view(collection)
	if err != nil {
		return DocInfo{}, err
	}
	r, err := s.record(v, id)
	if err != nil {
		return DocInfo{}, err
	}
	return s.docInfo(v, id, r)
}

func (s *Snapshot) docInfo(v *view, id string, r documentRecord) (DocInfo, error) {
	meta, err := decodeMeta(r.meta)
	if err != nil {
		return DocInfo{}, fmt.Errorf("document %q: %w", id, err)
	}
	i := DocInfo{ID: id, Meta: meta, TextBytes: r.textBytes}
	if r.set < v.next {
		i.Shingles, i.SimHash = int64(v.table.Size(r.set).Distinct), v.table.SimHash(r.set)
		if len(v.kept.si) > 0 {
			f, err := readFeatures(s.pebble, v.collection, r.set)
			if err != nil {
				return DocInfo{}, fmt.Errorf("document %q: %w", id, err)
			}
			i.SI = f.si
		}
	}
	return i, nil
}

// Infos goes through a collection in the order of ids, bytewise.
func (s *Snapshot) Infos(ctx context.Context, collection string) iter.Seq2[DocInfo, error] {
	return each(s, ctx, collection, s.docInfo)
}

// Documents is Infos with the texts.
func (s *Snapshot) Documents(ctx context.Context, collection string) iter.Seq2[Document, error] {
	return each(s, ctx, collection, s.document)
}

var errStop = errors.New("stop")

func each[T any](s *Snapshot, ctx context.Context, collection string, make func(*view, string, documentRecord) (T, error)) iter.Seq2[T, error] {
	return guard(s, ctx, func(yield func(T, error) bool) {
		var zero T
		v, err := s.view(collection)
		if err == nil {
			err = v.records(s.pebble, func(id string, r documentRecord) error {
				item, err := make(v, id, r)
				if err != nil {
					return err
				}
				if !yield(item, nil) {
					return errStop
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(zero, err)
		}
	})
}

// records calls yield for every document, by id.
func (c *collection) records(r pebble.Reader, yield func(id string, r documentRecord) error) error {
	prefix := c.key(keys.Document)
	return scan(r, prefix, func(key, value []byte) error {
		rec, err := decodeDocumentRecord(value)
		if err != nil {
			return err
		}
		return yield(string(key[len(prefix):]), rec)
	})
}

// Fields returns the names of the top-level metadata fields that occur in a
// collection, sorted.
func (s *Snapshot) Fields(ctx context.Context, collection string) ([]string, error) {
	seen := map[string]bool{}
	for info, err := range s.Infos(ctx, collection) {
		if err != nil {
			return nil, err
		}
		for f := range info.Meta {
			seen[f] = true
		}
	}
	out := make([]string, 0, len(seen))
	for f := range seen {
		out = append(out, f)
	}
	slices.Sort(out)
	return out, nil
}
