// Package serve implements the serve command: the page and the API of package web, over HTTP.
//
// An address that other machines can reach requires a token. The server writes only with
// --allow-writes. Package agent shares Flags. Begin reading at New.
package serve

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/web"
)

// New returns the serve command.
func New() *cobra.Command {
	var s Flags
	var probe, create, untilEOF bool
	var from load.Source
	cmd := &cobra.Command{
		Use:   "serve [flags] DB…|FILE…",
		Short: "Serve a web page and an HTTP API for a database",
		Long: `Serve a web page to search, compare and query documents, and the HTTP API behind it.
The command prints the address; open it in a browser. Ctrl-C ends the server.

The server accepts connections from this machine only, unless --addr names another
address; that requires a token. Without --allow-writes the server only reads. Other
processes may then write to the database, and the page shows their changes.

FILEs and folders are imported into a temporary database, which only answers.

Several databases are searched together, in their state at the start of the command,
without the functions that need a single database: duplicates, statistics, lists of
documents and writes.`,
		Example: `  simdb serve my.simdb
  simdb serve submissions/
  simdb serve --addr 127.0.0.1:0 --allow-writes my.simdb
  simdb serve --addr unix:my.sock --until-eof --allow-writes --create my.simdb
  simdb serve --addr :8474 --token-file token.txt --host texts.example.org my.simdb
  simdb serve shards/*.simdb`,
		Args: func(cmd *cobra.Command, args []string) error {
			if probe && len(args) == 0 {
				return nil
			}
			return command.Args(1, -1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if probe {
				return healthy(cmd.Context(), s.Addr)
			}
			if err := s.Check(cmd); err != nil {
				return err
			}
			if files, err := from.AreFiles(cmd, args); err != nil {
				return err
			} else if files && s.Web.Writable {
				return exit.Usagef("%s is a file, or a folder that is no database; --allow-writes needs a database: simdb import makes one", output.EscapeControls(args[0]))
			}
			args, remove, err := from.Stores(cmd, args)
			if err != nil {
				return err
			}
			defer func() { remove(&err) }()
			s.Web.Renderer, s.Web.Tables = load.NewRenderer(command.MaxDoc), tables
			if len(args) > 1 {
				return runShards(cmd, &s, args)
			}
			if create && !s.Web.Writable {
				return exit.Usagef("--create needs a server that writes: give --allow-writes too")
			}
			return run(cmd, &s, args[0], create, untilEOF)
		},
	}
	cmd.Flags().StringVar(&s.Addr, "addr", "127.0.0.1:8474", "listening `ADDRESS`; port 0 selects a free port, unix:PATH a socket for this user only")
	cmd.Flags().BoolVar(&s.Web.Writable, "allow-writes", false, "allow writes by requests; takes the write lock")
	cmd.Flags().BoolVar(&create, "create", false, "with --allow-writes: create a missing database")
	cmd.Flags().BoolVar(&untilEOF, "until-eof", false, "exit when standard input ends, for example because the parent process ended")
	s.Add(cmd, 10_000)
	from.Flags(cmd)
	cmd.Flags().BoolVar(&probe, "probe", false, "check whether a server answers at --addr, and exit with 0 or 4; takes no DB")
	return cmd
}

// run serves a database until Ctrl-C, and then returns nil.
func run(cmd *cobra.Command, s *Flags, path string, create, untilEOF bool) (err error) {
	ctx, stop := command.Interruptible(cmd.Context())
	defer stop()
	if untilEOF {
		go func() { io.Copy(io.Discard, cmd.InOrStdin()); stop() }()
	}
	listener, err := s.Listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	lent, err := s.Lend(ctx, path, func(ctx context.Context) (*simdb.DB, error) {
		if create {
			return command.OpenOrCreate(ctx, path, &simdb.Options{MemoryBytes: command.MemoryOf(cmd)})
		}
		return command.OpenExisting(ctx, path, !s.Web.Writable, command.MemoryOf(cmd))
	})
	if err != nil {
		return err
	}
	defer command.CloseInto(lent, &err)
	return Answer(ctx, listener, web.Handler(nil, &s.Web), cmd.OutOrStdout(), "/")
}

// tables maps the file formats for saved rows of the page to their writers.
var tables = map[string]func(io.Writer, []string, [][]any) error{
	"parquet": func(to io.Writer, columns []string, rows [][]any) error {
		return output.WriteRows(output.NewPrinter("parquet", to, query.Columns(columns...), output.Style{}), rows)
	},
}

// runShards serves several databases until Ctrl-C.
func runShards(cmd *cobra.Command, s *Flags, paths []string) error {
	for _, name := range []string{"allow-writes", "refresh", "until-eof"} {
		if cmd.Flags().Changed(name) {
			return exit.Usagef("several databases are only read, in their current state; --%s needs a single database", name)
		}
	}
	listener, err := s.Listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	return command.OnShards(cmd, paths, func(ctx context.Context, all *simdb.Shards) error {
		return Answer(ctx, listener, web.ShardsHandler(all, &s.Web), cmd.OutOrStdout(), "/")
	})
}
