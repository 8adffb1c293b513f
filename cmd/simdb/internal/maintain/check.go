package maintain

// The check command. It reports problems as rows, so that programs can read them.

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
)

// newCheck returns the check command.
func newCheck() *cobra.Command {
	format := "table"
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "check [flags] DB",
		Short: "Recompute all derived data and compare it with what is stored",
		Long: `Read the whole database and report each contradiction as a row: kind, collection,
document, description and place. The order of the rows is deterministic. The exit code
is 3 if there are problems, and 5 if the database cannot be opened or read.

To repair a database, restore a backup, or run simdb salvage --replace, which derives
everything again.`,
		Args: command.Args(1, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			return command.OnDBToRead(cmd, args[0], readOnly, func(ctx context.Context, db *simdb.DB) error {
				return Check(ctx, session.New(cmd, db, format))
			})
		}),
	}
	output.FormatFlag(cmd, &format, output.Formats, "")
	command.ReadOnlyFlag(cmd, &readOnly)
	return cmd
}

// Check compares the derived data of the session's database with the stored and writes a row
// per problem. It returns an error of code exit.Incomplete if there are problems.
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

// lookedAt formats the extent of a check.
func lookedAt(r *api.CheckReport) string {
	return fmt.Sprintf("%s, %s, %s", output.Count(r.Documents, "document"), output.Count(r.Sets, "set"), output.Count(r.Postings, "posting"))
}

// problems writes a row per problem.
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
