package web

// The settings of a handler, and the state that all its requests share.

import (
	"io"
	"sync/atomic"
	"time"

	"maps"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// Options of Handler; nil and the zero value are the defaults.
type Options struct {
	Writable bool // documents may be put and deleted, also by statements; else such requests are refused
	// Token must be sent with every request for data: as Authorization: Bearer, or as the cookie
	// that the page gets for it. "" means that no token is asked for: listen on loopback only.
	Token string
	// Hosts are the names, without ports, by which the handler may be asked for. localhost and
	// the address that a request has come to are among them always; "*" allows every name, for
	// who checks the names before. It keeps other sites from reading by a name of theirs.
	Hosts []string

	MaxBody       int64         // bytes of a request; 0 means 32 MiB
	MaxRows       int           // rows of an answer to a statement; 0 means 10,000
	MaxTime       time.Duration // for a request; 0 means a minute
	MaxConcurrent int           // requests that are worked on at a time, others wait a second and are then refused; 0 means 8

	// Renderer reads documents that are dropped on the page; nil takes texts only. See package
	// render.
	Renderer api.Renderer

	// Tables write rows as files of formats such as Parquet, by the format's name; the page
	// offers them beside CSV and JSON. A value is nil, a bool, a string, a json.Number, or a list
	// or an object of these.
	Tables map[string]func(to io.Writer, columns []string, rows [][]any) error

	// Lend, unless nil, gives the database for each request in place of the one that Handler is
	// given, and is told when the request has ended: for a store that is opened anew now and
	// then, beside its writer.
	Lend func() (db *simdb.DB, done func())
}

const (
	usualBody       = 32 << 20
	usualRows       = 10_000
	usualConcurrent = 8
)

// defaults fills in what is not set.
func (o Options) defaults() Options {
	if o.MaxBody <= 0 {
		o.MaxBody = usualBody
	}
	if o.MaxRows <= 0 {
		o.MaxRows = usualRows
	}
	if o.MaxTime <= 0 {
		o.MaxTime = time.Minute
	}
	if o.MaxConcurrent <= 0 {
		o.MaxConcurrent = usualConcurrent
	}
	return o
}

// server is what the answers to all requests share.
type server struct {
	Options
	shards  *simdb.Shards // asked for statements, unless nil
	guard   *guard
	slots   chan struct{} // one is taken while a request is worked on
	bodies  atomic.Int64  // bytes that requests have sent and that are held
	figures figures
}

// tables are the formats of /table, in order.
func (s *server) tables() []string { return append([]string{}, slices.Sorted(maps.Keys(s.Tables))...) }
