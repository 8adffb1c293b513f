package engine

import (
	"context"
	"errors"
	"iter"
	"log/slog"
)

// The sentinels a caller can act on; test with errors.Is.
var (
	ErrNotFound     = errors.New("simdb: not found")
	ErrExists       = errors.New("simdb: already exists")
	ErrClosed       = errors.New("simdb: closed")
	ErrReadOnly     = errors.New("simdb: opened read-only")
	ErrLocked       = errors.New("simdb: store is open in another process")
	ErrCorrupt      = errors.New("simdb: corrupt data")
	ErrPoisoned     = errors.New("simdb: an earlier write failed; reopen the store")
	ErrFormatTooNew = errors.New("simdb: store was written by a newer simdb")
	ErrTooLarge     = errors.New("simdb: too large")
	ErrInvalid      = errors.New("simdb: invalid argument") // bad settings, empty id, access that does not serve the measure
)

type Options struct {
	MustExist   bool  // fail with fs.ErrNotExist rather than create
	CacheBytes  int64 // decoded sets and posting pages; 0 means 64 MiB
	MemoryBytes int64 // import and joins; 0 means 256 MiB
	MaxDocBytes int64 // largest text; 0 means 16 MiB
	Logger      *slog.Logger
}

type DB struct{}

func Open(path string, opts *Options) (*DB, error) { panic("stub") }
func (db *DB) Close() error                        { panic("stub") }

// Put stores documents, all or none, durably; equal ids replace.
func (db *DB) Put(ctx context.Context, docs ...Document) error { panic("stub") }

// Delete removes documents by id; ErrNotFound if one is not there (then none is removed).
func (db *DB) Delete(ctx context.Context, collection string, ids ...string) error { panic("stub") }

// Batch is a group of operations that become visible together or not at all.
type Batch struct{}

func (b *Batch) Put(d Document)                 { panic("stub") }
func (b *Batch) Delete(collection, id string)   { panic("stub") } // absent ids are fine
func (b *Batch) Mark(name string, value []byte) { panic("stub") } // a note kept in the same batch; DB.Mark reads it; nil removes it
func (b *Batch) Len() int                       { panic("stub") }

// BatchStats says what a batch did. A later operation on the same id in one
// batch supersedes an earlier one, counted in Superseded.
type BatchStats struct{ Inserted, Replaced, Deleted, Superseded int }

func (db *DB) Commit(ctx context.Context, b *Batch) (BatchStats, error) { panic("stub") }

// Load commits a stream of batches in order, analysing them on all cores and
// overlapping their syncs; acked is called for each batch, in order, once it
// is durable. A missing collection named by a document is created with defaults.
func (db *DB) Load(ctx context.Context, batches iter.Seq2[*Batch, error], acked func(*Batch, BatchStats)) error {
	panic("stub")
}

func (db *DB) Mark(name string) ([]byte, error) { panic("stub") } // nil when absent

func (db *DB) CreateCollection(ctx context.Context, name string, s Settings) error { panic("stub") } // ErrExists
func (db *DB) DropCollection(ctx context.Context, name string) error               { panic("stub") } // ErrNotFound

// Snapshot is a repeatable view of the store; Close it.
type Snapshot struct{}

func (db *DB) Snapshot() (*Snapshot, error) { panic("stub") }
func (s *Snapshot) Close() error            { panic("stub") }

func (s *Snapshot) Collections() []CollectionInfo                  { panic("stub") } // by name
func (s *Snapshot) Collection(name string) (CollectionInfo, error) { panic("stub") } // ErrNotFound
func (s *Snapshot) Get(collection, id string) (Document, error)    { panic("stub") } // ErrNotFound

// DocInfo is what is known of a document without reading its text.
type DocInfo struct {
	ID        string
	Meta      Meta
	TextBytes int64
	Shingles  int64  // distinct
	SimHash   uint64 // valid when Shingles > 0
}

func (s *Snapshot) Info(collection, id string) (DocInfo, error) { panic("stub") } // ErrNotFound

// Infos goes through a collection in id order (bytewise).
func (s *Snapshot) Infos(ctx context.Context, collection string) iter.Seq2[DocInfo, error] {
	panic("stub")
}

// Documents goes through a collection in id order, texts included.
func (s *Snapshot) Documents(ctx context.Context, collection string) iter.Seq2[Document, error] {
	panic("stub")
}

// Similar finds the documents similar to the target: sim descending, then id
// ascending. A stored target does not match itself. ErrNotFound if a target id
// is in none of the collections.
func (s *Snapshot) Similar(ctx context.Context, t Target, q Search) (*Result[Match], error) {
	panic("stub")
}

// Pairs finds all similar pairs: sim descending, then (a, b) ascending, in bounded memory.
func (s *Snapshot) Pairs(ctx context.Context, q Search) (*Result[PairMatch], error) { panic("stub") }

// Clusters finds the connected components of two or more documents.
func (s *Snapshot) Clusters(ctx context.Context, q Search) (*Result[ClusterMember], error) {
	panic("stub")
}

// Compare scores two targets by every measure.
func (s *Snapshot) Compare(ctx context.Context, a, b Target, in []string) ([]Comparison, error) {
	panic("stub")
}

// Explain says how Similar (t != nil), Pairs or Clusters would go, without running it.
func (s *Snapshot) Explain(t *Target, q Search) (*Plan, error) { panic("stub") }

// Problem is one thing Check found.
type Problem struct{ Collection, ID, What string }

// CheckReport is what Check looked at and found.
type CheckReport struct {
	Documents, Sets, Postings int64
	Problems                  []Problem // at most 1,000; Found counts all
	Found                     int64
}

// Check recomputes everything derived from the documents and compares.
func (db *DB) Check(ctx context.Context, progress func(done, total int64)) (*CheckReport, error) {
	panic("stub")
}

// Compact rebuilds the indexes in a fresh order and gives space back.
func (db *DB) Compact(ctx context.Context) error { panic("stub") }

// Checkpoint writes a consistent copy of the store to dir, which must not exist.
func (db *DB) Checkpoint(ctx context.Context, dir string) error { panic("stub") }

// Metrics is a state report.
type Metrics struct {
	DiskBytes, LogBytes, CacheHits, CacheMisses int64
	Documents, Sets, Segments, TailSets         int64
	OpenSnapshots                               int64
}

func (db *DB) Metrics() Metrics { panic("stub") }
