package simdb

// Searches over several databases, for more documents than one database should hold.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/meter"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/query/shards"
)

// Shards searches several databases together, read-only. It is safe for concurrent use. Close it.
//
// The merged rows equal, exactly and in order, the rows of one database with all documents. A
// store, which is one of the databases, and an id together identify a document. Equal ids in
// two stores are two documents, in the order of the stores in OpenShards; such an id as a
// target is ErrInvalid unless Target.Store names the store.
type Shards struct {
	reader
	stores []shards.Store
}

// OpenShards opens existing databases, each as with Options.ReadOnly: other processes may write to
// them, and Shards does not see later writes. CacheBytes and MemoryBytes apply to all databases
// together. A directory that occurs twice is ErrInvalid, and so is a database whose restore did not
// end, because it contains only a part of a dump.
func OpenShards(ctx context.Context, paths []string, opts *Options) (*Shards, error) {
	if err := engine.CheckContext(ctx); err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, invalid("no database is named")
	}
	if err := rejectRepeated(paths); err != nil {
		return nil, err
	}
	o := shareOf(opts, len(paths))
	s := &Shards{reader: reader{meter: meter.New(o.Observer)}, stores: make([]shards.Store, len(paths))}
	s.take = func() (snapshot, error) {
		all, err := shards.Take(s.stores)
		if err != nil {
			return snapshot{}, err
		}
		return snapshot{all: all, over: all.Close}, nil
	}
	errs := make([]error, len(paths))
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, path := range paths {
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			s.stores[i].Name = path
			errs[i] = s.open(ctx, i, &o)
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// open opens store i and rejects it if a restore into it did not end.
func (s *Shards) open(ctx context.Context, i int, o *Options) error {
	store := &s.stores[i]
	db, err := OpenContext(ctx, store.Name, o)
	if err != nil {
		return err
	}
	store.DB = db.engine
	restoring, err := db.Note(api.RestoreNote)
	if err == nil && restoring != nil {
		err = invalid("it holds a part of a dump, because its restore did not end")
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", store.Name, err)
	}
	return nil
}

// shareOf returns the options of a store among several, with its share of the memory.
func shareOf(opts *Options, stores int) (o Options) {
	if opts != nil {
		o = *opts
	}
	o.ReadOnly, o.MustExist = true, true
	o.MemoryBytes = cmp.Or(o.MemoryBytes, DefaultMemoryBytes())
	o.CacheBytes = cmp.Or(o.CacheBytes, min(36<<20, o.MemoryBytes/7))
	o.CacheBytes = max(o.CacheBytes/int64(stores), min(o.CacheBytes, 1<<20))
	o.MemoryBytes = max(o.MemoryBytes/int64(stores), min(o.MemoryBytes, 16<<20))
	if report := o.OpenProgress; report != nil {
		var mu sync.Mutex
		o.OpenProgress = func(p api.OpenProgress) {
			mu.Lock()
			defer mu.Unlock()
			report(p)
		}
	}
	return o
}

// rejectRepeated rejects a directory that occurs more than once. It leaves missing directories to
// Open.
func rejectRepeated(paths []string) error {
	var seen []os.FileInfo
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			info = nil
		}
		for j, other := range seen {
			if info != nil && other != nil && os.SameFile(info, other) {
				return invalid("%s and %s are one database", paths[j], paths[i])
			}
		}
		seen = append(seen, info)
	}
	return nil
}

// Query runs SIMILAR TO, EXPLAIN SIMILAR TO and SOURCES OF, as DB.Query does. The rows have one
// more column: store, the path given to OpenShards, which in SIMILAR TO is also a field for WHERE,
// RETURNING and ORDER BY. Any other statement is an *api.ParseError that names the alternative:
// simdb scale run finds the pairs and groups of several stores.
//
// The searched collections must have the same unit, k, normalize, fold, language, si, gazetteer and
// synonyms in every store, otherwise Query returns ErrInvalid. It skips a store in which a
// collection is missing or empty. USING words(idf = 'on') is ErrInvalid, because no store contains
// the document frequencies of all.
func (s *Shards) Query(ctx context.Context, statement string, args ...any) (*Rows, error) {
	return s.QueryWith(ctx, QueryOptions{}, statement, args...)
}

// QueryWith is Query with limits on the statement.
func (s *Shards) QueryWith(ctx context.Context, opts QueryOptions, statement string, args ...any) (*Rows, error) {
	c := s.meter.Begin(ctx, "Query")
	if err := engine.CheckContext(ctx); err != nil {
		return nil, c.End(err)
	}
	rows, err := query.RunShards(ctx, s.stores, query.Options(opts), statement, args...)
	return rowsFor(c, rows, err)
}

// Close closes all stores, as DB.Close does: it waits for running calls, and loops over rows end
// with their next row. Later calls return ErrClosed. Inside a loop over rows of several stores,
// Close would wait for itself: it returns ErrInvalid, and all stores stay open.
func (s *Shards) Close() error {
	if shards.InLoop() {
		return invalid("close: it is called from a loop over rows of several stores, and would wait for itself")
	}
	return s.close()
}

// close closes the open stores concurrently, because a loop over rows may wait in any of them.
func (s *Shards) close() error {
	errs := make([]error, len(s.stores))
	var wait sync.WaitGroup
	for i, store := range s.stores {
		if store.DB == nil {
			continue
		}
		wait.Go(func() {
			if err := store.DB.Close(); err != nil {
				errs[i] = fmt.Errorf("store %s: %w", store.Name, err)
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}
