// Package agent implements the mcp command, which serves a database to agents as tools and
// resources of the Model Context Protocol, on standard input and output or over HTTP.
//
// Every answer follows a JSON schema and stays within limits of rows, bytes and time; an answer
// truncated by a limit is marked. A library implements the protocol; the package calls the root
// package like any other program.
//
// Begin reading at server in tool.go, which registers the tools; each group of tools is a file.
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

// maxMessage limits a message of a client, in bytes, like the request limit of serve.
const maxMessage = 32 << 20

// maxRequests limits the concurrent HTTP requests, each of which holds its message in memory. The
// server rejects further requests.
const maxRequests = 2 * maxConcurrent

// lastWrites is the time beyond --max-time for an HTTP client to receive the answer.
const lastWrites = 10 * time.Second

// serving holds the flags of mcp.
type serving struct {
	serve.Flags
	statements bool // --allow-writes
	remember   bool // --allow-remember
	maxBytes   int64
}

// New returns the mcp command.
func New() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:   "mcp [flags] DB",
		Short: "Serve a database to agents by the Model Context Protocol",
		Long: `Serve a database to agents by the Model Context Protocol: on standard input and output,
or with --addr over HTTP. Agents can check whether a text is stored, find its sources,
and compare texts.

The tools are similar, nearest, compare, sources and query; documents are resources.
The database is read-only by default; other processes may write to it, and answers
reflect their changes. --allow-remember adds the tool remember, which stores new texts.
--allow-writes also allows statements that change or delete. Either flag creates a
missing database and takes the write lock.`,
		Example: `  simdb mcp --allow-remember memory.simdb
  simdb mcp corpus.simdb
  simdb mcp --addr 127.0.0.1:8475 --allow-remember memory.simdb
  simdb mcp --addr :8475 --token-file token.txt --host texts.example.org corpus.simdb`,
		Args: command.Args(1, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error { return s.run(ctx, cmd, args[0]) }),
	}
	f := cmd.Flags()
	f.StringVar(&s.Addr, "addr", "", "listening `ADDRESS` for HTTP, instead of standard input and output; port 0 selects a free port")
	f.BoolVar(&s.remember, "allow-remember", false, "allow agents to store new texts, but no changes or deletes; takes the write lock")
	f.BoolVar(&s.statements, "allow-writes", false, "allow writes by agents: store, change and delete, also by statements; takes the write lock")
	s.maxBytes = 64 << 10
	command.SizeFlag(cmd, &s.maxBytes, "max-bytes", 1<<10, command.AnySize, "maximum size of an answer, as JSON")
	s.Add(cmd, 100)
	return cmd
}

// check validates the flags.
func (s *serving) check(cmd *cobra.Command) error {
	for _, name := range []string{"token", "token-file", "host"} {
		if s.Addr == "" && cmd.Flags().Changed(name) {
			return exit.Usagef("--%s is for agents over HTTP; give --addr too", name)
		}
	}
	return s.Check(cmd)
}

// run serves until the client disconnects or Ctrl-C, and then returns nil.
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

// open opens the database. If writes are allowed, it creates a missing one, because an agent
// starts without a database.
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

// onStdio serves the client that started the command.
func (s *serving) onStdio(ctx context.Context, cmd *cobra.Command, m *mcp.Server) error {
	in := io.NopCloser(cmd.InOrStdin())
	out := struct {
		io.Writer
		io.Closer
	}{cmd.OutOrStdout(), in} // the session closes neither
	err := m.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: maxMessage})
	if err != nil && ctx.Err() == nil {
		return exit.Failf(exit.Rejected, "the agent sent what is no message of the protocol, of at most %d bytes: %v", maxMessage, err)
	}
	return nil
}

// overHTTP returns a handler for /mcp without sessions: clients hold no state between requests,
// and a disconnect cancels the running request.
func (s *serving) overHTTP(m *mcp.Server) http.Handler {
	answer := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMessage,
		DisableLocalhostProtection: true, // web.Guard checks host names
	})
	requests := make(chan struct{}, maxRequests)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		select {
		case requests <- struct{}{}:
			defer func() { <-requests }()
		default:
			http.Error(w, "the server has too many running requests; try again in a moment", http.StatusServiceUnavailable)
			return
		}
		until := time.Now().Add(s.Web.MaxTime + lastWrites)
		to := http.NewResponseController(w)
		to.SetReadDeadline(until)
		to.SetWriteDeadline(until)
		r.Body = &message{ReadCloser: r.Body}
		answer.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, r.Context())))
	})
	return web.Guard(mux, &s.Web)
}

// callerKey is the context key for the context of an HTTP caller. The library detaches the context
// of a call from it, so cancellation needs this key.
type callerKey struct{}

// instructions returns the description of the server that an agent receives on connecting.
func (s *serving) instructions() string {
	writes := `This server is read-only; --allow-remember adds the tool remember, which stores texts. `
	if s.Web.Writable {
		writes = `Store texts with remember, which checks for similar texts and stores in one step. `
	}
	return `simdb finds texts that share wording with a given text, exactly: copies, near-duplicates, quotations, versions. ` +
		`It does not find paraphrases: no match does not mean that the subject is unknown. ` + writes + fmt.Sprintf(`Documents lie in collections (usually docs), each with an id; read a document as simdb://COLLECTION/ID or by `+
		`query "SELECT text FROM docs WHERE id = 'ID'". An answer has at most %d rows and %d bytes; "more" and "notes" report a truncated answer.`, s.Web.MaxRows, s.maxBytes)
}
