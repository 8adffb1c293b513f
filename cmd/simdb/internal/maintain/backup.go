package maintain

// The backup command: a copy of the database in a directory outside of it. A
// copy inside would be lost together with the database, and would disturb
// whoever reads its directory.

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
long: see simdb keep-log. It may be open in another process. See simdb restore --to.
If documents were erased since, and the database was compacted, the backup is made anew
in its place, which opens the database.`,
		Args: command.Args(2, 2),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if incremental && links {
				return exit.Usagef("--incremental adds to a backup; --hard-links is for a new one")
			}
			if incremental {
				return extendBackup(ctx, cmd, args[0], args[1])
			}
			return command.OnDB(cmd, args[0], func(ctx context.Context, db *simdb.DB) error {
				return Backup(ctx, db, cmd.ErrOrStderr(), args[1], links)
			})
		}),
	}
	cmd.Flags().BoolVar(&links, "hard-links", false, "link files that never change instead of copying them")
	cmd.Flags().BoolVar(&incremental, "incremental", false, "add to the backup in DIR what was written since")
	return cmd
}

// extendBackup reads the files of the database alone.
func extendBackup(ctx context.Context, cmd *cobra.Command, path, dir string) error {
	if path == "" || dir == "" {
		return command.ErrUnnamed
	}
	e, err := simdb.ExtendBackup(ctx, path, dir)
	if err != nil {
		return exit.Interrupted(err, "the backup has a part of what is new; run the command again")
	}
	if e.Anew {
		fmt.Fprintf(cmd.ErrOrStderr(), "documents were erased since, so the backup in %s was made anew, up to seq %d\n", dir, e.To)
		return nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "the backup in %s had the records up to seq %d, and has those up to seq %d\n", dir, e.From, e.To)
	return nil
}

// Backup writes a copy to a new directory.
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

// newPlace refuses a directory or a file that exists, and one inside a database.
func newPlace(what, kind, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return exit.Failf(exit.Rejected, "%s exists; name a %s that does not", path, kind)
	}
	return command.OutsideDatabases(what, path)
}
