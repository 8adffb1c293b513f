// Package serve has the command serve: the page and the API of package web, for this machine
// or, with a token, for others.
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

func New() *cobra.Command {
	var s Flags
	var probe, create, untilEOF bool
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
  simdb serve --addr unix:my.sock --until-eof --allow-writes --create my.simdb
  simdb serve --addr :8474 --token-file token.txt --host texts.example.org my.simdb
  simdb serve shards/*.simdb`,
		Args: func(cmd *cobra.Command, args []string) error {
			if probe && len(args) == 0 {
				return nil
			}
			return command.Args(1, -1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if probe {
				return healthy(cmd.Context(), s.Addr)
			}
			if err := s.Check(cmd); err != nil {
				return err
			}
			s.Web.Renderer, s.Web.Tables = load.NewRenderer(command.MaxDoc), tables
			if len(args) > 1 {
				return runShards(cmd, &s, args)
			}
			if create && !s.Web.Writable {
				return exit.Usagef("--create makes a database to write to: give --allow-writes too")
			}
			return run(cmd, &s, args[0], create, untilEOF)
		},
	}
	cmd.Flags().StringVar(&s.Addr, "addr", "127.0.0.1:8474", "where to listen; port 0 is any that is free, unix:PATH a socket for this user alone")
	cmd.Flags().BoolVar(&s.Web.Writable, "allow-writes", false, "let requests change the database; no other process can then")
	cmd.Flags().BoolVar(&create, "create", false, "with --allow-writes: make the database if it is not there")
	cmd.Flags().BoolVar(&untilEOF, "until-eof", false, "end when standard input does: with the program that has begun this one")
	s.Add(cmd, 10_000)
	cmd.Flags().BoolVar(&probe, "probe", false, "only ask whether a server answers at --addr, and end with 0 or 4; without DB")
	return cmd
}

// run serves until Ctrl-C, which is how it ends well.
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

// tables are the files that rows of the page can be saved as.
var tables = map[string]func(io.Writer, []string, [][]any) error{
	"parquet": func(to io.Writer, columns []string, rows [][]any) error {
		return output.WriteRows(output.NewPrinter("parquet", to, query.Columns(columns...), output.Style{}), rows)
	},
}

// runShards serves several databases until Ctrl-C.
func runShards(cmd *cobra.Command, s *Flags, paths []string) error {
	for _, name := range []string{"allow-writes", "refresh", "until-eof"} {
		if cmd.Flags().Changed(name) {
			return exit.Usagef("several databases are only read, as they are now: --%s is for one", name)
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
