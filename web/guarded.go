package web

// Security headers and Guard. The headers of every response forbid the page to load, run or send
// anything from or to other sites.

import "net/http"

// policy allows the page its own files and the API, and nothing else: no inline code, no other
// site, and no embedding in other sites.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Guard returns a handler with the access checks of Handler: it rejects requests for hosts not in
// Options.Hosts, cross-site requests, and requests without Options.Token. It ignores the other
// options; nil options mean no token and no further hosts.
func Guard(next http.Handler, opts *Options) http.Handler {
	s := &server{}
	if opts != nil {
		s.Options = *opts
	}
	s.guard = newGuard(s.Hosts)
	return s.guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.signedIn(r) {
			fail(w, refuse(http.StatusUnauthorized, "unauthorized", "this server requires its token: send Authorization: Bearer TOKEN"))
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// guarded sets the security headers and rejects requests that fail the checks of the guard.
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
