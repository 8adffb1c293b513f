package maintain

// The command restore: a database from a dump, or with --to, as of a moment, from a backup
// that was extended.

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

// restoreMaxDoc is the largest text that restore takes. It is larger than any
// that import takes, because a Go program may have stored larger ones.
const restoreMaxDoc = 1 << 30

func newRestore() *cobra.Command {
	var quiet bool
	var to string
	cmd := &cobra.Command{
		Use:   "restore [flags] DB FILE",
		Short: "Make a database from a dump, or from a backup as of a moment",
		Long: `Read a dump into a database, which is made if it is not there and must not hold
documents. FILE may be compressed with gzip or zstd; - is standard input. Afterwards
the database has the collections of the dump and no others.

A dump that is damaged, cut off or has lines twice is refused with the line, and the
database is left empty. A restore that was killed, or met a full disk, leaves a part
of the dump in the database. Every other command refuses to open it then, and restore begins anew.

With --to, the arguments are DIR, a backup, and NEWDB, a new database, which is
made as the backup's database was after the change with that seq (see simdb tail), or at
that time, like 2026-05-01T10:30:00Z, or without a zone in that of this machine. A
backup goes back to when it was made, and forward to its last backup --incremental.`,
		Args: command.Args(2, 2),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("to") {
				return restoreTo(ctx, cmd, args[0], args[1], to, quiet)
			}
			return restore(ctx, cmd, args[0], args[1], quiet)
		}),
	}
	cmd.Flags().BoolVar(&quiet, "quiet", false, "no progress and no closing line")
	cmd.Flags().StringVar(&to, "to", "", "the seq of a change or a time, to which the backup DIR is restored as NEWDB")
	return cmd
}

func restore(ctx context.Context, cmd *cobra.Command, path, from string, quiet bool) (err error) {
	if path == "" {
		return command.ErrUnnamed
	}
	in, size, err := openDump(cmd, from) // before a database is made for nothing
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

// notRestored says what is left in the database.
func notRestored(path string, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return exit.Interrupted(err, "the database "+path+" is empty")
	case errors.Is(err, api.ErrPoisoned):
		return exit.Failf(exit.CodeOf(err), "%s; look for a full or failing disk, then run simdb restore again: it begins anew", exit.OneLine(err))
	case errors.Is(err, api.ErrExists):
		return exit.Failf(exit.Rejected, "%v", err)
	}
	return exit.Failf(exit.CodeOf(err), "%v; nothing is restored", err)
}

// shownReader shows how much of a file has been read.
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

// parseMoment reads a seq or a time.
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
