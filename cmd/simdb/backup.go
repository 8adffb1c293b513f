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
	var links, incremental bool
	cmd := &cobra.Command{
		Use:   "backup [flags] DB DIR",
		Short: "Write a consistent copy of a database to a new directory",
		Long: `Write a consistent copy of a database to a new directory, which opens like any
database. The copy shares no file with the database, so damage to the files of one
does not reach the other.

With --hard-links, files that never change are linked if DIR is on the same file
system. That takes no time and no room, and saves what is deleted or changed later.
But if a linked file is damaged on disk, it is damaged in both.

With --incremental, what was written since is added to the backup in DIR, which backup
has made before and nobody has opened for writing. The database must keep its log so
long: see simdb keep-log. It may be open in another process. See simdb restore --to.`,
		Args: positional(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if incremental && links {
				return usagef("--incremental adds to a backup; --hard-links is for a new one")
			}
			if incremental {
				return extendBackup(cmd, args[0], args[1])
			}
			return onDB(cmd, args[0], func(ctx context.Context, db *simdb.DB) error {
				return newSession(db, cmd.OutOrStdout(), cmd.ErrOrStderr(), "table").backup(ctx, args[1], links)
			})
		},
	}
	cmd.Flags().BoolVar(&links, "hard-links", false, "link files that never change instead of copying them")
	cmd.Flags().BoolVar(&incremental, "incremental", false, "add to the backup in DIR what was written since")
	return cmd
}

// extendBackup reads the files of the database alone.
func extendBackup(cmd *cobra.Command, path, dir string) error {
	if path == "" || dir == "" {
		return errUnnamed
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	e, err := simdb.ExtendBackup(ctx, path, dir)
	if err != nil {
		return interrupted(err, "the backup has a part of what is new; run the command again")
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "the backup in %s had the records up to seq %d, and has those up to seq %d\n", dir, e.From, e.To)
	return nil
}

func (s *session) backup(ctx context.Context, dir string, links bool) error {
	if _, err := os.Lstat(dir); err == nil {
		return failf(exitRejected, "%s exists; name a directory that does not", dir)
	}
	if err := outsideDatabases("a backup", dir); err != nil {
		return err
	}
	checkpoint, how := s.db.Checkpoint, ""
	if links {
		checkpoint, how = s.db.LinkedCheckpoint, ", and shares files with this one by hard links"
	}
	if err := checkpoint(ctx, dir); err != nil {
		return interrupted(err, "nothing is left of the backup")
	}
	fmt.Fprintf(s.stderr, "backed up to %s; it opens like any database%s\n", dir, how)
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
