package main

// The command check. Problems are rows, so that a program can read them.

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
)

func newCheck() *cobra.Command {
	var format string
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "check [flags] DB",
		Short: "Recompute all derived data and compare it with what is stored",
		Long: `Read the whole database and report each contradiction as one row. The exit code
is 3 if there are problems, and 5 if the database cannot be opened or read.`,
		Args: positional(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := validFormat(format); err != nil {
				return err
			}
			return onDBToRead(cmd, args[0], readOnly, func(ctx context.Context, db *simdb.DB) error {
				return newSession(db, cmd.OutOrStdout(), cmd.ErrOrStderr(), format).check(ctx)
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "how to write the problems: table, ndjson, …")
	readOnlyFlag(cmd, &readOnly)
	return cmd
}

func (s *session) check(ctx context.Context) error {
	ctx, x := waitFor(ctx, s.stderr)
	report, err := s.db.Check(ctx, nil)
	x.stop()
	if err != nil {
		return err
	}
	if err := s.problems(report.Problems); err != nil {
		return err
	}
	looked := fmt.Sprintf("%s, %s, %s", count(report.Documents, "document"), count(report.Sets, "set"), count(report.Postings, "posting"))
	if report.Found == 0 {
		fmt.Fprintf(s.stderr, "checked %s: no problems\n", looked)
		return nil
	}
	return failf(exitIncomplete, "%s found in %s; %s", count(report.Found, "problem"), looked, remedy)
}

const remedy = "simdb compact rebuilds the indexes, a backup or a new import brings back the rest"

func (s *session) problems(problems []simdb.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	p := newPrinter(s.format, s.out, []string{"collection", "id", "problem"}, s.style)
	for _, x := range problems {
		if err := p.row([]any{x.Collection, x.ID, x.What}); err != nil {
			return err
		}
	}
	if err := p.end(); err != nil {
		return err
	}
	return s.out.Flush()
}
