package api

// The observer of a database: it receives every finished call.

import (
	"context"
	"time"
)

// Observer receives the public calls of a database as they finish: each method of DB, Snapshot
// and Shards that takes a context, other than Shutdown, once. Package observe has observers for
// log/slog and expvar.
//
// The goroutine of the caller calls the observer, before the method returns or the loop over
// its rows ends. Calls of several goroutines reach it at the same time, so it must be safe for
// concurrent use. The caller waits for it: it should take microseconds, must not block, and
// must not call the database. The context is that of the call, and never nil.
type Observer func(context.Context, Operation)

// Operation is one finished call. Calls that the database makes itself, such as the deletions of
// Dedupe, are part of the call that causes them. Counts that do not apply are 0.
type Operation struct {
	Name string `json:"name"` // the method: Put, Similar, Query. QueryWith is Query

	// Begin and Duration include the body of a loop over rows. A statement lasts until its
	// rows have been read or closed.
	Begin    time.Time     `json:"begin"`
	Duration time.Duration `json:"duration"`

	Written    int64 `json:"written"`    // documents stored, changed or deleted, as far as the call knows: a statement does not
	Rows       int64 `json:"rows"`       // rows that the caller has read; 1 for a single answer, such as the document of Get
	Candidates int64 `json:"candidates"` // of a search: Candidates of its Plan
	Compared   int64 `json:"compared"`   // of a search: Verified of its Plan

	Err error `json:"-"` // nil: the call succeeded. A loop that the caller leaves early has succeeded
}
