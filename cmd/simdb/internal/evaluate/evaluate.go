// Package evaluate implements the evaluate command, which recommends a measure, settings and a
// threshold for the texts of a database, given known answers for some of them.
//
// The search for the recommendation lies in the package of the same name that it imports; this
// package reads flags and writes the report. Begin reading at New.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/evaluate"
	"github.com/simdb/simdb/internal/report"
)

// New returns the evaluate command.
func New() *cobra.Command {
	var e evaluate.Evaluation
	var out string
	cmd := &cobra.Command{
		Use:   "evaluate [flags] DB FILE",
		Short: "Recommend a measure, settings and a threshold for your texts",
		Long: `Score documents of DB by every measure, over words and characters with several k, and
recommend the settings and the threshold that agree best with the known answers in FILE.

FILE is CSV. Its lines are a,b,label: two ids and 1 (similar) or 0 (not similar); or
query,answer: an id and the id of a right answer. A query with several answers has
several lines; a query without answers has an empty answer. All other documents count
as wrong. A first line without ids is the header. With --against, the answers are
documents of another collection, which is searched.`,
		Args: command.Args(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			e.Truth = args[1]
			if _, err := os.Stat(e.Truth); err != nil {
				return exit.Failf(exit.Unavailable, "cannot read %s: %v", e.Truth, errors.Unwrap(err))
			}
			return command.OnDBToRead(cmd, args[0], true, func(ctx context.Context, db *simdb.DB) error {
				return write(ctx, cmd, e, db, out)
			})
		},
	}
	cmd.Flags().StringVar(&e.Collection, "in", "docs", "`COLLECTION` of the documents")
	cmd.Flags().StringVar(&e.Against, "against", "", "texts to search for answers, a `COLLECTION` (default that of --in)")
	output.WordFlag(cmd, &e.Goal, "by", evaluate.Goals, "score that ranks the settings: "+output.OrList(evaluate.Goals))
	cmd.Flags().StringVarP(&out, "out", "o", "evaluation", "write the results to this `DIR`")
	return cmd
}

// write prints the report and writes it to the folder out. It creates the folder first, because
// the evaluation takes minutes and an unwritable folder must fail before it.
func write(ctx context.Context, cmd *cobra.Command, e evaluate.Evaluation, db *simdb.DB, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	bar := output.NewProgress(cmd.ErrOrStderr(), false)
	r, err := e.Run(ctx, db, report.Options{Progress: bar.Text})
	bar.Clear()
	if errors.Is(err, evaluate.ErrTruth) {
		return exit.Failf(exit.Rejected, "%s", strings.Replace(err.Error(), evaluate.ErrTruth.Error()+": ", "", 1))
	}
	if err == nil {
		err = r.Write(out)
	}
	if err == nil {
		_, err = io.WriteString(cmd.OutOrStdout(), r.Markdown())
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "results are in %s\n", out)
	return nil
}
