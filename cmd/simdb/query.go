package main

// The command query: statements from the command line or from standard input.

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/query/syntax"
)

// maxScript bounds what query reads from standard input at once.
const maxScript = 64 << 20

func newQuery() *cobra.Command {
	var format string
	var readOnly bool
	var width int
	cmd := &cobra.Command{
		Use:   "query [flags] DB… STATEMENT",
		Short: "Answer statements",
		Long: `Run one statement or several, separated by semicolons, and write the rows of each.
If STATEMENT is -, read them from standard input. The first statement that fails
ends the command.

Of several databases, as simdb import --scale makes them, all are asked: SIMILAR TO
and SOURCES OF give the rows of one that has the documents of all. No other statement
can be asked of several.`,
		Example: `  simdb query my.simdb "SIMILAR TO 'readme.txt' WHERE sim >= 0.5 LIMIT 5"
  simdb query my.simdb "SIMILAR TO 'readme.txt' NEAREST 3"
  simdb query my.simdb "SIMILAR TO 'readme.txt' USING versions(of='query', bits=2)"
  simdb query my.simdb "RELATED TO 'readme.txt' LIMIT 20"
  simdb query --format ndjson my.simdb "SIMILAR PAIRS WHERE sim >= 90%"
  simdb query my.simdb "EXPLAIN ANALYZE SIMILAR TO TEXT 'some words to look for'"
  simdb query shards/*.simdb "SIMILAR TO TEXT 'some words to look for' NEAREST 5"`,
		Args: positional(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := validFormat(format); err != nil {
				return err
			}
			return runQuery(cmd, args[:len(args)-1], args[len(args)-1], format, readOnly, width)
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table, box, line, csv, tsv, json, ndjson or markdown")
	readOnlyFlag(cmd, &readOnly)
	maxWidthFlag(cmd, &width)
	return cmd
}

func runQuery(cmd *cobra.Command, paths []string, script, format string, readOnly bool, width int) (err error) {
	var input io.Reader = &onceReader{r: cmd.InOrStdin()}
	if script == "-" {
		if script, err = readAll(cmd.InOrStdin(), maxScript); err != nil {
			return err
		}
		input = nil
	}
	run := func(ctx context.Context, db *simdb.DB, shards *simdb.Shards) error {
		s := newSession(db, cmd.OutOrStdout(), cmd.ErrOrStderr(), format)
		s.width, s.input, s.shards = width, input, shards
		return runScript(ctx, s, script)
	}
	if len(paths) > 1 {
		return onShards(cmd, paths, func(ctx context.Context, all *simdb.Shards) error { return run(ctx, nil, all) })
	}
	one := func(ctx context.Context, db *simdb.DB) error { return run(ctx, db, nil) }
	if !readOnly && writes(script, false) {
		return onDB(cmd, paths[0], one)
	}
	return onDBToRead(cmd, paths[0], readOnly, one)
}

// onceReader is standard input as FILE '-' reads it: once.
type onceReader struct {
	r    io.Reader
	done bool
}

func (o *onceReader) Read(b []byte) (int, error) {
	if o.done {
		return 0, errors.New("standard input, which an earlier FILE '-' has read; write the text to a file to use it twice")
	}
	n, err := o.r.Read(b)
	o.done = err == io.EOF
	return n, err
}

// runScript runs the statements of a script up to the first that fails.
func runScript(ctx context.Context, s *session, script string) error {
	for _, one := range statementsOf(script) {
		if err := s.statement(ctx, one.Text); err != nil {
			return &failure{code: codeOf(err), message: complaint(one, err), err: err}
		}
	}
	return nil
}

// statementsOf cuts a script. An empty one is a missing statement.
func statementsOf(script string) []syntax.StatementText {
	var cut syntax.Splitter
	statements := cut.Feed(script)
	if rest, ok := cut.Rest(); ok || len(statements) == 0 {
		statements = append(statements, rest)
	}
	return statements
}

// writes says whether a script may change what is stored. That goes by its statements up to
// the first that is none, for which broken answers.
func writes(script string, broken bool) bool {
	for _, one := range statementsOf(script) {
		s, err := query.Parse(one.Text)
		if err != nil {
			return broken
		}
		if syntax.Writes(s) {
			return true
		}
	}
	return false
}

// readAll reads up to limit bytes.
func readAll(r io.Reader, limit int64) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return "", err
	}
	if int64(len(b)) > limit {
		return "", failf(exitRejected, "the script is longer than %s; cut it in pieces, or give it to simdb shell", formatBytes(limit))
	}
	return string(b), nil
}
