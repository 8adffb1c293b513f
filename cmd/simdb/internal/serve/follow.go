package serve

// A database that is shown while another process writes to it: it is opened anew when its
// files have changed. Requests that began before go on with what they have.

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

// rest is how many times longer than opening took the database is left as it is: while an
// import goes on, opening takes long, and would be all that is done.
const rest = 10

// maxOlder is how many states, besides the newest, may be open for requests that go on: each
// takes memory.
const maxOlder = 2

// followed lends the newest state to each request.
type followed struct {
	mu    sync.Mutex
	now   *state
	older int // states that are retired and in use
}

// state is a database as it was opened.
type state struct {
	db      *simdb.DB
	users   int
	retired bool // a newer one is there: closed by its last user
}

func newFollowed(db *simdb.DB) *followed { return &followed{now: &state{db: db}} }

func (f *followed) lend() (*simdb.DB, func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.now
	s.users++
	return s.db, sync.OnceFunc(func() { f.giveBack(s) })
}

func (f *followed) giveBack(s *state) {
	f.mu.Lock()
	s.users--
	last := s.retired && s.users == 0
	if last {
		f.older--
	}
	f.mu.Unlock()
	if last {
		s.db.Close() // it was only read
	}
}

// replace shows another state from now on.
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

// full says that no newer state may be shown yet.
func (f *followed) full() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.older >= maxOlder
}

// lent is the database that Flags.Lend lends. Close it.
type lent struct {
	*followed
	end func() // no newer state is looked for
}

func (l lent) Close() error {
	l.end()
	return l.close()
}

// Lend opens a database, and lets Web lend it to requests until it is closed. One that is only
// read is opened anew when another process has written to it.
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

// close waits for the requests that are under way.
func (f *followed) close() error { return f.now.db.Close() }

// follow looks from time to time whether the files have changed, until the context ends. A state
// that cannot be opened is left out; the next look tries again.
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

// trace stands for the names, sizes and times of all files of a database.
func trace(path string) uint64 {
	h := fnv.New64a()
	filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile, which shows
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			fmt.Fprintln(h, name, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return h.Sum64()
}
