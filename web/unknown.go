package web

// Responses to unknown paths and methods.

import (
	"net/http"
	"strings"
)

// unknown responds to requests that no other pattern of the mux matches: 404, or 405 with the
// methods of the path.
func (s *server) unknown(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var other []string
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			if _, pattern := mux.Handler(&http.Request{Method: method, Host: r.Host, URL: r.URL}); pattern != "/" {
				other = append(other, method)
			}
		}
		if len(other) == 0 {
			fail(w, refuse(http.StatusNotFound, "not_found", "there is nothing at %s; see /api/v1/openapi.json", quoted(r.URL.Path)))
			return
		}
		w.Header().Set("Allow", strings.Join(other, ", "))
		fail(w, refuse(http.StatusMethodNotAllowed, "method", "%s takes %s, not %s", quoted(r.URL.Path), strings.Join(other, " and "), quoted(r.Method)))
	}
}
