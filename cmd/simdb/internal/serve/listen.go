package serve

// Listening address, access and limits, for every command that serves HTTP.

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/web"
)

// lastRequests is the grace period of running requests after Ctrl-C.
const lastRequests = 3 * time.Second

// Flags holds the flags of a command that serves HTTP.
type Flags struct {
	Addr      string
	tokenFile string
	refresh   time.Duration
	Web       web.Options
}

// Add adds the flags to cmd, except --addr and the flags that allow writes. rows is the default of
// --max-rows.
func (s *Flags) Add(cmd *cobra.Command, rows int) {
	f := cmd.Flags()
	f.StringVar(&s.Web.Token, "token", "", "require this `TOKEN`; other users of this machine may see it in the process list")
	f.StringVar(&s.tokenFile, "token-file", "", "require the token in this `FILE`")
	f.StringArrayVar(&s.Web.Hosts, "host", nil, "additional `HOST` name of the server; may be repeated")
	s.refresh, s.Web.MaxTime = 2*time.Second, time.Minute
	command.DurationFlag(cmd, &s.refresh, "refresh", "interval of checks for writes by another process")
	f.IntVar(&s.Web.MaxRows, "max-rows", rows, "maximum of `N` rows in the answer to a statement")
	command.DurationFlag(cmd, &s.Web.MaxTime, "max-time", "time limit of a request")
}

// Check validates the flags and reads the token file.
func (s *Flags) Check(cmd *cobra.Command) error {
	switch {
	case s.Web.MaxRows < 1:
		return exit.Usagef("--max-rows %d is no number from 1 up", s.Web.MaxRows)
	case cmd.Flags().Changed("token") && s.tokenFile != "":
		return exit.Usagef("give --token or --token-file, not both")
	case s.tokenFile != "":
		b, err := os.ReadFile(s.tokenFile)
		if err != nil {
			return exit.Failf(exit.Unavailable, "cannot read the token: %v", err)
		}
		s.Web.Token = strings.TrimSpace(string(b))
	case !cmd.Flags().Changed("token"):
		return nil
	}
	if s.Web.Token == "" || strings.ContainsFunc(s.Web.Token, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return exit.Usagef("the token must be a word, without blanks; make one with openssl rand -hex 16")
	}
	return nil
}

// Listen opens the listener. An address that other machines can reach requires a token.
func (s *Flags) Listen() (net.Listener, error) {
	if path, ok := strings.CutPrefix(s.Addr, "unix:"); ok {
		return listenUnix(path)
	}
	l, err := net.Listen("tcp", s.Addr)
	if err != nil {
		return nil, exit.Failf(exit.Unavailable, "cannot listen: %v; with --addr 127.0.0.1:0 any free port is taken", err)
	}
	if at, ok := l.Addr().(*net.TCPAddr); s.Web.Token == "" && !(ok && at.IP.IsLoopback()) {
		l.Close()
		return nil, exit.Usagef("%s can be reached from other machines, so a token is needed; give --token-file, or listen on 127.0.0.1", s.Addr)
	}
	return l, nil
}

// listenUnix creates a socket that only this user can open. Close removes it.
func listenUnix(path string) (net.Listener, error) {
	var l net.Listener
	var err error
	forUserOnly(func() { l, err = net.Listen("unix", path) })
	if err != nil {
		return nil, exit.Failf(exit.Unavailable, "cannot listen: %v; is the path there, and shorter than 100 characters?", err)
	}
	return l, nil
}

// Answer prints the URL of path and serves h until the context ends. Running requests then have
// lastRequests to finish.
func Answer(ctx context.Context, l net.Listener, h http.Handler, out io.Writer, path string) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // API requests set their own deadlines
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(command.Warnings().Handler(), slog.LevelWarn),
	}
	if _, err := fmt.Fprintln(out, shownAddr(l.Addr(), path)); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastRequests)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		server.Close() // cancels the contexts of running requests
	}
	return nil
}

// shownAddr returns the URL of an address for a browser on this machine, or the socket for a
// program.
func shownAddr(a net.Addr, path string) string {
	at, ok := a.(*net.TCPAddr)
	switch {
	case !ok:
		return "unix:" + a.String()
	case at.IP.IsUnspecified():
		return fmt.Sprintf("http://localhost:%d%s", at.Port, path)
	}
	return fmt.Sprintf("http://%s%s", a, path)
}
