package simdb

// Several stores that are asked together, because their documents are more than one store is
// to hold.

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

// Shards are several databases that answer searches for similar documents together. Nothing
// is written to them. It may be used by many goroutines at once. Close it.
//
// A row is found by asking every store, and the rows are merged exactly: they are those of one
// database that has all documents, in its order. A document is known by its store and its id.
// Equal ids in two stores are two documents, the one of the store that was named first comes
// first, and neither can be named as a target: that is ErrInvalid.
type Shards struct {
	reader
	stores []shards.Store
}

// OpenShards opens databases for reading, as Open does with Options.ReadOnly: others may
// write to them meanwhile, and what they write is not seen. All must be there. CacheBytes and
// MemoryBytes are for all of them together. A directory that is named twice is ErrInvalid,
// and so is a database that holds a part of a dump, because its restore did not end.
func OpenShards(ctx context.Context, paths []string, opts *Options) (*Shards, error) {
	if err := engine.CheckContext(ctx); err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, invalid("no database is named")
	}
	if err := twice(paths); err != nil {
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

// open opens one of the stores.
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

// shareOf are the options of one of several stores.
func shareOf(opts *Options, stores int) (o Options) {
	if opts != nil {
		o = *opts
	}
	o.ReadOnly, o.MustExist = true, true
	o.CacheBytes = cmp.Or(o.CacheBytes, 36<<20)
	o.MemoryBytes = cmp.Or(o.MemoryBytes, 256<<20)
	o.CacheBytes = max(o.CacheBytes/int64(stores), min(o.CacheBytes, 1<<20))
	o.MemoryBytes = max(o.MemoryBytes/int64(stores), min(o.MemoryBytes, 16<<20))
	if told := o.OpenProgress; told != nil {
		var mu sync.Mutex
		o.OpenProgress = func(p api.OpenProgress) {
			mu.Lock()
			defer mu.Unlock()
			told(p)
		}
	}
	return o
}

// twice refuses a directory that is named more than once. What is not there is left to Open.
func twice(paths []string) error {
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

// Query answers SIMILAR TO, EXPLAIN of it, and SOURCES OF, as DB.Query does. The rows have the
// columns of one database and one more: store, the path that OpenShards was given, which in
// SIMILAR TO is also a field for WHERE, RETURNING and ORDER BY. Every other statement is an *api.ParseError that says what
// answers it instead: the pairs and groups of several stores are found by simdb scale run.
//
// The stores must read texts alike: the collections that are searched need the same unit, k,
// si, gazetteer and synonyms, else it is ErrInvalid. A store in which a collection is missing or empty does not count.
// USING words(idf = 'on') is ErrInvalid, because no store knows how rare a word is in all.
func (s *Shards) Query(ctx context.Context, statement string, args ...any) (*Rows, error) {
	return s.QueryWith(ctx, QueryOptions{}, statement, args...)
}

// QueryWith is Query for a statement that may do what the options say.
func (s *Shards) QueryWith(ctx context.Context, opts QueryOptions, statement string, args ...any) (*Rows, error) {
	c := s.meter.Begin(ctx, "Query")
	if err := engine.CheckContext(ctx); err != nil {
		return nil, c.End(err)
	}
	rows, err := query.RunShards(ctx, s.stores, query.Options(opts), statement, args...)
	return rowsFor(c, rows, err)
}

// Close closes all stores, as DB.Close does: it waits for the calls that are running, and loops
// over rows end with their next row. Later calls return ErrClosed. Called from inside a loop
// over rows of several stores it is ErrInvalid, and all stay open.
func (s *Shards) Close() error {
	if shards.InLoop() {
		return invalid("close: it is called from a loop over rows of several stores, and would wait for itself")
	}
	return s.close()
}

// close closes what is open, all at once: a loop over rows waits in every store.
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
