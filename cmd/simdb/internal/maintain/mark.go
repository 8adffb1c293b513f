package maintain

// The mark command prints the current position of the database, for SIMILAR PAIRS SINCE.

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
)

// newMark returns the mark command.
func newMark() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "mark [flags] DB",
		Short: "Print a mark of the current state, for SIMILAR PAIRS SINCE",
		Long: `Print a mark: a word that identifies the current state of the database. A later
SIMILAR PAIRS SINCE 'mark' returns only pairs with a document stored or replaced
after it. A daily script must take the next mark before the query, so that no change
is missed.`,
		Example: `  next=$(simdb mark my.simdb)
  simdb query my.simdb "SIMILAR PAIRS SINCE '$(cat mark.txt)' WHERE sim >= 0.9"
  echo "$next" >mark.txt`,
		Args: command.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.OnDBToRead(cmd, args[0], false, func(ctx context.Context, db *simdb.DB) error {
				mark, err := db.Mark(ctx)
				if err != nil {
					return err
				}
				if format == "json" {
					return session.New(cmd, db, "ndjson").Table([]string{"mark"}, []any{mark})
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), mark)
				return err
			})
		},
	}
	output.FormatFlag(cmd, &format, []string{"text", "json"}, "; json is one object")
	return cmd
}
