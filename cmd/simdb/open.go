package main

// Opens and closes a database for a command, with messages that say what to do.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// errUnnamed refuses the empty name, which a script passes if its variable is
// not set.
var errUnnamed = usagef("the name of the database is empty; name a directory")

// readOnlyFlag is of the commands that only read, or may be told to: they write in no case.
func readOnlyFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "read-only", false, "write nothing, and keep nobody from reading or writing")
}

// openToRead opens a database that must be there for a command that only reads. What the
// last writer left undone is done in memory. Texts that have to be read again with other
// Unicode tables cannot be: then it is opened to write, unless readOnly is set.
func openToRead(ctx context.Context, path string, readOnly bool, memory int64) (*simdb.DB, error) {
	db, err := openExisting(ctx, path, true, memory)
	if readOnly || !errors.Is(err, api.ErrUnicode) {
		return db, err
	}
	db, writeErr := openExisting(ctx, path, false, memory)
	if mayBeRead(writeErr) { // but for the tables
		return nil, err
	}
	if writeErr == nil {
		warnings().Warn("the database was opened to write, because its texts had to be read again with other Unicode tables", "database", path)
	}
	return db, writeErr
}

// mayBeRead says whether what cannot be opened for writing, or not now, might be read. A
// part of a dump that cannot is told by whole, which has no such error.
func mayBeRead(err error) bool {
	return errors.Is(err, api.ErrLocked) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || diskFull(err)
}

// openExisting opens a database that must be there.
func openExisting(ctx context.Context, path string, readOnly bool, memory int64) (*simdb.DB, error) {
	info, err := os.Stat(path)
	switch {
	case path == "":
		return nil, errUnnamed
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing(path)
	case err != nil:
		return nil, failf(exitUnavailable, "cannot open the database: %v", err)
	case !info.IsDir():
		return nil, failf(exitUnavailable, "%s is a file, but a database is a directory; is the order DB, then the rest?", path)
	}
	db, err := simdb.OpenContext(ctx, path, &simdb.Options{MustExist: true, ReadOnly: readOnly, MemoryBytes: memory, Logger: warnings()})
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, api.ErrCorrupt) {
		return nil, missing(path)
	}
	if readOnly && errors.Is(err, api.ErrLocked) {
		return nil, failf(exitUnavailable, "another process writes to the database %s, and it cannot be read meanwhile: %v", path, err)
	}
	return whole(path, db, openError(path, err))
}

// openOrCreate opens a database, and makes it if there is none.
func openOrCreate(ctx context.Context, path string, opts *simdb.Options) (*simdb.DB, error) {
	db, err := openAny(ctx, path, opts)
	return whole(path, db, err)
}

// openAny is openOrCreate for what may be a part.
func openAny(ctx context.Context, path string, opts *simdb.Options) (*simdb.DB, error) {
	if path == "" {
		return nil, errUnnamed
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, failf(exitUnavailable, "%s is a file, but a database is a directory; is the order DB, then the rest?", path)
	}
	opts.Logger = warnings()
	db, err := simdb.OpenContext(ctx, path, opts)
	return db, openError(path, err)
}

// whole refuses a database that holds a part of a dump, because its restore was killed
// or a write failed. Only restore opens it.
func whole(path string, db *simdb.DB, err error) (*simdb.DB, error) {
	if err != nil {
		return nil, err
	}
	restoring, err := db.Restoring()
	if err == nil && restoring {
		err = failf(exitCorrupt, "the database %s holds a part of a dump, because its restore did not end; run simdb restore again to begin anew there", path)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func missing(path string) error {
	return &failure{exitUnavailable, fmt.Sprintf("there is no database at %s; make one with simdb import %s PATH…", path, path), fs.ErrNotExist}
}

func openError(path string, err error) error {
	switch {
	case errors.Is(err, api.ErrLocked):
		return &failure{exitUnavailable, fmt.Sprintf("the database %s is open in another process; end that one, then try again", path), err}
	case errors.Is(err, api.ErrInvalid):
		return failf(exitUnavailable, "%v", err) // a directory of something else
	case errors.Is(err, api.ErrCorrupt):
		return failf(exitCorrupt, "%v; go back to a backup, try simdb check --repair, or save with simdb salvage what can be read", err) // no other command can open it
	}
	return err
}

// onDB runs a command on a database that must be there, until the first Ctrl-C.
func onDB(cmd *cobra.Command, path string, run func(context.Context, *simdb.DB) error) error {
	return on(cmd, func(ctx context.Context) (*simdb.DB, error) { return openExisting(ctx, path, false, memoryOf(cmd)) }, run)
}

// onDBToRead is onDB for a command that only reads.
func onDBToRead(cmd *cobra.Command, path string, readOnly bool, run func(context.Context, *simdb.DB) error) error {
	return on(cmd, func(ctx context.Context) (*simdb.DB, error) { return openToRead(ctx, path, readOnly, memoryOf(cmd)) }, run)
}

// openShards opens several databases that must be there, to read them.
func openShards(ctx context.Context, paths []string, memory int64) (*simdb.Shards, error) {
	for _, path := range paths {
		if path == "" {
			return nil, errUnnamed
		}
		if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, failf(exitUnavailable, "there is no database at %s; name directories, and after them a statement as one argument, in quotes", path)
		} else if err == nil && !info.IsDir() {
			return nil, failf(exitUnavailable, "%s is a file, but a database is a directory; is the order DB…, then the rest?", path)
		}
	}
	s, err := simdb.OpenShards(ctx, paths, &simdb.Options{MemoryBytes: memory, Logger: warnings()})
	return s, openError(strings.Join(paths, ", "), err)
}

// onShards runs a command on several databases that must be there, until the first Ctrl-C.
func onShards(cmd *cobra.Command, paths []string, run func(context.Context, *simdb.Shards) error) error {
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	all, err := openShards(ctx, paths, memoryOf(cmd))
	if err != nil {
		return err
	}
	err = run(ctx, all)
	if closeErr := all.Close(); err == nil {
		err = closeErr
	}
	return err
}

func on(cmd *cobra.Command, open func(context.Context) (*simdb.DB, error), run func(context.Context, *simdb.DB) error) (err error) {
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	db, err := open(ctx)
	if err != nil {
		return err
	}
	defer closeInto(db, &err)
	return run(ctx, db)
}

// closeInto closes a database when a command ends. It reports an error of
// closing, unless the command has failed already.
func closeInto(db *simdb.DB, err *error) {
	if closeErr := db.Close(); *err == nil {
		*err = closeErr
	}
}
