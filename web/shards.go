package web

// Several databases that are asked together: POST /api/v1/query, and what stands around it.
// Everything else of the API, and the page, is of one database.

import (
	"net/http"

	"github.com/simdb/simdb"
)

// ShardsHandler returns the part of the API that several databases answer together: POST
// /api/v1/query with SIMILAR TO, /api/v1/session and /healthz. There is no page. Of the options,
// Writable, Renderer and Lend are not heeded.
func ShardsHandler(shards *simdb.Shards, opts *Options) http.Handler {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Writable, o.Renderer = false, nil
	o.Lend = func() (*simdb.DB, func()) { return nil, func() {} }
	o = o.defaults()
	s := &server{Options: o, shards: shards, guard: newGuard(o), slots: make(chan struct{}, o.MaxConcurrent)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthOfShards)
	for _, method := range []string{"GET", "POST", "DELETE"} {
		mux.HandleFunc(method+" /api/v1/session", s.session)
	}
	mux.Handle("POST /api/v1/query", s.answering("POST /api/v1/query", query))
	mux.HandleFunc("/", s.unknown(mux))
	return s.guarded(mux)
}

// healthOfShards answers GET /healthz: all must answer, and read texts alike.
func (s *server) healthOfShards(w http.ResponseWriter, r *http.Request) {
	rows, err := s.shards.Query(r.Context(), "EXPLAIN SIMILAR TO TEXT ''")
	if err != nil {
		give(w, http.StatusServiceUnavailable, healthAnswer{"failing", failureOf(err).Message})
		return
	}
	rows.Close()
	give(w, http.StatusOK, healthAnswer{Status: "ok"})
}

// statement runs a statement on the database, or on all of several.
func (c *call) statement(opts simdb.QueryOptions, text string, params []any) (*simdb.Rows, error) {
	if c.shards != nil {
		return c.shards.QueryWith(c.ctx, opts, text, params...)
	}
	return c.db.QueryWith(c.ctx, opts, text, params...)
}
