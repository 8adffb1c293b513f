package command

// Opening and closing of databases, with messages that contain the remedy.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/load"
)

// ErrUnnamed reports an empty database name, which a script passes if its variable is not set.
var ErrUnnamed = exit.Usagef("the name of the database is empty; name a directory")

// ReadOnlyFlag adds --read-only, which forbids all writes, to cmd.
func ReadOnlyFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "read-only", false, "open read-only, without taking the write lock")
}

// OpenToRead opens an existing database for a command that only reads. It takes no lock and
// recovers in memory after a crash. If other Unicode tables require that texts are read again,
// which is impossible in memory, it opens the database for writing, unless readOnly is set.
func OpenToRead(ctx context.Context, path string, readOnly bool, memory int64) (*simdb.DB, error) {
	db, err := OpenExisting(ctx, path, true, memory)
	if readOnly || !errors.Is(err, api.ErrUnicode) {
		return db, err
	}
	db, writeErr := OpenExisting(ctx, path, false, memory)
	if MayBeRead(writeErr) { // without the change of tables
		return nil, err
	}
	if writeErr == nil {
		Warnings().Warn("the database was opened to write, because its texts had to be read again with other Unicode tables", "database", path)
	}
	return db, writeErr
}

// MayBeRead reports whether a database that failed to open for writing may open for reading. An
// incomplete restore must not; whole returns another error for it.
func MayBeRead(err error) bool {
	return errors.Is(err, api.ErrLocked) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || exit.DiskFull(err)
}

// OpenExisting opens an existing database. It returns an error of code exit.Unavailable if it is
// missing or in use.
func OpenExisting(ctx context.Context, path string, readOnly bool, memory int64) (*simdb.DB, error) {
	info, err := os.Stat(path)
	switch {
	case path == "":
		return nil, ErrUnnamed
	case errors.Is(err, fs.ErrNotExist):
		return nil, Missing(path)
	case err != nil:
		return nil, exit.Failf(exit.Unavailable, "cannot open the database: %v", err)
	case !info.IsDir():
		return nil, exit.Failf(exit.Unavailable, "%s is a file, but a database is a directory; simdb import my.simdb %s makes one, or is the order DB, then the rest?", path, path)
	}
	db, err := simdb.OpenContext(ctx, path, &simdb.Options{MustExist: true, ReadOnly: readOnly, MemoryBytes: memory, Logger: Warnings()})
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, api.ErrCorrupt) {
		return nil, Missing(path)
	}
	if readOnly && errors.Is(err, api.ErrLocked) {
		return nil, exit.Failf(exit.Unavailable, "another process writes to the database %s, and it cannot be read meanwhile: %v", path, err)
	}
	return whole(path, db, OpenError(path, err))
}

// OpenOrCreate opens a database and creates it if it is missing.
func OpenOrCreate(ctx context.Context, path string, opts *simdb.Options) (*simdb.DB, error) {
	db, err := OpenAny(ctx, path, opts)
	return whole(path, db, err)
}

// OpenAny is like OpenOrCreate, but also opens the incomplete result of a restore.
func OpenAny(ctx context.Context, path string, opts *simdb.Options) (*simdb.DB, error) {
	if path == "" {
		return nil, ErrUnnamed
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, exit.Failf(exit.Unavailable, "%s is a file, but a database is a directory; is the order DB, then the rest?", path)
	}
	opts.Logger = Warnings()
	db, err := simdb.OpenContext(ctx, path, opts)
	return db, OpenError(path, err)
}

// whole rejects a database with an incomplete restore, after a kill or a failed write. Only
// restore may open it.
func whole(path string, db *simdb.DB, err error) (*simdb.DB, error) {
	if err != nil {
		return nil, err
	}
	restoring, err := load.Restoring(db)
	if err == nil && restoring {
		err = exit.Failf(exit.Corrupt, "the database %s holds a part of a dump, because its restore did not end; run simdb restore again to begin anew there", path)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// Missing returns the error for a missing database.
func Missing(path string) error {
	var message string
	switch ending := filepath.Ext(path); {
	case isFolder(path) && !strings.EqualFold(ending, ".simdb"):
		message = fmt.Sprintf("%s is a folder, but no database; simdb import my.simdb %s makes one of its files", path, path)
	case strings.EqualFold(ending, ".simdb"):
		message = fmt.Sprintf("there is no database at %s; make one with simdb import %s PATH…", path, path)
	case ending != "" || filepath.Clean(path) != path:
		message = "there is no file, folder or database at " + path
	default:
		message = fmt.Sprintf("there is no database at %s, and no file or folder; simdb import %s PATH… makes a database", path, path)
	}
	return &exit.Error{Code: exit.Unavailable, Err: fs.ErrNotExist, Message: message}
}

// OpenError adds the remedy to an error of opening a database.
func OpenError(path string, err error) error {
	switch {
	case errors.Is(err, api.ErrLocked):
		return &exit.Error{Code: exit.Unavailable, Err: err, Message: fmt.Sprintf("the database %s is open in another process; end that one, then try again", path)}
	case errors.Is(err, api.ErrInvalid):
		return exit.Failf(exit.Unavailable, "%v", err) // a directory of something else
	case errors.Is(err, api.ErrCorrupt):
		return exit.Failf(exit.Corrupt, "%v; go back to a backup, or run simdb salvage --replace: it saves what can be read and names what is lost", err) // no other command can open it
	}
	return err
}

// OnDB runs a command on an existing database, until the first Ctrl-C.
func OnDB(cmd *cobra.Command, path string, run func(context.Context, *simdb.DB) error) error {
	return On(cmd, func(ctx context.Context) (*simdb.DB, error) { return OpenExisting(ctx, path, false, MemoryOf(cmd)) }, run)
}

// OnDBToRead is OnDB for a command that only reads.
func OnDBToRead(cmd *cobra.Command, path string, readOnly bool, run func(context.Context, *simdb.DB) error) error {
	return On(cmd, func(ctx context.Context) (*simdb.DB, error) { return OpenToRead(ctx, path, readOnly, MemoryOf(cmd)) }, run)
}

// openShards opens several existing databases for reading.
func openShards(ctx context.Context, paths []string, memory int64) (*simdb.Shards, error) {
	for _, path := range paths {
		if path == "" {
			return nil, ErrUnnamed
		}
		if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, exit.Failf(exit.Unavailable, "there is no database at %s; name directories, and after them a statement as one argument, in quotes", path)
		} else if err == nil && !info.IsDir() {
			return nil, exit.Failf(exit.Unavailable, "%s is a file, but a database is a directory; is the order DB…, then the rest?", path)
		}
	}
	s, err := simdb.OpenShards(ctx, paths, &simdb.Options{MemoryBytes: memory, Logger: Warnings()})
	return s, OpenError(strings.Join(paths, ", "), err)
}

// OnShards runs a read-only command on several existing databases, until the first Ctrl-C.
func OnShards(cmd *cobra.Command, paths []string, run func(context.Context, *simdb.Shards) error) (err error) {
	ctx, stop := Interruptible(cmd.Context())
	defer stop()
	all, err := openShards(ctx, paths, MemoryOf(cmd))
	if err != nil {
		return err
	}
	defer CloseInto(all, &err)
	return run(ctx, all)
}

// On opens a database by open, runs a command on it until the first Ctrl-C, and closes it.
func On(cmd *cobra.Command, open func(context.Context) (*simdb.DB, error), run func(context.Context, *simdb.DB) error) (err error) {
	ctx, stop := Interruptible(cmd.Context())
	defer stop()
	db, err := open(ctx)
	if err != nil {
		return err
	}
	defer CloseInto(db, &err)
	return run(ctx, db)
}

// CloseInto closes a database or a file at the end of a command, and stores the error of closing
// in *err unless *err is set.
func CloseInto(c io.Closer, err *error) {
	if closeErr := c.Close(); *err == nil {
		*err = closeErr
	}
}

// OutsideDatabases returns an error if path lies inside a database. The message calls the file what.
func OutsideDatabases(what, path string) error {
	db, err := ingest.StoreAround(path)
	if err == nil && db != "" {
		err = exit.Failf(exit.Rejected, "%s lies in the database %s; name a place outside of it for %s", path, db, what)
	}
	return err
}
