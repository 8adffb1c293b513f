package web

// Who may ask: requests by a name that is not ours, and those that another site has made a
// browser send, are refused before anything else is looked at. The headers of every answer
// forbid the page to load, run or send anything from outside of itself.

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// policy lets the page use its own files and the API, and nothing else: no code within
// HTML, no other site, and no other site around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard knows by which names a handler may be asked for.
type guard struct {
	names  []string
	origin *http.CrossOriginProtection
}

func newGuard(o Options) *guard {
	g := &guard{names: []string{"localhost"}, origin: http.NewCrossOriginProtection()}
	for _, name := range o.Hosts {
		g.names = append(g.names, plainHost(name))
	}
	return g
}

// Guard puts what keeps strangers out before another handler over a database: requests by a
// name that is not of Options.Hosts, those that another site has made a browser send, and those
// without Options.Token are refused. The other options say nothing here, and nil is no option.
func Guard(next http.Handler, opts *Options) http.Handler {
	s := &server{}
	if opts != nil {
		s.Options = *opts
	}
	s.guard = newGuard(s.Options)
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

// check refuses a request by another name, and one that another site has caused. Reading
// for another site is refused as writing is, but for the page itself, to which there may be
// links: it could not see the answer, but make us work for it.
func (g *guard) check(r *http.Request) error {
	if !g.knows(r) {
		return refuse(http.StatusForbidden, "forbidden", "this server is not called %s; ask for it by its address or by localhost, or name it with --host", shown(r.Host))
	}
	as := *r
	if r.URL.Path != "/" {
		as.Method = http.MethodPost // the check lets all others read
	}
	if g.origin.Check(&as) != nil {
		return refuse(http.StatusForbidden, "forbidden", "another site has sent this request, and only the page of this server may")
	}
	return nil
}

// knows says whether a request names this server: by a name of the list, or by the very
// address that it has come to.
func (g *guard) knows(r *http.Request) bool {
	host := plainHost(r.Host)
	if slices.Contains(g.names, host) || slices.Contains(g.names, "*") {
		return true
	}
	asked, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	if asked.IsLoopback() {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap().WithZone("") == asked.Unmap()
}

// plainHost is the name in a Host header: without port, brackets, final dot and case.
func plainHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
