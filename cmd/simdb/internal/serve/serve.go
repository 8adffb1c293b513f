// Package serve has the command serve: the page and the API of package web, for this machine
// or, with a token, for others.
package serve

import (
	"context"
	"errors"
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

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/web"
)

// lastRequests is how long requests that are under way have to end after Ctrl-C.
const lastRequests = 3 * time.Second

// serving is what the flags of serve say.
type serving struct {
	addr      string
	tokenFile string
	refresh   time.Duration
	probe     bool
	web       web.Options
}

func New() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:   "serve [flags] DB…",
		Short: "Show a database in the browser, and answer programs over HTTP",
		Long: `Serve a page on which one finds similar documents, compares them and asks statements,
and the API that it uses. Standard output gets the address; open it in a browser.
Ctrl-C ends it.

Only this machine is answered, unless --addr says otherwise. Then a token is needed,
which the page asks for and programs send. Nothing is written to the database unless
--allow-writes is given, and others may write to it meanwhile: the page follows.

Several databases are searched together, as they were when the command began. What only
one can answer is not there: duplicates, figures, lists of documents, writes.`,
		Example: `  simdb serve my.simdb
  simdb serve --addr 127.0.0.1:0 --allow-writes my.simdb
  simdb serve --addr :8474 --token-file token.txt --host texts.example.org my.simdb
  simdb serve shards/*.simdb`,
		Args: func(cmd *cobra.Command, args []string) error {
			if s.probe && len(args) == 0 {
				return nil
			}
			return command.Args(1, -1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.probe {
				return s.healthy(cmd.Context())
			}
			if err := s.check(cmd); err != nil {
				return err
			}
			if len(args) > 1 {
				return s.runShards(cmd, args)
			}
			return s.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.addr, "addr", "127.0.0.1:8474", "where to listen; port 0 is any that is free")
	f.BoolVar(&s.web.Writable, "allow-writes", false, "let requests change the database; no other process can then")
	f.StringVar(&s.web.Token, "token", "", "ask for this token; others on this machine may see it in the list of processes")
	f.StringVar(&s.tokenFile, "token-file", "", "ask for the token that is in this file")
	f.StringArrayVar(&s.web.Hosts, "host", nil, "a further name by which the page is asked for; may be repeated")
	f.DurationVar(&s.refresh, "refresh", 2*time.Second, "how often to look whether another process has written")
	f.BoolVar(&s.probe, "probe", false, "only ask whether a server answers at --addr, and end with 0 or 4; without DB")
	f.IntVar(&s.web.MaxRows, "max-rows", 10_000, "rows of an answer to a statement")
	f.DurationVar(&s.web.MaxTime, "max-time", time.Minute, "how long a request may take")
	return cmd
}

// check looks at the flags, and reads the token.
func (s *serving) check(cmd *cobra.Command) error {
	switch {
	case s.web.MaxRows < 1:
		return exit.Usagef("--max-rows %d is no number from 1 up", s.web.MaxRows)
	case s.web.MaxTime <= 0:
		return exit.Usagef("--max-time %v is no time", s.web.MaxTime)
	case s.refresh <= 0:
		return exit.Usagef("--refresh %v is no time", s.refresh)
	case cmd.Flags().Changed("token") && s.tokenFile != "":
		return exit.Usagef("give --token or --token-file, not both")
	case s.tokenFile != "":
		b, err := os.ReadFile(s.tokenFile)
		if err != nil {
			return exit.Failf(exit.Unavailable, "cannot read the token: %v", err)
		}
		s.web.Token = strings.TrimSpace(string(b))
	case !cmd.Flags().Changed("token"):
		return nil
	}
	if s.web.Token == "" || strings.ContainsFunc(s.web.Token, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return exit.Usagef("the token must be a word, without blanks; make one with openssl rand -hex 16")
	}
	return nil
}

// run serves until Ctrl-C, which is how it ends well.
func (s *serving) run(cmd *cobra.Command, path string) (err error) {
	ctx, stop := command.Interruptible(cmd.Context())
	defer stop()
	listener, err := s.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	open := func(ctx context.Context) (*simdb.DB, error) {
		return command.OpenExisting(ctx, path, !s.web.Writable, command.MemoryOf(cmd))
	}
	db, err := open(ctx)
	if err != nil {
		return err
	}
	shown := newFollowed(db)
	defer func() { err = errors.Join(err, shown.close()) }()
	s.web.Lend = shown.lend
	s.web.Renderer = load.NewRenderer(command.MaxDoc)
	if !s.web.Writable {
		followed, end := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { defer close(done); shown.follow(followed, path, s.refresh, open) }()
		defer func() { end(); <-done }()
	}
	return serve(ctx, listener, web.Handler(db, &s.web), cmd.OutOrStdout())
}

// runShards serves several databases until Ctrl-C.
func (s *serving) runShards(cmd *cobra.Command, paths []string) error {
	for _, name := range []string{"allow-writes", "refresh"} {
		if cmd.Flags().Changed(name) {
			return exit.Usagef("several databases are only read, as they are now: --%s is for one", name)
		}
	}
	listener, err := s.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	s.web.Renderer = load.NewRenderer(command.MaxDoc)
	return command.OnShards(cmd, paths, func(ctx context.Context, all *simdb.Shards) error {
		return serve(ctx, listener, web.ShardsHandler(all, &s.web), cmd.OutOrStdout())
	})
}

// listen takes the address. Beyond this machine it wants a token.
func (s *serving) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		return nil, exit.Failf(exit.Unavailable, "cannot listen: %v; with --addr 127.0.0.1:0 any free port is taken", err)
	}
	if at, ok := l.Addr().(*net.TCPAddr); s.web.Token == "" && !(ok && at.IP.IsLoopback()) {
		l.Close()
		return nil, exit.Usagef("%s can be reached from other machines, so a token is needed; give --token-file, or listen on 127.0.0.1", s.addr)
	}
	return l, nil
}

// serve answers until the context ends. Requests that are under way then have a while to end.
func serve(ctx context.Context, l net.Listener, h http.Handler, out io.Writer) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // of what is no request for data: that has times of its own
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(command.Warnings().Handler(), slog.LevelWarn),
	}
	if _, err := fmt.Fprintf(out, "http://%s/\n", shownAddr(l.Addr())); err != nil {
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
		server.Close() // their contexts end, and so do they
	}
	return nil
}

// shownAddr is how a browser on this machine reaches an address.
func shownAddr(a net.Addr) string {
	if at, ok := a.(*net.TCPAddr); ok && at.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", fmt.Sprint(at.Port))
	}
	return a.String()
}
