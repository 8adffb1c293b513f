package maintain

// The compact command.

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// newCompact returns the compact command.
func newCompact() *cobra.Command {
	return &cobra.Command{
		Use:   "compact DB",
		Short: "Rebuild the indexes and reclaim space",
		Args:  command.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.OnDB(cmd, args[0], func(ctx context.Context, db *simdb.DB) error {
				return compact(ctx, db, cmd.ErrOrStderr())
			})
		},
	}
}

// compact compacts the database and reports the sizes before and after.
func compact(ctx context.Context, db *simdb.DB, stderr io.Writer) error {
	before := db.Metrics().DiskBytes
	ctx, x := output.WaitFor(ctx, stderr)
	err := db.Compact(ctx)
	x.Stop()
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "compacted: %s before, %s now\n", output.Bytes(before), output.Bytes(db.Metrics().DiskBytes))
	return nil
}
