// Package evaluate has the command evaluate: which measure and threshold suit the texts of a
// database, by what the user knows about some of them.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/evaluate"
	"github.com/simdb/simdb/internal/report"
)

func New() *cobra.Command {
	var e evaluate.Evaluation
	var out string
	cmd := &cobra.Command{
		Use:   "evaluate [flags] DB TRUTH.csv",
		Short: "Which measure, settings and threshold suit your texts",
		Long: `Score documents of DB by every measure, read as words and as characters with
several k, and recommend the setting and the threshold that agree best with
TRUTH.csv. Its lines are a,b,label: two ids and 1 (similar) or 0 (not), or
query,answer: an id and that of a right answer. A query with several answers has
a line for each; one without any has an empty answer. Then every other document
is wrong. A first line that names no documents is the head. With --against the
answers are documents of another collection, which is searched.`,
		Args: command.Args(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(evaluate.Goals, e.Goal) {
				return exit.Usagef("--by %s is none of %s", e.Goal, strings.Join(evaluate.Goals, ", "))
			}
			e.Truth = args[1]
			if _, err := os.Stat(e.Truth); err != nil {
				return exit.Failf(exit.Unavailable, "cannot read %s: %v", e.Truth, errors.Unwrap(err))
			}
			return command.OnDBToRead(cmd, args[0], true, func(ctx context.Context, db *simdb.DB) error {
				return write(ctx, cmd, e, db, out)
			})
		},
	}
	cmd.Flags().StringVar(&e.Collection, "in", "docs", "the collection that holds the documents")
	cmd.Flags().StringVar(&e.Against, "against", "", "the collection that is searched, and holds the answers (default that of --in)")
	cmd.Flags().StringVar(&e.Goal, "by", "f1", "what to compare settings by: "+strings.Join(evaluate.Goals, ", "))
	output.Offer(cmd, "by", evaluate.Goals...)
	cmd.Flags().StringVar(&out, "out", "evaluation", "folder for the results")
	return cmd
}

// write prints the report, and writes it to a folder. It makes the folder first: the work takes minutes, and a
// folder that cannot be written is better reported before them.
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
