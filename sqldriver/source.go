package sqldriver

// The database of a connector.

import (
	"context"
	"fmt"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// source opens a database on demand, and reopens it when it is older than the refresh interval. It
// closes a replaced database after its last query. It is safe for concurrent use.
type source struct {
	settings *settings     // nil if the caller owns the database
	lock     chan struct{} // a mutex; a context can end the wait for it
	now      *opened       // nil if no database is open
	closed   bool
}

// opened is an open database and the number of its running queries.
type opened struct {
	db      *simdb.DB
	at      time.Time
	users   int
	retired bool // the last user closes it
}

// newSource returns a source for settings, or for an open database.
func newSource(s *settings, db *simdb.DB) *source {
	src := &source{settings: s, lock: make(chan struct{}, 1)}
	if db != nil {
		src.now = &opened{db: db}
	}
	return src
}

// take acquires the database for a query; give must follow.
func (s *source) take(ctx context.Context) (*opened, error) {
	select {
	case s.lock <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer s.unlock()
	if s.closed {
		return nil, fmt.Errorf("sqldriver: %w", api.ErrClosed)
	}
	if s.outdated() {
		if err := s.open(ctx); err != nil {
			return nil, err
		}
	}
	s.now.users++
	return s.now, nil
}

// outdated reports whether the next query must open the database. The lock is held.
func (s *source) outdated() bool {
	return s.now == nil || s.settings != nil && s.settings.refresh > 0 && time.Since(s.now.at) >= s.settings.refresh
}

// open opens the current state and retires the previous database. The lock is held.
func (s *source) open(ctx context.Context) error {
	at := time.Now()
	db, err := simdb.OpenContext(ctx, s.settings.path, &s.settings.open)
	if err != nil {
		return err
	}
	old := s.now
	s.now = &opened{db: db, at: at}
	return old.retire()
}

// share acquires a database again that the caller already holds.
func (s *source) share(o *opened) *opened {
	s.lock <- struct{}{}
	defer s.unlock()
	o.users++
	return o
}

// give releases the database after a query.
func (s *source) give(o *opened) error {
	s.lock <- struct{}{}
	defer s.unlock()
	if o.users--; o.users == 0 && o.retired {
		return o.db.Close()
	}
	return nil
}

// retire closes the database now, or leaves that to its last user. The lock is held.
func (o *opened) retire() error {
	if o == nil {
		return nil
	}
	if o.retired = true; o.users == 0 {
		return o.db.Close()
	}
	return nil
}

// close refuses further queries. Running queries continue.
func (s *source) close() error {
	s.lock <- struct{}{}
	defer s.unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.settings == nil {
		return nil
	}
	return s.now.retire()
}

// unlock releases the lock.
func (s *source) unlock() { <-s.lock }
