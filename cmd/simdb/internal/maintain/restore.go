package maintain

// The restore command creates a database from a dump, or with --to from an incremental backup as
// of a moment.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/load"
)

// restoreMaxDoc is the size limit of a text in bytes. It exceeds the limit of import, because a
// Go program may store larger texts.
const restoreMaxDoc = 1 << 30

// newRestore returns the restore command.
func newRestore() *cobra.Command {
	var quiet bool
	var to string
	cmd := &cobra.Command{
		Use:   "restore [flags] DB FILE",
		Short: "Restore a database from a dump, or from a backup as of a moment",
		Long: `Load a dump into a database, which is created if it is missing and must contain no
documents. FILE may be compressed with gzip or zstd; - is standard input. The restored
database has exactly the collections of the dump.

A damaged or truncated dump, or one with duplicate lines, is rejected with the line
number and leaves the database empty. After a kill or a full disk the database is
incomplete: other commands refuse to open it, and restore starts again.

With --to, the arguments are DIR, a backup, and NEWDB, a new database. NEWDB gets the
state after the change with that seq (see simdb tail), or at that time, like
2026-05-01T10:30:00Z; without a zone, the time is local. A backup covers the time from
its creation to the last backup --incremental.`,
		Args: command.Args(2, 2),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("to") {
				return restoreTo(ctx, cmd, args[0], args[1], to, quiet)
			}
			return restore(ctx, cmd, args[0], args[1], quiet)
		}),
	}
	cmd.Flags().BoolVar(&quiet, "quiet", false, "show no progress and no summary")
	cmd.Flags().StringVar(&to, "to", "", "restore the database as of this `SEQ|TIME`; the arguments are then the backup DIR and the new database NEWDB")
	return cmd
}

// restore loads a dump into the database at path.
func restore(ctx context.Context, cmd *cobra.Command, path, from string, quiet bool) (err error) {
	if path == "" {
		return command.ErrUnnamed
	}
	in, size, err := openDump(cmd, from) // first, so that a failure creates no database
	if err != nil {
		return exit.Failf(exit.CodeOf(err), "cannot restore: %v; check the path", err)
	}
	defer in.Close()
	db, err := command.OpenAny(ctx, path, &simdb.Options{MaxDocBytes: restoreMaxDoc, MemoryBytes: command.MemoryOf(cmd)})
	if err != nil {
		return err
	}
	defer command.CloseInto(db, &err)
	begin := time.Now()
	bar := output.NewProgress(cmd.ErrOrStderr(), quiet)
	err = load.Restore(ctx, db, &shownReader{Reader: in, size: size, show: bar.Steps("bytes")})
	bar.Clear()
	if err != nil {
		return notRestored(path, err)
	}
	if quiet {
		return nil
	}
	all, err := db.Collections(cmd.Context())
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "restored %s in %s · %.1f s\n", output.Count(db.Metrics().Documents, "document"),
		output.Count(int64(len(all)), "collection"), time.Since(begin).Seconds())
	return nil
}

// openDump opens a dump and returns its size in bytes, 0 for standard input.
func openDump(cmd *cobra.Command, path string) (io.ReadCloser, int64, error) {
	if path == "-" {
		return io.NopCloser(cmd.InOrStdin()), 0, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a directory, but a dump is a file (a backup opens like any database)", path)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// notRestored adds the resulting state of the database to an error.
func notRestored(path string, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return exit.Interrupted(err, "the database "+path+" is empty")
	case errors.Is(err, api.ErrPoisoned) && !exit.TooManyOpen(err):
		return exit.Failf(exit.CodeOf(err), "%s; look for a full or failing disk, then run simdb restore again: it starts again", exit.OneLine(err))
	case errors.Is(err, api.ErrExists):
		return exit.Failf(exit.Rejected, "%v", err)
	}
	return exit.Failf(exit.CodeOf(err), "%v; nothing is restored", err)
}

// shownReader reports the share of a file that was read to a progress line.
type shownReader struct {
	io.Reader
	read, size int64
	show       func(done, total int64)
}

func (r *shownReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read += int64(n)
	r.show(r.read, r.size)
	return n, err
}

// restoreTo restores an incremental backup as of a moment to a new database at path.
func restoreTo(ctx context.Context, cmd *cobra.Command, backup, path, to string, quiet bool) error {
	moment, err := parseMoment(to)
	if err != nil {
		return err
	}
	if backup == "" || path == "" {
		return command.ErrUnnamed
	}
	if err := newPlace("a database", "directory", path); err != nil {
		return err
	}
	seq, err := simdb.RestoreTo(ctx, backup, path, moment, &simdb.Options{MemoryBytes: command.MemoryOf(cmd), Logger: command.Warnings()})
	if err != nil {
		return exit.Interrupted(err, "nothing is left of the database")
	}
	if !quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "restored %s as of seq %d\n", path, seq)
	}
	return nil
}

// parseMoment parses a sequence number or a time.
func parseMoment(s string) (m api.Moment, err error) {
	if m.Seq, err = strconv.ParseUint(s, 10, 64); err == nil && m.Seq > 0 {
		return m, nil
	}
	if m.Time, err = time.Parse(time.RFC3339, s); err == nil {
		return m, nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if m.Time, err = time.ParseInLocation(layout, s, time.Local); err == nil {
			return m, nil
		}
	}
	return m, exit.Usagef("--to: want a seq or a time like 2026-05-01T10:30:00Z, found %q", s)
}
