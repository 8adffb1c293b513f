// Package search implements the commands that read and compare texts: query, get, compare and
// demo.
//
// All but demo and a CREATE or INSERT of query leave the database unchanged. Begin reading at
// NewQuery.
package search

// The query command runs statements of the command line or of standard input.

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
)

// maxScript limits the statements from standard input, in bytes.
const maxScript = 64 << 20

// NewQuery returns the query command.
func NewQuery() *cobra.Command {
	format := "table"
	var readOnly bool
	var width int
	var from load.Source
	cmd := &cobra.Command{
		Use:   "query [flags] DB…|FILE… STATEMENT",
		Short: "Run statements",
		Long: `Run one or several statements, separated by semicolons, and print the rows of each. If
STATEMENT is -, read them from standard input. The first failing statement ends the
command. A missing database is created if the first statement is a correct CREATE or
INSERT.

FILEs and folders are imported into a temporary database, which only answers.

Several databases, as from simdb import --scale, answer SIMILAR TO and SOURCES OF like
one database with all their documents. They support no other statements.`,
		Example: `  simdb query my.simdb "SIMILAR TO 'readme.txt' WHERE sim >= 0.5 LIMIT 5"
  simdb query my.simdb "SIMILAR TO 'readme.txt' NEAREST 3"
  simdb query my.simdb "SIMILAR TO 'readme.txt' USING versions(of='query', bits=2)"
  simdb query my.simdb "RELATED TO 'readme.txt' LIMIT 20"
  simdb query --format ndjson my.simdb "SIMILAR PAIRS WHERE sim >= 90%"
  simdb query my.simdb "EXPLAIN ANALYZE SIMILAR TO TEXT 'some words to look for'"
  simdb query pages.jsonl "SIMILAR PAIRS WHERE sim >= 80%"
  simdb query --text-field body --with "unit = 'char'" pages.parquet "SHOW COLLECTIONS"
  simdb query shards/*.simdb "SIMILAR TO TEXT 'some words to look for' NEAREST 5"`,
		Args: command.Args(2, -1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 2 && isThere(args[1]) && !isThere(args[0]) {
				return exit.Usagef("the statement comes last: simdb query %s %q", args[1], args[0])
			}
			stores, remove, err := from.Stores(cmd, args[:len(args)-1])
			if err != nil {
				return err
			}
			defer func() { remove(&err) }()
			return runQuery(cmd, stores, args[len(args)-1], format, readOnly || from.Temporary, width)
		},
	}
	from.Flags(cmd)
	output.FormatFlag(cmd, &format, output.Formats, "")
	command.ReadOnlyFlag(cmd, &readOnly)
	session.MaxWidthFlag(cmd, &width)
	return cmd
}

// isThere reports whether a path exists.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// runQuery runs a script on one database, or on several.
func runQuery(cmd *cobra.Command, paths []string, script, format string, readOnly bool, width int) (err error) {
	var input io.Reader = session.Once(cmd.InOrStdin())
	if script == "-" {
		if script, err = readAll(cmd.InOrStdin(), maxScript); err != nil {
			return err
		}
		input = nil
	}
	run := func(ctx context.Context, db *simdb.DB, shards *simdb.Shards) error {
		s := session.New(cmd, db, format)
		s.Width, s.Input, s.Shards = width, input, shards
		return session.RunScript(ctx, s, script)
	}
	if len(paths) > 1 {
		return command.OnShards(cmd, paths, func(ctx context.Context, all *simdb.Shards) error { return run(ctx, nil, all) })
	}
	return command.On(cmd, func(ctx context.Context) (*simdb.DB, error) {
		return openOrMake(ctx, paths[0], script, readOnly, command.MemoryOf(cmd))
	},
		func(ctx context.Context, db *simdb.DB) error { return run(ctx, db, nil) })
}

// openOrMake opens a database for reading or writing, as the script requires, and creates a missing
// one if the script begins with a CREATE or INSERT.
func openOrMake(ctx context.Context, path, script string, readOnly bool, memory int64) (db *simdb.DB, err error) {
	if !readOnly && session.Writes(script, false) {
		db, err = command.OpenExisting(ctx, path, false, memory)
	} else {
		db, err = command.OpenToRead(ctx, path, readOnly, memory)
	}
	if readOnly || !errors.Is(err, fs.ErrNotExist) {
		return db, err
	}
	if makes, wrong := session.Makes(ctx, script); wrong != nil || !makes {
		return nil, cmp.Or(wrong, err)
	}
	return command.OpenOrCreate(ctx, path, &simdb.Options{MemoryBytes: memory})
}

// readAll reads r to its end and returns an error beyond limit bytes.
func readAll(r io.Reader, limit int64) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return "", err
	}
	if int64(len(b)) > limit {
		return "", exit.Failf(exit.Rejected, "the script is longer than %s; cut it in pieces, or give it to simdb shell", output.Bytes(limit))
	}
	return string(b), nil
}
