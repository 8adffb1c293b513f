// Package engine is the database. It stores documents, derives their shingle sets, sketches
// and postings, and answers similarity searches exactly: a result equals that of a full
// scan of the same snapshot. A commit is atomic, and durable once it returns. Set numbers
// and Pebble stay inside the package.
//
// The package owns all locks and all long-lived goroutines. Its internal packages define
// the storage formats, the reading of stored data, and the searches.
//
// Begin reading with [DB] in this file and the path of a write in commit.go; snapshot.go is
// the path of a read, and builder.go the background work. recover.go explains recovery.
//
// Other modules can import the package, but only the root package and the command promise
// stability.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
	"github.com/simdb/simdb/internal/worker"
	"github.com/simdb/simdb/wal"
)

// DB is an open store. It is safe for concurrent use. The caller must call Close.
//
// Lock order: a snapshot's mutex, builder.building or builder.trimming before mu.
type DB struct {
	opts      Options
	opening   disk.Options // of disk, for Open and after each sleep
	disk      *disk.Store
	shared    *view.Shared
	lifecycle lifecycle
	stop      context.CancelFunc // ends shared.Closing, and with it long calls

	creating *semaphore.Weighted // serialises the creation of collections
	copying  *semaphore.Weighted // serialises copies of the store
	filling  *semaphore.Weighted // serialises the search for room on a full disk
	builder  builder

	observers observers // of commits

	idle          idleState   // guarded by Options.Shared
	fallingAsleep atomic.Bool // sleep is flushing the store
	// mu is the commit mutex. It guards state, and the fields of builder that are marked as
	// guarded. Commits, replay, publishing and snapshots hold it briefly: while it is held,
	// only the log writes to the disk, except in an erasure, where Compact flushes.
	mu sync.Mutex
	state
}

// state is the data that the commit mutex guards.
type state struct {
	seq            uint64     // of the last applied record
	last           wal.Ticket // of the last record appended since Open
	collections    map[string]*collection
	lastCollection uint32
	implied        *collection   // docs until it is created: empty, with default settings and no number
	outdated       []*collection // analysed with other Unicode tables; Open converts them
	files          *segment.Dir
	snapshots      map[*Snapshot]bool
	regrouping     bool // CreateGroups is running, and writers wait
}

// newState returns the state of a store without collections.
func newState() state {
	return state{collections: map[string]*collection{}, snapshots: map[*Snapshot]bool{}}
}

// Open opens the store in a directory, and creates it unless MustExist is set. Errors:
//
//   - ErrLocked: another process has the store open for writing, and this call
//     opens it for writing too
//   - ErrCorrupt: the stored data is damaged or inconsistent
//   - ErrFormat: another version of simdb wrote the store; also ErrFormatTooNew if it is
//     newer
//   - ErrUnicode: the texts were analysed with other Unicode tables, and Options.Convert
//     does not permit their conversion
func Open(path string, opts *Options) (*DB, error) {
	return OpenContext(context.Background(), path, opts)
}

// OpenContext is Open with a context that only bounds the opening. If the context ends
// first, OpenContext returns its error and leaves the store as a crash would.
func OpenContext(ctx context.Context, path string, opts *Options) (opened *DB, err error) {
	if ctx == nil {
		return nil, fault.Invalid("open %s: the context is nil; Open needs none", path)
	}
	db := &DB{
		opts:     opts.withDefaults(),
		creating: semaphore.NewWeighted(1), copying: semaphore.NewWeighted(1), filling: semaphore.NewWeighted(1), builder: builder{building: semaphore.NewWeighted(1)},
		observers: newObservers(), state: newState(),
	}
	db.lifecycle = newLifecycle(db.use, db.unuse)
	db.builder.worker = worker.New(db.build)
	closing, stop := context.WithCancel(context.Background())
	db.stop = stop
	unlink := context.AfterFunc(ctx, stop) // long steps observe closing
	defer func() {
		if !unlink() { // other errors may be a consequence
			err = ctx.Err()
		}
		if err != nil {
			db.stop()
			db.release() // further errors are consequences of err
			opened, err = nil, fmt.Errorf("open %s: %w", path, err)
			return
		}
		db.disk.Opened()
		db.begin()
	}()
	if err := errors.Join(db.opts.check(), db.opts.Entities.Check(), ctx.Err()); err != nil {
		return nil, err
	}
	if db.opts.InMemory {
		path = "memory" // a name for messages
	}
	return db, db.open(closing, path)
}

// open opens the parts of a store in order.
func (db *DB) open(closing context.Context, path string) (err error) {
	memory, tables := db.opts.memory()
	if db.shared, err = view.NewShared(closing, memory, db.opts.MaxDocBytes); err != nil {
		return err
	}
	db.shared.OnAnalysis(db.opts.analysed)
	docs, err := record.NewSchema(db.opts.unicode, 0, api.DefaultCollection, api.Settings{})
	if err != nil {
		return err
	}
	db.implied = newCollection(docs)
	db.opening = disk.Options{
		FS: db.opts.fs, MustExist: db.opts.MustExist, ReadOnly: db.opts.ReadOnly, MemTableBytes: db.opts.memTableBytes, Tables: tables, Logger: db.opts.Logger,
		LockTimeout: db.opts.LockTimeout, Advanced: db.advanced, KeepLog: db.opts.KeepLog, Records: records{db},
	}
	if err := db.attach(path); err != nil {
		return err
	}
	if db.opts.regroup {
		for _, c := range db.collections {
			if err := db.regroup(c); err != nil {
				return err
			}
		}
	}
	return db.readAgain()
}

// attach opens the files of the store, restores its state from them, and replays the log.
func (db *DB) attach(path string) error {
	store, err := disk.Open(db.shared.Closing, path, db.opening)
	if err != nil {
		return err
	}
	db.disk, db.shared.Counting = store, store.NewScratch()
	if err := db.restoreSchemas(); err != nil {
		return err
	}
	if err := db.restore(); err != nil {
		return err
	}
	return store.OpenError(db.replay())
}

// detach closes the files of the store and forgets the state restored from them.
func (db *DB) detach() error {
	db.mu.Lock()
	was := db.state
	db.state = newState()
	db.state.implied = was.implied
	db.mu.Unlock()
	var errs []error
	for _, c := range was.collections {
		errs = append(errs, c.postings.Close())
	}
	if db.disk != nil {
		if db.shared.Counting != nil {
			db.shared.Counting.Remove()
		}
		errs = append(errs, db.disk.Close())
	}
	return errors.Join(errs...)
}

// begin registers the store with Options.Shared if it may sleep, and starts the builder
// unless the store is read-only.
func (db *DB) begin() {
	if db.opts.sleeps() {
		db.opts.Shared.arrive(db)
	}
	if !db.opts.ReadOnly {
		db.builder.worker.Start()
		db.wakeBuilder()
	}
}

// Note returns the value of a note, as Batch.Note stored it; nil if there is none.
func (db *DB) Note(name string) ([]byte, error) {
	if err := db.lifecycle.enter(); err != nil {
		return nil, err
	}
	defer db.lifecycle.leave()
	return disk.GetSealed(db.disk.Pebble(), keys.OfNote(name))
}

// collection returns the live collection of that name, or ErrNoCollection.
func (db *DB) collection(name string) (*collection, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if c := db.collections[name]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("collection %q %w", name, api.ErrNoCollection)
}

// counted returns the number of documents of all collections after the last applied record.
func (db *DB) counted() (seq uint64, documents int64) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		documents += c.Documents
	}
	return db.seq, documents
}

// MaxDocBytes returns the maximum length of a text, in bytes.
func (db *DB) MaxDocBytes() int64 { return db.opts.MaxDocBytes }

// MemoryBytes returns the memory budget of imports, builds and joins.
func (db *DB) MemoryBytes() int64 { return db.opts.MemoryBytes }

// Names of internal packages that callers of the engine need.

// WithProgress returns a context that makes calls report their progress: at the beginning
// of each stage, and then at most ten times a second. The calls of report come from any
// goroutine, never concurrently, and block the work while they run.
func WithProgress(ctx context.Context, report func(api.Progress)) context.Context {
	return progress.With(ctx, report)
}

// Searches and their results.
type (
	Search         = search.Search
	Fields         = search.Fields
	Relations      = search.Relations
	Result[T any]  = search.Result[T]
	DatedDuplicate = pairs.DatedDuplicate
	Counted        = pairs.Counted
)

// BuiltInEntities returns the built-in extractor with a gazetteer, one name per line, and
// groups of synonyms, one comma-separated group per line. Either may be nil.
func BuiltInEntities(gazetteer, synonyms io.Reader) (*api.EntityExtractor, error) {
	return record.BuiltInEntities(gazetteer, synonyms)
}

// FingerprintOf computes the SimHash of a text as a collection with these settings does.
func FingerprintOf(text string, s api.Settings) (uint64, error) {
	return record.FingerprintOf(text, s)
}

// CheckCollectionName returns ErrInvalid for a name that no collection can have.
func CheckCollectionName(name string) error { return record.CheckCollectionName(name) }

// MaxMetaBytes is the maximum length of a document's metadata as JSON.
const MaxMetaBytes = record.MaxMetaBytes

// EncodeMeta encodes metadata in the stored form, for DecodeMeta.
func EncodeMeta(m api.Meta) ([]byte, error) { return record.EncodeMeta(m) }

// DecodeMeta decodes stored metadata, or returns ErrCorrupt.
func DecodeMeta(b []byte) (api.Meta, error) { return record.DecodeMeta(b) }

// Metrics returns the present figures of the store; zero after Close.
func (db *DB) Metrics() api.Metrics {
	if db.lifecycle.enter() != nil {
		return api.Metrics{}
	}
	defer db.lifecycle.leave()
	pebble, log := db.disk.Bytes()
	m := api.Metrics{DiskBytes: pebble + log, LogBytes: log}
	m.CacheHits, m.CacheMisses = db.shared.BagLookups()
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		for _, s := range c.postings.Segments {
			m.DiskBytes += s.Size()
		}
		m.Documents += c.Documents
		m.Sets += c.Sets
		m.Segments += int64(len(c.postings.Segments))
		m.TailSets += c.tail
		m.BuildFailing = m.BuildFailing || c.unbuilt.err != nil
	}
	f := &db.builder.failed
	m.BuildFailures, m.BuildError, m.BuildFailedAt = f.times, f.why, f.at
	m.OpenSnapshots = int64(len(db.snapshots))
	return m
}
