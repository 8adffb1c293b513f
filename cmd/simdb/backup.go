package main

// The backup command: a copy of the database in a directory outside of it. A
// copy inside would be lost together with the database, and would disturb
// whoever reads its directory.

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/internal/ingest"
)

func newBackup() *cobra.Command {
	return &cobra.Command{
		Use:   "backup DB DIR",
		Short: "Write a consistent copy of a database to a new directory",
		Args:  positional(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onDB(cmd, args[0], func(ctx context.Context, db *simdb.DB) error {
				return newSession(db, cmd.OutOrStdout(), cmd.ErrOrStderr(), "table").backup(ctx, args[1])
			})
		},
	}
}

func (s *session) backup(ctx context.Context, dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return failf(exitRejected, "%s exists; name a directory that does not", dir)
	}
	if err := outsideDatabases("a backup", dir); err != nil {
		return err
	}
	if err := s.db.Checkpoint(ctx, dir); err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "backed up to %s; it opens like any database\n", dir)
	return nil
}

// outsideDatabases refuses to write to a place inside a database.
func outsideDatabases(what, path string) error {
	db, err := ingest.StoreAround(path)
	if err == nil && db != "" {
		err = failf(exitRejected, "%s lies in the database %s; name a place outside of it for %s", path, db, what)
	}
	return err
}
