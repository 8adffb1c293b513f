package web

// Guarding a handler: the headers of every answer forbid the page to load, run or send anything
// from outside of itself.

import "net/http"

// policy lets the page use its own files and the API, and nothing else: no code within
// HTML, no other site, and no other site around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Guard puts what keeps strangers out before another handler over a database: requests by a
// name that is not of Options.Hosts, those that another site has made a browser send, and those
// without Options.Token are refused. The other options say nothing here, and nil is no option.
func Guard(next http.Handler, opts *Options) http.Handler {
	s := &server{}
	if opts != nil {
		s.Options = *opts
	}
	s.guard = newGuard(s.Hosts)
	return s.guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.signedIn(r) {
			fail(w, refuse(http.StatusUnauthorized, "unauthorized", "this server wants its token, as Authorization: Bearer TOKEN"))
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// guarded puts the headers on all answers, and refuses what may not ask.
func (s *server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		if err := s.guard.check(r); err != nil {
			fail(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
