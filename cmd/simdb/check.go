package main

// The command check. Problems are rows, so that a program can read them.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

func newCheck() *cobra.Command {
	var format string
	var readOnly, repair bool
	cmd := &cobra.Command{
		Use:   "check [flags] DB",
		Short: "Recompute all derived data and compare it with what is stored",
		Long: `Read the whole database and report each contradiction as one row: of what kind it is,
the collection and the document, what is wrong, and where. The rows of a database are
always in the same order. The exit code is 3 if there are problems, and 5 if the database
cannot be opened or read.

With --repair everything that follows from texts, metadata and settings is made anew, in
place, if anything is amiss. That takes as long as an import. No document is lost if it is
interrupted or killed: the next command that opens the database to write goes on with it.
What is damaged of the documents themselves cannot be repaired. It is reported, and the
exit code is 3 then.`,
		Args: positional(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := validFormat(format); err != nil {
				return err
			}
			if repair && readOnly {
				return usagef("--repair writes, and --read-only does not; give one of them")
			}
			if repair {
				return runRepair(cmd, args[0], format)
			}
			return onDBToRead(cmd, args[0], readOnly, func(ctx context.Context, db *simdb.DB) error {
				return newSession(db, cmd.OutOrStdout(), cmd.ErrOrStderr(), format).check(ctx)
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "how to write the problems: table, ndjson, …")
	cmd.Flags().BoolVar(&repair, "repair", false, "make everything derived anew if anything is amiss")
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
	if report.Found == 0 {
		fmt.Fprintf(s.stderr, "checked %s: no problems\n", lookedAt(report))
		return nil
	}
	return failf(exitIncomplete, "%s found in %s; %s", count(report.Found, "problem"), lookedAt(report), remedy)
}

func lookedAt(r *api.CheckReport) string {
	return fmt.Sprintf("%s, %s, %s", count(r.Documents, "document"), count(r.Sets, "set"), count(r.Postings, "posting"))
}

const (
	remedy = "simdb check --repair makes anew what is derived, a backup or a new import brings back the rest"
	beyond = "go back to a backup, or save the other documents with simdb dump or simdb salvage"
)

// runRepair repairs a database. The rows are what is still wrong.
func runRepair(cmd *cobra.Command, path, format string) error {
	if path == "" {
		return errUnnamed
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	stderr := cmd.ErrOrStderr()
	ctx, x := waitFor(ctx, stderr)
	r, err := simdb.Repair(ctx, path, &simdb.Options{MemoryBytes: memoryOf(cmd), Logger: warnings()})
	x.stop()
	switch {
	case errors.Is(err, api.ErrCorrupt):
		return openError(path, err)
	case errors.Is(err, fs.ErrNotExist):
		return missing(path)
	case err != nil:
		return interrupted(openError(path, err), "no document is lost; the next command that opens the database to write goes on with a repair that has begun")
	}
	if err := newSession(nil, cmd.OutOrStdout(), stderr, format).problems(r.Left.Problems); err != nil {
		return err
	}
	if r.Rebuilt {
		fmt.Fprintf(stderr, "%s found, and everything derived made anew\n", count(r.Found.Found, "problem"))
	}
	if r.Left.Found > 0 {
		return failf(exitIncomplete, "%s left in %s, of the documents themselves; %s", count(r.Left.Found, "problem"), lookedAt(&r.Left), beyond)
	}
	fmt.Fprintf(stderr, "checked %s: no problems", lookedAt(&r.Left))
	if !r.Rebuilt {
		fmt.Fprint(stderr, ", nothing to repair")
	}
	fmt.Fprintln(stderr)
	return nil
}

func (s *session) problems(problems []api.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	p := newPrinter(s.format, s.out, []string{"kind", "collection", "id", "problem", "place"}, s.style)
	for _, x := range problems {
		if err := p.row([]any{x.Kind, x.Collection, x.ID, x.What, x.Place}); err != nil {
			return err
		}
	}
	if err := p.end(); err != nil {
		return err
	}
	return s.out.Flush()
}
