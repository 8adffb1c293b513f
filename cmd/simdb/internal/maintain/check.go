package maintain

// The command check. Problems are rows, so that a program can read them.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
)

func newCheck() *cobra.Command {
	format := "table"
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
		Args: command.Args(1, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if repair && readOnly {
				return exit.Usagef("--repair writes, and --read-only does not; give one of them")
			}
			if repair {
				return runRepair(ctx, cmd, args[0], format)
			}
			return command.OnDBToRead(cmd, args[0], readOnly, func(ctx context.Context, db *simdb.DB) error {
				return Check(ctx, session.New(cmd, db, format))
			})
		}),
	}
	output.FormatFlag(cmd, &format, output.Formats, "of the problems: ")
	cmd.Flags().BoolVar(&repair, "repair", false, "make everything derived anew if anything is amiss")
	command.ReadOnlyFlag(cmd, &readOnly)
	return cmd
}

// Check writes a row for each problem.
func Check(ctx context.Context, s *session.Session) error {
	ctx, x := output.WaitFor(ctx, s.Stderr)
	report, err := s.DB.Check(ctx, nil)
	x.Stop()
	if err != nil {
		return err
	}
	if err := problems(s, report.Problems); err != nil {
		return err
	}
	if report.Found == 0 {
		fmt.Fprintf(s.Stderr, "checked %s: no problems\n", lookedAt(report))
		return nil
	}
	return exit.Failf(exit.Incomplete, "%s found in %s; %s", output.Count(report.Found, "problem"), lookedAt(report), session.Remedy)
}

func lookedAt(r *api.CheckReport) string {
	return fmt.Sprintf("%s, %s, %s", output.Count(r.Documents, "document"), output.Count(r.Sets, "set"), output.Count(r.Postings, "posting"))
}

const beyond = "go back to a backup, or save the other documents with simdb dump or simdb salvage"

// runRepair repairs a database. The rows are what is still wrong.
func runRepair(ctx context.Context, cmd *cobra.Command, path, format string) error {
	if path == "" {
		return command.ErrUnnamed
	}
	stderr := cmd.ErrOrStderr()
	ctx, x := output.WaitFor(ctx, stderr)
	r, err := simdb.Repair(ctx, path, &simdb.Options{MemoryBytes: command.MemoryOf(cmd), Logger: command.Warnings()})
	x.Stop()
	switch {
	case errors.Is(err, api.ErrCorrupt):
		return command.OpenError(path, err)
	case errors.Is(err, fs.ErrNotExist):
		return command.Missing(path)
	case err != nil:
		return exit.Interrupted(command.OpenError(path, err), "no document is lost; the next command that opens the database to write goes on with a repair that has begun")
	}
	if err := problems(session.New(cmd, nil, format), r.Left.Problems); err != nil {
		return err
	}
	if r.Rebuilt {
		fmt.Fprintf(stderr, "%s found, and everything derived made anew\n", output.Count(r.Found.Found, "problem"))
	}
	if r.Left.Found > 0 {
		return exit.Failf(exit.Incomplete, "%s left in %s, of the documents themselves; %s", output.Count(r.Left.Found, "problem"), lookedAt(&r.Left), beyond)
	}
	fmt.Fprintf(stderr, "checked %s: no problems", lookedAt(&r.Left))
	if !r.Rebuilt {
		fmt.Fprint(stderr, ", nothing to repair")
	}
	fmt.Fprintln(stderr)
	return nil
}

func problems(s *session.Session, found []api.Problem) error {
	if len(found) == 0 {
		return nil
	}
	var rows [][]any
	for _, x := range found {
		rows = append(rows, []any{x.Kind, x.Collection, x.ID, x.What, x.Place})
	}
	return s.Table([]string{"kind", "collection", "id", "problem", "place"}, rows...)
}
