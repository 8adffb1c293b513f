package serve

// The health check of --probe, for supervisors.

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// healthy requests the health of the server at addr, which needs no token.
func healthy(ctx context.Context, addr string) error {
	network, at := "unix", ""
	if path, socket := strings.CutPrefix(addr, "unix:"); socket {
		at = path
	} else {
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			return exit.Usagef("--addr %s: %v", addr, err)
		}
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			host = "127.0.0.1"
		}
		network, at = "tcp", net.JoinHostPort(host, port)
	}
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, at)
	}}} // without a proxy
	defer client.CloseIdleConnections()
	ctx, stop := context.WithTimeout(ctx, 3*time.Second)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/healthz", nil)
	if err != nil {
		return exit.Usagef("--addr %s: %v", addr, err)
	}
	res, err := client.Do(req)
	if err != nil {
		return exit.Failf(exit.Unavailable, "no server answers: %v", err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return exit.Failf(exit.Unavailable, "the server at %s answers %s", addr, res.Status)
	}
	return nil
}
