package serve

// A read-only database follows the writes of another process: it is reopened when its files
// change. Requests keep the state that they began with.

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// rest is the pause between reopenings, as a multiple of the time of the last one. During an
// import, opening takes long and would otherwise occupy the server.
const rest = 10

// maxOlder bounds the older states that stay open for running requests, because each takes memory.
const maxOlder = 2

// followed lends the newest state to each request. It is safe for concurrent use.
type followed struct {
	mu    sync.Mutex
	now   *state
	older int // retired states in use
}

// state is an open database with the number of its users.
type state struct {
	db      *simdb.DB
	users   int
	retired bool // superseded; the last user closes it
}

func newFollowed(db *simdb.DB) *followed { return &followed{now: &state{db: db}} }

// lend returns the newest state and the function that gives it back, which may be called
// repeatedly.
func (f *followed) lend() (*simdb.DB, func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.now
	s.users++
	return s.db, sync.OnceFunc(func() { f.giveBack(s) })
}

// giveBack ends a use, and closes a retired state after its last one.
func (f *followed) giveBack(s *state) {
	f.mu.Lock()
	s.users--
	last := s.retired && s.users == 0
	if last {
		f.older--
	}
	f.mu.Unlock()
	if last {
		s.db.Close() // read-only: nothing can be lost
	}
}

// replace makes db the newest state and retires the one before.
func (f *followed) replace(db *simdb.DB) {
	f.mu.Lock()
	old := f.now
	f.now = &state{db: db}
	old.retired = true
	unused := old.users == 0
	if !unused {
		f.older++
	}
	f.mu.Unlock()
	if unused {
		old.db.Close()
	}
}

// full reports whether maxOlder forbids another reopening.
func (f *followed) full() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.older >= maxOlder
}

// lent is the closer that Flags.Lend returns.
type lent struct {
	*followed
	end func() // stops following
}

func (l lent) Close() error {
	l.end()
	return l.close()
}

// Lend opens a database and makes Web lend it to requests until the returned closer is closed. A
// read-only database is reopened after writes by another process.
func (s *Flags) Lend(ctx context.Context, path string, open func(context.Context) (*simdb.DB, error)) (io.Closer, error) {
	db, err := open(ctx)
	if err != nil {
		return nil, err
	}
	shown := newFollowed(db)
	s.Web.Lend = shown.lend
	if s.Web.Writable {
		return lent{shown, func() {}}, nil
	}
	following, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); shown.follow(following, path, s.refresh, open) }()
	return lent{shown, func() { stop(); <-done }}, nil
}

// close closes the newest state, after its running requests.
func (f *followed) close() error { return f.now.db.Close() }

// follow polls the files for changes until the context ends. After a failure to open, the next
// poll tries again.
func (f *followed) follow(ctx context.Context, path string, every time.Duration, open func(context.Context) (*simdb.DB, error)) {
	seen, wait, failed := trace(path), every, false
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = every
		now := trace(path)
		if now == seen || f.full() {
			continue
		}
		begin := time.Now()
		db, err := open(ctx)
		if ctx.Err() == nil && err != nil && !failed {
			fmt.Fprintf(os.Stderr, "simdb: warning: what was written last is not shown yet: %s\n", exit.OneLine(err))
		}
		failed = err != nil
		if err == nil {
			f.replace(db)
			seen = now
		}
		wait = max(every, rest*time.Since(begin))
	}
}

// trace returns a hash of the names, sizes and times of all files of a database.
func trace(path string) uint64 {
	h := fnv.New64a()
	filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed since; its absence changes the hash
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			fmt.Fprintln(h, name, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return h.Sum64()
}
