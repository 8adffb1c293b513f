package main

// Opens and closes a database for a command, with messages that say what to do.

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
)

// errUnnamed refuses the empty name, which a script passes if its variable is
// not set.
var errUnnamed = usagef("the name of the database is empty; name a directory")

// openExisting opens a database that must be there.
func openExisting(path string) (*simdb.DB, error) {
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
	db, err := simdb.Open(path, &simdb.Options{MustExist: true, Logger: warnings()})
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, simdb.ErrCorrupt) {
		return nil, missing(path)
	}
	return whole(path, db, openError(path, err))
}

// openOrCreate opens a database, and makes it if there is none.
func openOrCreate(path string, opts *simdb.Options) (*simdb.DB, error) {
	db, err := openAny(path, opts)
	return whole(path, db, err)
}

// openAny is openOrCreate for what may be a part.
func openAny(path string, opts *simdb.Options) (*simdb.DB, error) {
	if path == "" {
		return nil, errUnnamed
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, failf(exitUnavailable, "%s is a file, but a database is a directory; is the order DB, then the rest?", path)
	}
	opts.Logger = warnings()
	db, err := simdb.Open(path, opts)
	return db, openError(path, err)
}

// whole refuses a database that holds a part of a dump, because the process that
// restored it was killed. Only restore opens it.
func whole(path string, db *simdb.DB, err error) (*simdb.DB, error) {
	if err != nil {
		return nil, err
	}
	restoring, err := db.Restoring()
	if err == nil && restoring {
		err = failf(exitCorrupt, "the database %s holds a part of a dump, because its restore was killed; run simdb restore again to begin anew there", path)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func missing(path string) error {
	return failf(exitUnavailable, "there is no database at %s; make one with simdb import %s PATH…", path, path)
}

func openError(path string, err error) error {
	switch {
	case errors.Is(err, simdb.ErrLocked):
		return failf(exitUnavailable, "the database %s is open in another process; end that one, then try again", path)
	case errors.Is(err, simdb.ErrInvalid):
		return failf(exitUnavailable, "%v", err) // a directory of something else
	case errors.Is(err, simdb.ErrCorrupt):
		return failf(exitCorrupt, "%v; go back to a backup, or import anew", err) // no command can open it
	}
	return err
}

// onDB runs a command on a database that must be there, until the first Ctrl-C.
func onDB(cmd *cobra.Command, path string, run func(context.Context, *simdb.DB) error) (err error) {
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	db, err := openExisting(path)
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
