package web

// Who may ask: requests by a name that is not ours, and those that another site has made a
// browser send, are refused before anything else is looked at.

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// guard knows by which names a handler may be asked for.
type guard struct {
	names  []string
	origin *http.CrossOriginProtection
}

func newGuard(hosts []string) *guard {
	g := &guard{names: []string{"localhost"}, origin: http.NewCrossOriginProtection()}
	for _, name := range hosts {
		g.names = append(g.names, plainHost(name))
	}
	return g
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
