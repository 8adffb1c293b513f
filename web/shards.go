package web

// Several databases that are asked together: the page and the part of the API that they can
// answer. What is left out is of one database.

import (
	"net/http"
	"slices"

	"github.com/simdb/simdb"
)

// together are the requests for data that several databases answer. Rows name their store, and
// so does who asks for one document.
var together = []string{
	"POST /api/v1/query", "POST /api/v1/similar", "POST /api/v1/sources", "POST /api/v1/excerpts", "POST /api/v1/compare", "POST /api/v1/render",
	"POST /api/v1/table", "GET /api/v1/document", "GET /api/v1/collections",
}

// ShardsHandler returns the page over several databases, and the part of the API that they
// answer together: to find what is similar to a text or a document, to compare the two, and
// statements with SIMILAR TO. Each row has a field more, store, the path that OpenShards was
// given. To ask for one document is to name its store too. Duplicates, figures and lists of
// documents are of one database, and are not there. Nothing is written: of the options, Writable
// and Lend are not heeded.
func ShardsHandler(shards *simdb.Shards, opts *Options) http.Handler {
	s := newServer(opts)
	s.shards, s.Writable = shards, false
	s.Lend = func() (*simdb.DB, func()) { return nil, func() {} }
	return s.handler(s.healthOfShards, s.unknownOfShards, slices.Values(together))
}

// unknownOfShards answers what no other pattern does. A path of one database says so.
func (s *server) unknownOfShards(mux *http.ServeMux) http.HandlerFunc {
	one := http.NewServeMux()
	for pattern := range answers {
		one.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	}
	unknown := s.unknown(mux)
	return func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := one.Handler(r); pattern != "" {
			fail(w, refuse(http.StatusNotFound, "not_found", "%s is of one database, and several are asked here; serve the one that is meant", shown(r.Method+" "+r.URL.Path)))
			return
		}
		unknown(w, r)
	}
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
