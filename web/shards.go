package web

// The page over several databases, and the part of the API that they support together.

import (
	"net/http"
	"slices"

	"github.com/simdb/simdb"
)

// shardPatterns lists the requests for data that several databases support. Rows contain their
// store, and requests for one document name it.
var shardPatterns = []string{
	"POST /api/v1/query", "POST /api/v1/similar", "POST /api/v1/sources", "POST /api/v1/excerpts", "POST /api/v1/compare", "POST /api/v1/render",
	"POST /api/v1/table", "GET /api/v1/document", "GET /api/v1/collections",
}

// ShardsHandler returns the page over several databases, and the part of the API that they support
// together: finding documents similar to a text or a document, comparing two, and SIMILAR TO
// statements. Rows have one more field, store, the path given to OpenShards, and requests for one
// document must name the store. Duplicates, metrics and lists of documents need a single database
// and are missing. The handler is read-only: it ignores Writable and Lend.
func ShardsHandler(shards *simdb.Shards, opts *Options) http.Handler {
	s := newServer(opts)
	s.shards, s.Writable = shards, false
	s.Lend = func() (*simdb.DB, func()) { return nil, func() {} }
	return s.handler(s.healthOfShards, s.unknownOfShards, slices.Values(shardPatterns))
}

// unknownOfShards responds to unknown paths, and gives the reason for paths that need one database.
func (s *server) unknownOfShards(mux *http.ServeMux) http.HandlerFunc {
	one := http.NewServeMux()
	for pattern := range answers {
		one.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	}
	unknown := s.unknown(mux)
	return func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := one.Handler(r); pattern != "" {
			fail(w, refuse(http.StatusNotFound, "not_found", "%s needs a single database, and this server has several; serve that database alone", quoted(r.Method+" "+r.URL.Path)))
			return
		}
		unknown(w, r)
	}
}

// healthOfShards reports whether a search over all databases works.
func (s *server) healthOfShards(w http.ResponseWriter, r *http.Request) {
	rows, err := s.shards.Query(r.Context(), "EXPLAIN SIMILAR TO TEXT ''")
	if err != nil {
		respond(w, http.StatusServiceUnavailable, healthAnswer{"failing", failureOf(err).Message})
		return
	}
	rows.Close()
	respond(w, http.StatusOK, healthAnswer{Status: "ok"})
}
