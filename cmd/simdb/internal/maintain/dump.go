package maintain

// The dump command writes everything in a database to one file, which restore reads.

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/load"
)

// newDump returns the dump command.
func newDump() *cobra.Command {
	var out string
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "dump [flags] DB",
		Short: "Dump a database to one file, for restore",
		Long: `Write all collections with their settings, and all documents, as NDJSON, one record
per line. Ids and texts need not be UTF-8, and empty collections are included. A
database restored from a dump has the same dump, byte for byte.

The dump goes to standard output, or with --out to a new file, which is compressed if
its name ends in .gz or .zst and appears once it is complete.

A dump lacks the positions of interrupted imports, so the restored database cannot
resume them, and the write order: restore writes documents by id. It contains the
definitions of groups, which restore numbers again, and no ledger, which simdb ledger
exports. A backup contains all of these.

dump writes the readable part of a damaged database and ends with exit code 5.`,
		Args: command.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.OnDBToRead(cmd, args[0], readOnly, func(ctx context.Context, db *simdb.DB) error {
				if cmd.Flags().Changed("out") {
					return exit.Interrupted(DumpToFile(ctx, db, out), "nothing is left of the dump")
				}
				return exit.Interrupted(damage(load.Dump(ctx, db, cmd.OutOrStdout())), "the output is incomplete, and restore rejects it")
			})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write to this new `FILE` instead of standard output; .gz and .zst compress")
	command.ReadOnlyFlag(cmd, &readOnly)
	return cmd
}

// damage adds the remedy to an error about unreadable documents.
func damage(err error) error {
	if errors.Is(err, api.ErrCorrupt) {
		return exit.Failf(exit.Corrupt, "%v; go back to a backup for these", err)
	}
	return err
}

// DumpToFile writes a dump of db to path.partial and renames it once it is complete. A dump of a
// damaged database is complete when it contains all readable documents.
func DumpToFile(ctx context.Context, db *simdb.DB, path string) error {
	if path == "" {
		return exit.Usagef("--out wants the name of a file")
	}
	if err := newPlace("a dump", "file", path); err != nil {
		return err
	}
	partial := path + ".partial"
	f, err := os.OpenFile(partial, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return notWritable(err)
	}
	err = dumpPacked(ctx, db, path, f)
	if _, lost := errors.AsType[*api.DumpError](err); err != nil && !lost {
		return damage(errors.Join(err, f.Close(), os.Remove(partial)))
	}
	if synced := errors.Join(f.Sync(), f.Close()); synced != nil {
		return errors.Join(synced, os.Remove(partial))
	}
	if err := os.Rename(partial, path); err != nil {
		return errors.Join(err, os.Remove(partial))
	}
	return damage(err)
}

// newFile writes a file that must not exist. A failure leaves none.
func newFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return notWritable(err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(path)
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	return f.Sync()
}

// notWritable explains a failure to create the file of --out.
func notWritable(err error) error {
	return exit.Failf(exit.Unavailable, "--out: %v; name a file in a directory that is there and may be written", err)
}

// dumpPacked writes a dump, compressed by the extension of name.
func dumpPacked(ctx context.Context, db *simdb.DB, name string, w io.Writer) error {
	packed, err := ingest.Pack(name, w)
	if err != nil {
		return err
	}
	err = load.Dump(ctx, db, packed)
	if closeErr := packed.Close(); closeErr != nil {
		return closeErr
	}
	return err
}
