package web

// The options of a handler, and the state that its requests share.

import (
	"io"
	"sync/atomic"
	"time"

	"maps"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// Options configure Handler; nil and the zero value are the defaults.
type Options struct {
	Writable bool // allow requests and statements that change the database; otherwise they are rejected
	// Token is required for every request for data: as Authorization: Bearer, or as the cookie that
	// the page gets in exchange. "" requires no token: then listen on loopback only.
	Token string
	// Hosts are the accepted host names, without ports, in addition to localhost and the local
	// address of the connection. "*" accepts every name, for handlers whose caller checks names. The
	// check prevents other sites from reading through a name of their own (DNS rebinding).
	Hosts []string

	MaxBody       int64         // maximum size of a request in bytes; 0 means 32 MiB
	MaxRows       int           // maximum rows of a statement; 0 means 10,000
	MaxTime       time.Duration // maximum time of a request; 0 means one minute
	MaxConcurrent int           // maximum number of requests in progress, further requests wait for one second before rejection; 0 means 8

	// Renderer extracts the texts of files dropped on the page; nil accepts only texts. See package
	// render.
	Renderer api.Renderer

	// Tables write rows as files in formats such as Parquet, by the name of the format. The page
	// offers them in addition to CSV and JSON. A value is nil, a bool, a string, a json.Number, or a list
	// or an object of these.
	Tables map[string]func(to io.Writer, columns []string, rows [][]any) error

	// Lend, unless nil, returns the database for a request in place of the argument of Handler. The
	// handler calls done when the request has ended. It serves databases that are reopened from time
	// to time to see the changes of their writer.
	Lend func() (db *simdb.DB, done func())
}

const (
	defaultBody       = 32 << 20
	defaultRows       = 10_000
	defaultConcurrent = 8
)

// defaults sets the missing limits.
func (o Options) defaults() Options {
	if o.MaxBody <= 0 {
		o.MaxBody = defaultBody
	}
	if o.MaxRows <= 0 {
		o.MaxRows = defaultRows
	}
	if o.MaxTime <= 0 {
		o.MaxTime = time.Minute
	}
	if o.MaxConcurrent <= 0 {
		o.MaxConcurrent = defaultConcurrent
	}
	return o
}

// server is the shared state of all requests.
type server struct {
	Options
	shards  *simdb.Shards // several databases; nil: one
	guard   *guard
	slots   chan struct{} // one per request in progress
	bodies  atomic.Int64  // bytes of bodies in memory
	figures figures

	overviews overviews
}

// tables lists the formats of /table, sorted.
func (s *server) tables() []string { return append([]string{}, slices.Sorted(maps.Keys(s.Tables))...) }
