package web

// Protection against other sites: requests with a foreign host name (DNS rebinding), and cross-site
// requests of browsers, are rejected before anything else happens.

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// guard checks the host names and origins of requests.
type guard struct {
	names  []string
	origin *http.CrossOriginProtection
}

// newGuard returns a guard that allows these hosts and localhost.
func newGuard(hosts []string) *guard {
	g := &guard{names: []string{"localhost"}, origin: http.NewCrossOriginProtection()}
	for _, name := range hosts {
		g.names = append(g.names, plainHost(name))
	}
	return g
}

// check rejects requests for other hosts and cross-site requests. It rejects cross-site reads too:
// the other site could not see the response, but could cause work. Links to the page itself are
// allowed.
func (g *guard) check(r *http.Request) error {
	if !g.allowsHost(r) {
		return refuse(http.StatusForbidden, "forbidden", "the host %s is not a name of this server; use its address or localhost, or add the name with --host", quoted(r.Host))
	}
	as := *r
	if r.URL.Path != "/" {
		as.Method = http.MethodPost // Check allows cross-site GET
	}
	if g.origin.Check(&as) != nil {
		return refuse(http.StatusForbidden, "forbidden", "the request came from another site; only the page of this server may send it")
	}
	return nil
}

// allowsHost reports whether a request names this server: by an allowed name, a loopback address,
// or the local address of its connection.
func (g *guard) allowsHost(r *http.Request) bool {
	host := plainHost(r.Host)
	if slices.Contains(g.names, host) || slices.Contains(g.names, "*") {
		return true
	}
	named, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	if named.IsLoopback() {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap().WithZone("") == named.Unmap()
}

// plainHost returns the host name in lower case, without port, brackets and final dot.
func plainHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
