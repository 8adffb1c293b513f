package maintain

// The command dump: everything in a database as one file, which restore reads.

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

func newDump() *cobra.Command {
	var out string
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "dump [flags] DB",
		Short: "Write everything in a database to one file, for restore to read",
		Long: `Write all collections with their settings and all documents as NDJSON, one record a
line. Nothing is lost: ids and texts need not be UTF-8, and empty collections are
there too. A database restored from a dump has the same dump, byte for byte.

A dump goes to standard output, or with --out to a new file, compressed if its name
ends in .gz or .zst. The file gets its name when it is complete. The positions of
interrupted imports are not in a dump, so no import can be resumed in the restored
database. Nor is the order in which documents were written: restore writes them by id.
Of groups a dump has how they are kept; restore makes them anew, with new numbers. It has
no ledger: simdb ledger writes that. A backup has all of it.

Of a damaged database, dump writes what can be read and ends with exit code 5.`,
		Args: command.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.OnDBToRead(cmd, args[0], readOnly, func(ctx context.Context, db *simdb.DB) error {
				if cmd.Flags().Changed("out") {
					return exit.Interrupted(DumpToFile(ctx, db, out), "nothing is left of the dump")
				}
				return exit.Interrupted(damage(load.Dump(ctx, db, cmd.OutOrStdout())), "what is written is no whole dump, and restore refuses it")
			})
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write to this new file instead of standard output; .gz and .zst compress")
	command.ReadOnlyFlag(cmd, &readOnly)
	return cmd
}

// damage says what to do about documents that cannot be read.
func damage(err error) error {
	if errors.Is(err, api.ErrCorrupt) {
		return exit.Failf(exit.Corrupt, "%v; go back to a backup for these", err)
	}
	return err
}

// DumpToFile writes a dump beside its place and moves it there when it is complete. A
// dump of a damaged database is complete when it has all that can be read.
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

// notWritable says why the file of --out cannot be made.
func notWritable(err error) error {
	return exit.Failf(exit.Unavailable, "--out: %v; name a file in a directory that is there and may be written", err)
}

// dumpPacked writes a dump, compressed as the name says.
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
