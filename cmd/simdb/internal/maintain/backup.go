package maintain

// The backup command copies a database to a directory outside of it. A copy inside would be
// lost together with the database, and would disturb readers of its directory.

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// newBackup returns the backup command.
func newBackup() *cobra.Command {
	var links, incremental bool
	cmd := &cobra.Command{
		Use:   "backup [flags] DB DIR",
		Short: "Write a consistent copy of a database to a new directory",
		Long: `Write a consistent copy of a database to a new directory. The copy opens like any
database and shares no file with the original, so damage to one does not reach the
other. The database is only read: another process may write to it, and it may be on
read-only media. The copy is the state at the start of the command.

With --hard-links, immutable files are linked if DIR is on the same file system. The
links take no time and no space, and protect against later deletes and changes, but
not against damage to a linked file on disk.

With --incremental, add the changes since the last backup to the backup in DIR, which
must not have been opened for writing. The database must keep its log that long (see
simdb keep-log) and may be open in another process. simdb restore --to restores from
such a backup as of a moment. If documents were erased since and the database was
compacted, the backup is replaced by a full one, which opens the database.`,
		Args: command.Args(2, 2),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if incremental && links {
				return exit.Usagef("--incremental adds to a backup; --hard-links is for a new one")
			}
			if incremental {
				return extendBackup(ctx, cmd, args[0], args[1])
			}
			return command.OnDBToRead(cmd, args[0], false, func(ctx context.Context, db *simdb.DB) error {
				return Backup(ctx, db, cmd.ErrOrStderr(), args[1], links)
			})
		}),
	}
	cmd.Flags().BoolVar(&links, "hard-links", false, "link immutable files instead of copying them")
	cmd.Flags().BoolVar(&incremental, "incremental", false, "add the changes since the last backup to the backup in DIR")
	return cmd
}

// extendBackup adds the changes since the last backup. It reads only the files of the database,
// so another process may have the database open.
func extendBackup(ctx context.Context, cmd *cobra.Command, path, dir string) error {
	if path == "" || dir == "" {
		return command.ErrUnnamed
	}
	e, err := simdb.ExtendBackup(ctx, path, dir)
	if err != nil {
		return exit.Interrupted(err, "the backup has a part of the changes; run the command again")
	}
	if e.Anew {
		fmt.Fprintf(cmd.ErrOrStderr(), "documents were erased since, so the backup in %s was made anew, up to seq %d\n", dir, e.To)
		return nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "the backup in %s had the records up to seq %d, and has those up to seq %d\n", dir, e.From, e.To)
	return nil
}

// Backup writes a copy of db to the new directory dir and reports it to stderr. With links, it
// links immutable files instead of copying them. An interrupted backup leaves nothing.
func Backup(ctx context.Context, db *simdb.DB, stderr io.Writer, dir string, links bool) error {
	if err := newPlace("a backup", "directory", dir); err != nil {
		return err
	}
	checkpoint, how := db.Checkpoint, ""
	if links {
		checkpoint, how = db.LinkedCheckpoint, ", and shares files with this one by hard links"
	}
	if err := checkpoint(ctx, dir); err != nil {
		return exit.Interrupted(err, "nothing is left of the backup")
	}
	fmt.Fprintf(stderr, "backed up to %s; it opens like any database%s\n", dir, how)
	return nil
}

// newPlace rejects an existing path and a path inside a database.
func newPlace(what, kind, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return exit.Failf(exit.Rejected, "%s exists; name a %s that does not", path, kind)
	}
	return command.OutsideDatabases(what, path)
}
