package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func newCompact() *cobra.Command {
	return &cobra.Command{
		Use:   "compact DB",
		Short: "Rebuild the indexes and give space back",
		Args:  positional(1, 1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			db, err := openExisting(args[0])
			if err != nil {
				return err
			}
			defer closeInto(db, &err)
			return newSession(db, cmd.OutOrStdout(), cmd.ErrOrStderr(), "table").compact(ctx)
		},
	}
}

func (s *session) compact(ctx context.Context) error {
	before := s.db.Metrics().DiskBytes
	if err := s.db.Compact(ctx); err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "compacted: %s before, %s now\n", formatBytes(before), formatBytes(s.db.Metrics().DiskBytes))
	return nil
}
