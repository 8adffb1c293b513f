package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func newBackup() *cobra.Command {
	return &cobra.Command{
		Use:   "backup DB DIR",
		Short: "Write a consistent copy of a database to a new directory",
		Args:  positional(2, 2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			db, err := openExisting(args[0])
			if err != nil {
				return err
			}
			defer closeInto(db, &err)
			return newSession(db, cmd.OutOrStdout(), cmd.ErrOrStderr(), "table").backup(ctx, args[1])
		},
	}
}

func (s *session) backup(ctx context.Context, dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return failf(exitRejected, "%s exists; name a directory that does not", dir)
	}
	if err := s.db.Checkpoint(ctx, dir); err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "backed up to %s; it opens like any database\n", dir)
	return nil
}
