package main

// The command compact.

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
)

func newCompact() *cobra.Command {
	return &cobra.Command{
		Use:   "compact DB",
		Short: "Rebuild the indexes and give space back",
		Args:  positional(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onDB(cmd, args[0], func(ctx context.Context, db *simdb.DB) error {
				return newSession(db, cmd.OutOrStdout(), cmd.ErrOrStderr(), "table").compact(ctx)
			})
		},
	}
}

func (s *session) compact(ctx context.Context) error {
	before := s.db.Metrics().DiskBytes
	ctx, x := waitFor(ctx, s.stderr)
	err := s.db.Compact(ctx)
	x.stop()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "compacted: %s before, %s now\n", formatBytes(before), formatBytes(s.db.Metrics().DiskBytes))
	return nil
}
