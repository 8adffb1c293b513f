package sqldriver

// The database behind the connections of a connector.

import (
	"context"
	"fmt"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// source opens a database when it is needed, and anew when it is too old. It closes one that
// it has opened when the last query of it has ended. It is safe for concurrent use.
type source struct {
	settings *settings     // nil: the database belongs to the caller
	lock     chan struct{} // a mutex that a context can end the wait for
	now      *opened       // nil: none is open
	closed   bool
}

// opened is a database with its queries under way.
type opened struct {
	db      *simdb.DB
	at      time.Time
	users   int
	retired bool // the last user closes it
}

func newSource(s *settings, db *simdb.DB) *source {
	src := &source{settings: s, lock: make(chan struct{}, 1)}
	if db != nil {
		src.now = &opened{db: db}
	}
	return src
}

// take returns the database for a query; give must follow.
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

func (s *source) outdated() bool {
	return s.now == nil || s.settings != nil && s.settings.refresh > 0 && time.Since(s.now.at) >= s.settings.refresh
}

// open replaces the database by one of the present state. The lock is held.
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

// share is take of a database that the caller has taken before.
func (s *source) share(o *opened) *opened {
	s.lock <- struct{}{}
	defer s.unlock()
	o.users++
	return o
}

// give ends a query.
func (s *source) give(o *opened) error {
	s.lock <- struct{}{}
	defer s.unlock()
	if o.users--; o.users == 0 && o.retired {
		return o.db.Close()
	}
	return nil
}

// retire closes the database now, or leaves that to its last user.
func (o *opened) retire() error {
	if o == nil {
		return nil
	}
	if o.retired = true; o.users == 0 {
		return o.db.Close()
	}
	return nil
}

// close refuses further queries. Those under way go on.
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

func (s *source) unlock() { <-s.lock }
