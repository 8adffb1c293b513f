// Package engine is the database: it keeps documents, derives their shingle
// sets, sketches and postings, and answers searches exactly. Documents and
// searches come in; ids and similarities go out. The numbers of sets never
// leave the package, and neither does Pebble.
//
// It is the door and the clock of its rooms: it owns every lock and goroutine
// that lasts. What is stored, how it is read, and how a search goes is told in
// the rooms below it.
//
// It is reachable from outside the module, but promises nothing to it: only the root package
// and the command do.
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

// DB is an open store. Safe for concurrent use; Close it.
type DB struct {
	opts      Options
	disk      *disk.Store
	shared    *view.Shared
	lifecycle lifecycle
	stop      context.CancelFunc // ends shared.closing: calls under way

	creating *semaphore.Weighted // one call at a time makes a collection
	copying  *semaphore.Weighted // one call at a time copies the store
	builder  builder

	observers observers // of commits

	nap    nap         // guarded by Options.Shared
	dozing atomic.Bool // it falls asleep
	// mu is the commit mutex. It guards the state, and what the builder says of itself.
	// Commits, the replay of the log, publishing and snapshots take it, each for a
	// view: nothing waits for a disk while it holds it, but the log's own writes. Who
	// needs the mutex of a snapshot, builder.building or builder.trimming as well takes
	// that first.
	mu sync.Mutex
	state
}

// state is what the commit mutex guards.
type state struct {
	seq            uint64     // of the last applied record
	last           wal.Ticket // of the last record that was appended since Open
	collections    map[string]*collection
	lastCollection uint32
	implied        *collection   // docs as long as it is not made: empty, with the default settings and no number
	outdated       []*collection // read with other Unicode tables; Open sees to them
	files          *segment.Dir
	snapshots      map[*Snapshot]bool
	regrouping     bool // groups are being made, and writers wait
}

// Open opens the store in the directory, creating it unless MustExist is set.
// ErrLocked if another has it open to write and this one would write too, ErrCorrupt if what is stored
// contradicts itself, ErrFormat if another version of simdb wrote it, and also ErrFormatTooNew if a newer one did, ErrUnicode if
// its texts were read with tables that Options.Convert does not let it leave.
func Open(path string, opts *Options) (*DB, error) {
	return OpenContext(context.Background(), path, opts)
}

// OpenContext is Open until the context ends: then it returns the context's error, and
// the store is as a crash would leave it. The context is not needed after that.
func OpenContext(ctx context.Context, path string, opts *Options) (opened *DB, err error) {
	if ctx == nil {
		return nil, fault.Invalid("open %s: the context is nil; Open needs none", path)
	}
	db := &DB{
		opts:     opts.withDefaults(),
		creating: semaphore.NewWeighted(1), copying: semaphore.NewWeighted(1), builder: builder{building: semaphore.NewWeighted(1)},
		observers: newObservers(), state: state{collections: map[string]*collection{}, snapshots: map[*Snapshot]bool{}},
	}
	db.lifecycle = newLifecycle(db.use, db.unuse)
	db.builder.worker = worker.New(db.build)
	closing, stop := context.WithCancel(context.Background())
	db.stop = stop
	heeded := context.AfterFunc(ctx, stop) // all that takes long ends with closing
	defer func() {
		if !heeded() { // what else went wrong may come of it
			err = ctx.Err()
		}
		if err != nil {
			db.stop()
			db.release() // what else goes wrong comes of err
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

// open opens what a store consists of, one after another.
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
	db.disk, err = disk.Open(closing, path, disk.Options{
		FS: db.opts.fs, MustExist: db.opts.MustExist, ReadOnly: db.opts.ReadOnly, MemTableBytes: db.opts.memTableBytes, Tables: tables, Logger: db.opts.Logger,
		LockTimeout: db.opts.LockTimeout, Advanced: db.advanced, KeepLog: db.opts.KeepLog, Records: records{db},
	})
	if err != nil {
		return err
	}
	db.shared.Counting = db.disk.NewScratch()
	if err := db.restoreSchemas(); err != nil {
		return err
	}
	if err := db.restore(); err != nil {
		return err
	}
	if err := db.replay(); err != nil {
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

// begin lets the builder work on a store that is open for writing.
func (db *DB) begin() {
	if db.opts.sleeps() {
		db.opts.Shared.arrive(db)
	}
	if !db.opts.ReadOnly {
		db.builder.worker.Start()
		db.wakeBuilder()
	}
}

// Note returns what a Batch left under the name; nil if there is none.
func (db *DB) Note(name string) ([]byte, error) {
	if err := db.lifecycle.enter(); err != nil {
		return nil, err
	}
	defer db.lifecycle.leave()
	return disk.GetSealed(db.disk.Pebble(), keys.OfNote(name))
}

// collection returns the live collection of that name.
func (db *DB) collection(name string) (*collection, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if c := db.collections[name]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("collection %q %w", name, api.ErrNoCollection)
}

// counted is how many documents all collections have after the last applied record.
func (db *DB) counted() (seq uint64, documents int64) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		documents += c.Documents
	}
	return db.seq, documents
}

// MaxDocBytes is the largest text that a put takes.
func (db *DB) MaxDocBytes() int64 { return db.opts.MaxDocBytes }

// MemoryBytes is the memory for imports, builds and joins.
func (db *DB) MemoryBytes() int64 { return db.opts.MemoryBytes }

// What callers see of the rooms, under the engine's own names.

// WithProgress returns a context whose calls tell the function how far they are: when a
// stage of the work begins, and at most ten times a second while it goes on. The function
// is called from any goroutine, never from two at once, and holds up the work while it runs.
func WithProgress(ctx context.Context, tell func(api.Progress)) context.Context {
	return progress.With(ctx, tell)
}

// What is asked and answered.
type (
	Search         = search.Search
	Fields         = search.Fields
	Relations      = search.Relations
	Result[T any]  = search.Result[T]
	DatedDuplicate = pairs.DatedDuplicate
	Counted        = pairs.Counted
)

// BuiltInEntities is the built-in extractor with a list of names, one a line, and groups of
// terms for one thing, one group a line with commas between; either may be nil.
func BuiltInEntities(gazetteer, synonyms io.Reader) (*api.EntityExtractor, error) {
	return record.BuiltInEntities(gazetteer, synonyms)
}

// FingerprintOf computes the SimHash of a text as a collection of these settings
// does.
func FingerprintOf(text string, s api.Settings) (uint64, error) {
	return record.FingerprintOf(text, s)
}

// CheckCollectionName refuses names that no collection can have, with ErrInvalid.
func CheckCollectionName(name string) error { return record.CheckCollectionName(name) }

// MaxMetaBytes is the most that the metadata of a document takes as JSON.
const MaxMetaBytes = record.MaxMetaBytes

// EncodeMeta returns metadata as it is stored; DecodeMeta reads that.
func EncodeMeta(m api.Meta) ([]byte, error) { return record.EncodeMeta(m) }

// DecodeMeta reads metadata as it is stored. ErrCorrupt if it does not decode.
func DecodeMeta(b []byte) (api.Meta, error) { return record.DecodeMeta(b) }

// Metrics reports the present state; zero after Close.
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
