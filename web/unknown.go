package web

// What is nowhere, or is there by another method only.

import (
	"net/http"
	"strings"
)

// unknown answers what no other pattern of the mux does.
func (s *server) unknown(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var other []string
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			if _, pattern := mux.Handler(&http.Request{Method: method, Host: r.Host, URL: r.URL}); pattern != "/" {
				other = append(other, method)
			}
		}
		if len(other) == 0 {
			fail(w, refuse(http.StatusNotFound, "not_found", "there is nothing at %s; see /api/v1/openapi.json", shown(r.URL.Path)))
			return
		}
		w.Header().Set("Allow", strings.Join(other, ", "))
		fail(w, refuse(http.StatusMethodNotAllowed, "method", "%s takes %s, not %s", shown(r.URL.Path), strings.Join(other, " and "), shown(r.Method)))
	}
}
