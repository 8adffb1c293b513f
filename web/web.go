// Package web serves a page over a database, and the HTTP API under it, as one http.Handler. The
// command serves it with simdb serve; a program may mount it next to its own pages. Begin reading
// with [Handler] and [Options]; the table answers below maps each request to the file of its name.
//
// openapi.json describes every path; docs/api.md lists them, with examples. The package uses the
// root package alone, and depends neither on storage nor on the listener.
//
// A handler serves untrusted clients. It writes only with Options.Writable, reads no file of the
// machine, limits rows and time, and rejects requests that another site has made a browser send.
package web

import (
	"iter"
	"maps"
	"net/http"

	"github.com/simdb/simdb"
)

// Handler returns the page and the API over a database. It handles paths from "/" on, so use
// http.StripPrefix to mount it elsewhere. To stop, shut down the HTTP server, which ends the
// running requests, and then close the database. nil options are the defaults.
func Handler(db *simdb.DB, opts *Options) http.Handler {
	s := newServer(opts)
	if s.Lend == nil {
		s.Lend = func() (*simdb.DB, func()) { return db, func() {} }
	}
	return s.handler(s.health, s.unknown, maps.Keys(answers))
}

// newServer returns the shared state of the requests, with defaults for missing options.
func newServer(opts *Options) *server {
	var o Options
	if opts != nil {
		o = *opts
	}
	o = o.defaults()
	return &server{Options: o, guard: newGuard(o.Hosts), slots: make(chan struct{}, o.MaxConcurrent), overviews: overviews{turn: make(chan struct{}, 1)}}
}

// handler returns the page with some of the requests of answers.
func (s *server) handler(health http.HandlerFunc, unknown func(*http.ServeMux) http.HandlerFunc, patterns iter.Seq[string]) http.Handler {
	mux := http.NewServeMux()
	s.files(mux)
	mux.HandleFunc("GET /api/v1/openapi.json", describe)
	mux.HandleFunc("GET /healthz", health)
	for _, method := range []string{"GET", "POST", "DELETE"} {
		mux.HandleFunc(method+" /api/v1/session", s.session)
	}
	for pattern := range patterns {
		mux.Handle(pattern, s.answering(pattern, answers[pattern]))
	}
	mux.HandleFunc("/", unknown(mux))
	return s.guarded(mux)
}

// answers maps the requests for data to their handlers, each in the file of its name.
var answers = map[string]func(*call) error{
	"GET /metrics":                 metrics,
	"POST /api/v1/query":           posted(query),
	"POST /api/v1/similar":         posted(similar),
	"POST /api/v1/sources":         posted(sources),
	"POST /api/v1/excerpts":        excerpts,
	"POST /api/v1/compare":         posted(compare),
	"POST /api/v1/render":          render,
	"POST /api/v1/table":           posted(table),
	"GET /api/v1/documents":        with(documents, "collection", "prefix", "after", "limit"),
	"GET /api/v1/document":         document,
	"PUT /api/v1/document":         writing(putDocument),
	streamed:                       writing(with(importing, "name", "collection", "id_field", "text_field", "if_exists", "unless_similar", "keep")),
	"DELETE /api/v1/document":      writing(deleteDocument),
	"POST /api/v1/overview":        posted(overviewOf),
	"POST /api/v1/report":          posted(report),
	"POST /api/v1/clusters":        posted(clusters),
	"POST /api/v1/clusters/remove": writing(posted(removeDuplicates)),
	"GET /api/v1/groupings":        with(groupings, "after", "limit"),
	"GET /api/v1/groups":           with(groups, "in", "min_size", "order", "limit", "offset"),
	"GET /api/v1/group":            with(group, "in", "number", "of", "limit", "offset"),
	"GET /api/v1/collections":      with(collections, "after", "limit"),
}
