// Package agent has the command mcp: a database as tools and resources of the Model Context
// Protocol, for agents that ask whether they have a text already.
//
// In come messages of the protocol, on standard input or over HTTP. Out come answers as JSON by
// a schema, each within limits that it names where they cut. The protocol is the work of a library;
// the package calls the root package as any other program would.
package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/serve"
	"github.com/simdb/simdb/web"
)

// maxMessage bounds a message of a client, in bytes, as serve bounds a request.
const maxMessage = 32 << 20

// maxRequests over HTTP are held at a time, each with its message; others are refused.
const maxRequests = 2 * maxConcurrent

// lastWrites is how much longer than --max-time a client over HTTP has to take the answer.
const lastWrites = 10 * time.Second

// serving is what the flags of mcp say.
type serving struct {
	serve.Flags
	statements bool // may change the database
	remember   bool // texts may be stored
	maxBytes   int
}

// New makes the command.
func New() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:   "mcp [flags] DB",
		Short: "Give agents the database as tools of the Model Context Protocol",
		Long: `Answer an agent that asks whether it has a text already, where a text comes from, and what
two texts share, by the Model Context Protocol: on standard input and output, as an agent
starts it, or with --addr over HTTP.

The tools are similar, nearest, compare, sources and query; documents are resources. Nothing
is written unless --allow-remember or --allow-writes is given, and others may write to the
database meanwhile: the answers follow. With either of these flags the tool remember stores
texts, a database that is missing is made, and no other process can write. Only with
--allow-writes may statements of query change or delete what is there.`,
		Example: `  simdb mcp --allow-remember memory.simdb
  simdb mcp corpus.simdb
  simdb mcp --addr 127.0.0.1:8475 --allow-remember memory.simdb
  simdb mcp --addr :8475 --token-file token.txt --host texts.example.org corpus.simdb`,
		Args: command.Args(1, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error { return s.run(ctx, cmd, args[0]) }),
	}
	f := cmd.Flags()
	f.StringVar(&s.Addr, "addr", "", "listen there for agents over HTTP, instead of standard input; port 0 is any that is free")
	f.BoolVar(&s.remember, "allow-remember", false, "let agents store texts, which changes and deletes nothing; no other process can write then")
	f.BoolVar(&s.statements, "allow-writes", false, "let agents store, change and delete, by statements too; no other process can write then")
	f.IntVar(&s.maxBytes, "max-bytes", 64<<10, "bytes of an answer, as JSON")
	s.Add(cmd, 100)
	return cmd
}

func (s *serving) check(cmd *cobra.Command) error {
	if s.maxBytes < 1<<10 {
		return exit.Usagef("--max-bytes %d is less than 1024", s.maxBytes)
	}
	for _, name := range []string{"token", "token-file", "host"} {
		if s.Addr == "" && cmd.Flags().Changed(name) {
			return exit.Usagef("--%s is for agents over HTTP; give --addr too", name)
		}
	}
	return s.Check(cmd)
}

// run answers until the client goes or Ctrl-C, which is how it ends well.
func (s *serving) run(ctx context.Context, cmd *cobra.Command, path string) (err error) {
	if err := s.check(cmd); err != nil {
		return err
	}
	s.Web.Writable = s.remember || s.statements
	answer := s.onStdio
	if s.Addr != "" {
		listener, err := s.Listen()
		if err != nil {
			return err
		}
		defer listener.Close()
		answer = func(ctx context.Context, cmd *cobra.Command, m *mcp.Server) error {
			return serve.Answer(ctx, listener, s.overHTTP(m), cmd.OutOrStdout(), "/mcp")
		}
	}
	lent, err := s.Lend(ctx, path, func(ctx context.Context) (*simdb.DB, error) { return s.open(ctx, cmd, path) })
	if err != nil {
		return err
	}
	defer command.CloseInto(lent, &err)
	return answer(ctx, cmd, s.server())
}

// open makes a database that is missing if it may be written: an agent begins with none.
func (s *serving) open(ctx context.Context, cmd *cobra.Command, path string) (*simdb.DB, error) {
	if !s.Web.Writable {
		return command.OpenExisting(ctx, path, true, command.MemoryOf(cmd))
	}
	db, err := command.OpenOrCreate(ctx, path, &simdb.Options{MemoryBytes: command.MemoryOf(cmd)})
	if errors.Is(err, api.ErrLocked) {
		return nil, exit.Failf(exit.Unavailable, "%v; agents that write to one database share one server: start it with --addr, and give them its address", err)
	}
	return db, err
}

// onStdio answers the one client that has started the command.
func (s *serving) onStdio(ctx context.Context, cmd *cobra.Command, m *mcp.Server) error {
	in := io.NopCloser(cmd.InOrStdin())
	out := struct {
		io.Writer
		io.Closer
	}{cmd.OutOrStdout(), in} // neither is closed with the session
	err := m.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMessage})
	if err != nil && ctx.Err() == nil {
		return exit.Failf(exit.Rejected, "the agent sent what is no message of the protocol, of at most %d bytes: %v", maxMessage, err)
	}
	return nil
}

// overHTTP answers under /mcp. There are no sessions: no client holds anything here between two
// requests, and one that goes takes its request with it.
func (s *serving) overHTTP(m *mcp.Server) http.Handler {
	answer := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMessage,
		DisableLocalhostProtection: true, // web.Guard knows the names
	})
	requests := make(chan struct{}, maxRequests)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		select {
		case requests <- struct{}{}:
			defer func() { <-requests }()
		default:
			http.Error(w, "so many requests are being answered already; try again in a moment", http.StatusServiceUnavailable)
			return
		}
		until := time.Now().Add(s.Web.MaxTime + lastWrites)
		to := http.NewResponseController(w)
		to.SetReadDeadline(until)
		to.SetWriteDeadline(until)
		answer.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, r.Context())))
	})
	return web.Guard(mux, &s.Web)
}

// callerKey is where the context of a call over HTTP has that of its caller, from which the library
// cuts it off.
type callerKey struct{}

// instructions tell an agent what the database is for, once.
func (s *serving) instructions() string {
	writes := `This server only reads; started with --allow-remember it has the tool remember, which stores texts. `
	if s.Web.Writable {
		writes = `Before you store a text call remember, which looks and stores in one step and says what is there already. `
	}
	return `simdb finds texts that share wording with a given one, exactly: copies, near-duplicates, quotations, versions. ` +
		`It does not find the same thing said in other words: no match does not mean that the subject is unknown. ` + writes + fmt.Sprintf(`Documents lie in collections (usually docs), each under an id; read one as simdb://COLLECTION/ID or by `+
		`query "SELECT text FROM docs WHERE id = 'ID'". An answer has at most %d rows and %d bytes; "more" and "notes" say where it was cut.`, s.Web.MaxRows, s.maxBytes)
}
