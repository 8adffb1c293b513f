package main

// restore --to: a database as of a moment, from a backup that was extended.

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

func restoreTo(cmd *cobra.Command, backup, path, to string, quiet bool) error {
	moment, err := parseMoment(to)
	if err != nil {
		return err
	}
	if backup == "" || path == "" {
		return errUnnamed
	}
	if _, err := os.Lstat(path); err == nil {
		return failf(exitRejected, "%s exists; name a directory that does not", path)
	}
	if err := outsideDatabases("a database", path); err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	seq, err := simdb.RestoreTo(ctx, backup, path, moment, &simdb.Options{MemoryBytes: memoryOf(cmd), Logger: warnings()})
	if err != nil {
		return interrupted(err, "nothing is left of the database")
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
	return m, usagef("--to: want a seq or a time like 2026-05-01T10:30:00Z, found %q", s)
}
