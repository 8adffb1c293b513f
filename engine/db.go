// Package engine is the database: it keeps documents, derives their shingle
// sets, sketches and postings, and answers searches exactly. Documents and
// searches come in; ids and similarities go out. The numbers of sets never
// leave the package, and neither does Pebble.
package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/wal"
)

// The names in a store's directory.
const (
	lockName     = "LOCK"
	stateName    = "STATE"
	pebbleName   = "store"
	postingsName = "postings"
	logName      = "log"
)

// DB is an open store. Safe for concurrent use; Close it.
type DB struct {
	opts   Options
	path   string
	uuid   string
	made   bool
	lock   io.Closer
	pebble *pebble.DB
	log    *wal.Log
	cache  cache
	codec  *codec
	gate   gate

	ctx       context.Context // ends with Close
	cancel    context.CancelFunc
	failure   atomic.Pointer[error]
	failed    chan struct{} // closed with the first failure
	abandoned atomic.Bool   // Open gave up, Pebble has not

	advanced  signal       // the builder, a flush or a compaction got on
	unflushed atomic.Int64 // bytes applied and not flushed, about
	changed   atomic.Bool  // Pebble's levels, since sublevels was set
	sublevels atomic.Int32 // of Pebble's first level

	temporaries atomic.Int64 // files of joins so far

	creating lock       // serialises the making of collections
	building lock       // held by whoever changes postings
	copying  lock       // held by whoever makes a copy of the store
	trimming sync.Mutex // held by whoever cuts the log
	trimmed  uint64     // log records up to here are released

	wake        chan struct{}
	builderDone chan struct{}

	mu             sync.Mutex // the commit mutex: guards everything below
	seq            uint64     // of the last applied record
	collections    map[string]*collection
	lastCollection uint32
	lastSegment    uint32            // also numbers orders
	retirements    uint64            // counts batches that retire segments
	retired        map[uint32]uint64 // segments that no manifest names, and how many retirements must be durable before they go
	outdated       []*collection     // read with other Unicode tables; Open sees to them
	snapshots      map[*Snapshot]bool
	buildErr       error
	loads          int         // going on
	untidy         int         // loads that have not yet tidied up what they made
	extending      *collection // whose tail becomes a segment just now
}

// Open opens the store in the directory, creating it unless MustExist is set.
// ErrLocked if another process has it open, ErrCorrupt if what is stored
// contradicts itself, ErrFormat if it needs another version of simdb.
func Open(path string, opts *Options) (_ *DB, err error) {
	db := &DB{
		opts: opts.withDefaults(), path: path, wake: make(chan struct{}, 1), builderDone: make(chan struct{}),
		creating: newLock(), building: newLock(), copying: newLock(), snapshots: map[*Snapshot]bool{}, retired: map[uint32]uint64{}, failed: make(chan struct{}),
	}
	db.ctx, db.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			db.cancel()
			db.release()
			err = fmt.Errorf("open %s: %w", path, err)
		}
	}()
	st, err := db.prepareDir()
	if err != nil {
		return nil, err
	}
	if db.codec, err = newCodec(db.opts.MaxDocBytes); err != nil {
		return nil, err
	}
	if db.cache, err = newCache(db.opts.CacheBytes); err != nil {
		return nil, err
	}
	if err := db.openStore(st); err != nil {
		return nil, err
	}
	go db.builder()
	db.wakeBuilder()
	return db, nil
}

func (db *DB) file(name string) string { return db.opts.fs.PathJoin(db.path, name) }

// prepareDir finds or makes the directory, locks it, and reads the state file.
// That file is the first thing made, so a directory with anything of a store
// but no state file has lost it. It is looked for after the listing and read
// under the lock, because another process may be making the same store.
func (db *DB) prepareDir() (st state, err error) {
	f, path := db.opts.fs, db.file(stateName)
	names, err := f.List(db.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return st, err
	}
	_, err = f.Stat(path)
	isStore := err == nil
	if !isStore {
		if !errors.Is(err, fs.ErrNotExist) {
			return st, err
		}
		if err := db.mayBeMade(names); err != nil {
			return st, err
		}
		if err := makeDir(f, db.path); err != nil {
			return st, err
		}
	}
	if db.lock, err = f.Lock(db.file(lockName)); err != nil {
		return st, lockError(err)
	}
	if err := db.removeLeft(names); err != nil {
		return st, err
	}
	st, err = readState(f, path)
	if isStore || !errors.Is(err, fs.ErrNotExist) {
		return st, err
	}
	st = state{Format: formatVersion, UUID: newUUID()}
	return st, writeState(f, db.path, path, st)
}

// mayBeMade says why no store can be made in a directory without a state file.
func (db *DB) mayBeMade(names []string) error {
	for _, n := range names {
		switch n {
		case pebbleName, postingsName, logName:
			return corrupt("the file %s is missing", db.file(stateName))
		case lockName, stateName + ".new": // a crash as the store was made
		default:
			if !db.opts.MustExist {
				return invalid("the directory holds other files (%s); name a new one", n)
			}
		}
	}
	if db.opts.MustExist {
		return fmt.Errorf("there is no store there: %w", fs.ErrNotExist)
	}
	return nil
}

// lockError tells a lock that someone holds from a lock file that cannot be
// made, on a full disk say.
func lockError(err error) error {
	held := strings.Contains(err.Error(), "lock held") // by this process
	var errno syscall.Errno
	var path *fs.PathError // of the lock file
	if errors.As(err, &errno) && !errors.As(err, &path) {
		const sharingViolation = 32
		held = errno == syscall.EAGAIN || errno == syscall.EWOULDBLOCK || errno == syscall.EACCES ||
			runtime.GOOS == "windows" && errno == sharingViolation
	}
	if held {
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return err
}

// finishMaking removes what a crash left of a store that was being made: as
// long as the log was never begun, nothing was acknowledged. From then on there
// always is a log, so one that is not there has been lost.
func (db *DB) finishMaking(st state) error {
	segments, err := db.listed(logName, ".log")
	if err != nil || len(segments) > 0 {
		return err
	}
	tables, err := db.listed(pebbleName, ".sst")
	if err != nil {
		return err
	}
	if st.Made || st.Applied > 0 || len(tables) > 0 {
		return corrupt("the log in %s is missing", db.file(logName))
	}
	return db.opts.fs.RemoveAll(db.file(pebbleName))
}

// listed returns the files in a directory of the store whose names end so; none
// if there is no directory.
func (db *DB) listed(dir, end string) ([]string, error) {
	names, err := db.opts.fs.List(db.file(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, end) }), nil
}

// makeDir makes a directory and those above it, each durably in its parent.
func makeDir(f vfs.FS, path string) error {
	if _, err := f.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := f.PathDir(path)
	if parent != path {
		if err := makeDir(f, parent); err != nil {
			return err
		}
	}
	if err := f.MkdirAll(path, 0o755); err != nil {
		return err
	}
	return syncDir(f, parent)
}

// openStore opens Pebble and the log and brings the one up to the other.
func (db *DB) openStore(st state) (err error) {
	if err := db.finishMaking(st); err != nil {
		return err
	}
	db.uuid, db.made = st.UUID, st.Made
	if err := makeDir(db.opts.fs, db.file(postingsName)); err != nil {
		return err
	}
	if db.pebble, err = db.openPebble(db.file(pebbleName)); err != nil {
		return err
	}
	if db.log, err = wal.Open(db.opts.fs, db.file(logName), wal.Options{OnError: func(err error) { db.poison(err) }}); err != nil {
		return logError(err)
	}
	applied, err := get(db.pebble, keys.Of(keys.Applied))
	if err != nil {
		return err
	}
	db.seq = u64(applied)
	retirements, err := get(db.pebble, keys.Of(keys.Retired))
	if err != nil {
		return err
	}
	db.retirements = u64(retirements)
	if err := db.loadCollections(); err != nil {
		return err
	}
	before := db.seq
	end, err := db.replayLog(db.seq)
	if err != nil {
		return logError(err)
	}
	if end.Dropped > 0 {
		db.opts.Logger.Warn("the log ended in a record that was never acknowledged", "bytes", end.Dropped)
	}
	if db.seq < st.Applied {
		return corrupt("the state file says record %d was stored, but store and log end at %d", st.Applied, db.seq)
	}
	if db.seq > before {
		if err := db.flush(db.ctx); err != nil {
			return err
		}
	}
	if err := db.saveState(db.seq); err != nil {
		return err
	}
	if err := db.log.Start(max(db.seq, end.Last) + 1); err != nil {
		return err
	}
	if !db.made {
		db.made = true
		if err := db.saveState(db.seq); err != nil {
			return err
		}
	}
	return db.readAgain()
}

func logError(err error) error {
	switch {
	case errors.Is(err, wal.ErrCorrupt) && !errors.Is(err, ErrCorrupt):
		return corrupt("%w", err)
	case errors.Is(err, wal.ErrTooNew):
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return err
}

func newUUID() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// saveState records that the log up to applied is durable in Pebble.
func (db *DB) saveState(applied uint64) error {
	s := state{Format: formatVersion, UUID: db.uuid, Made: db.made, Applied: applied}
	db.mu.Lock()
	for _, c := range db.collections {
		s.Documents += c.documents
	}
	db.mu.Unlock()
	return writeState(db.opts.fs, db.path, db.file(stateName), s)
}

// trimLog releases the log segments that Pebble no longer needs.
func (db *DB) trimLog() error {
	db.trimming.Lock()
	defer db.trimming.Unlock()
	value, err := durable(db.pebble, keys.Of(keys.Applied))
	applied := u64(value)
	if err != nil || applied <= db.trimmed {
		return err
	}
	if err := db.saveState(applied); err != nil {
		return err
	}
	db.trimmed = applied
	return db.log.Release(applied)
}

// poison makes the store refuse writes from now on and returns the error that
// callers get. Reads go on; reopening replays what was acknowledged.
func (db *DB) poison(err error) error {
	if errors.Is(err, ErrPoisoned) {
		return err
	}
	wrapped := fmt.Errorf("%w: %w", ErrPoisoned, err)
	if db.failure.CompareAndSwap(nil, &wrapped) {
		close(db.failed)
		db.opts.Logger.Error("store poisoned", "error", err)
	}
	return *db.failure.Load()
}

func (db *DB) poisoned() error {
	if p := db.failure.Load(); p != nil {
		return *p
	}
	return nil
}

// Mark returns the note that a Batch left under the name; nil if there is none.
func (db *DB) Mark(name string) ([]byte, error) {
	if !db.gate.enter() {
		return nil, ErrClosed
	}
	defer db.gate.leave()
	return get(db.pebble, keys.OfMark(name))
}

// Close waits for the calls that are running, makes everything durable and
// empties the log. Later calls return ErrClosed, and so does a second Close.
// A loop over rows must not call it from inside.
func (db *DB) Close() error {
	if !db.gate.close() {
		return ErrClosed
	}
	db.cancel()
	db.gate.inside.Wait()
	<-db.builderDone
	var errs []error
	for s := range db.openSnapshots() {
		errs = append(errs, s.close())
	}
	if err := db.poisoned(); err != nil {
		errs = append(errs, err)
	} else {
		errs = append(errs, db.settle())
	}
	return errors.Join(append(errs, db.release())...)
}

func (db *DB) openSnapshots() map[*Snapshot]bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	out := make(map[*Snapshot]bool, len(db.snapshots))
	for s := range db.snapshots {
		out[s] = true
	}
	return out
}

// settle flushes Pebble and leaves an empty log, so that the next Open has
// nothing to replay.
func (db *DB) settle() error {
	if err := db.flush(context.Background()); err != nil {
		return err
	}
	if err := db.removeRetired(context.Background()); err != nil {
		return err
	}
	if err := db.saveState(db.seq); err != nil {
		return err
	}
	return db.log.Reset(db.seq + 1)
}

// release closes what Open opened, as far as it came.
func (db *DB) release() error {
	var errs []error
	if db.log != nil {
		errs = append(errs, db.log.Close())
	}
	if db.pebble != nil {
		errs = append(errs, db.pebble.Close())
	}
	for _, c := range db.collections {
		if c.index == nil { // Open came no further
			continue
		}
		for _, s := range c.index.segments {
			errs = append(errs, s.file.close())
		}
	}
	if db.cache.bags != nil {
		db.cache.close()
	}
	if db.codec != nil {
		db.codec.close()
	}
	if db.lock != nil {
		errs = append(errs, db.lock.Close())
	}
	return errors.Join(errs...)
}
