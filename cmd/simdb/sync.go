package main

// The command sync: the documents of a folder follow its files.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/query"
)

// syncer is the command sync: its flags, and what it reports.
type syncer struct {
	options api.SyncOptions
	with    string
	maxDoc  string
	quiet   bool
	watch   bool

	folder string
	stderr io.Writer
	reading
}

func newSync() *cobra.Command {
	var y syncer
	cmd := &cobra.Command{
		Use:   "sync [flags] DB FOLDER",
		Short: "Make the documents of a folder what its files are now",
		Long: `Add new files of a folder as documents, replace those that changed, and delete those
that are gone. A file is read again if its size or time differs, and has changed if
its text differs. The id is the path in the folder. Each file is one text, also a
compressed one or a document such as a PDF; archives and files of records are rejected.

Nothing is deleted because of an error: not what is below a directory that cannot be
read, and nothing if the folder is missing. If it has no file at all, as one that is
not mounted, that is an error unless --delete-all is given. Documents that did not
come from this folder by sync are never touched.

With --watch, sync goes on until Ctrl-C and follows the changes as they happen.`,
		Args: positional(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			y.stderr, y.folder = cmd.ErrOrStderr(), args[1]
			return y.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&y.options.Into, "into", "docs", "collection to sync into, made if it is not there")
	f.StringVar(&y.with, "with", "", "settings of the collection if it is made, as in CREATE COLLECTION: 'versions = on, k = 4'")
	f.StringVar(&y.options.Prefix, "prefix", "", "put this before every id")
	f.BoolVar(&y.options.Binary, "binary", false, "read binary files as Latin-1 instead of rejecting them")
	f.StringVar(&y.maxDoc, "max-doc", "16MiB", "reject longer texts (at most 48MiB)")
	f.Int64Var(&y.options.MaxRatio, "max-ratio", 200, "reject what unpacks to more than this many times its size, if over 64MiB")
	y.reading.flags(cmd)
	f.BoolVar(&y.options.DeleteAll, "delete-all", false, "delete all documents of a folder that has no file any more")
	f.BoolVar(&y.watch, "watch", false, "go on until Ctrl-C, and follow the changes")
	f.BoolVar(&y.quiet, "quiet", false, "no closing line")
	return cmd
}

func (y *syncer) run(cmd *cobra.Command, path string) (err error) {
	if err := y.check(); err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	if err := y.folderIsThere(path); err != nil { // before a database is made for nothing
		return err
	}
	db, err := openOrCreate(ctx, path, &simdb.Options{MaxDocBytes: y.options.MaxDocBytes, MemoryBytes: memoryOf(cmd)})
	if err != nil {
		return err
	}
	defer closeInto(db, &err)
	if y.watch {
		return y.keepAt(ctx, db)
	}
	stats, err := y.once(ctx, db)
	if err == nil && stats.Rejected > 0 {
		err = failf(exitIncomplete, "%s rejected; everything else is synced", count(stats.Rejected, "file"))
	}
	return err
}

func (y *syncer) check() error {
	if y.options.Into == "" {
		return usagef("--into wants the name of a collection")
	}
	if y.options.MaxRatio <= 0 {
		return usagef("--max-ratio %d is no number from 1 up", y.options.MaxRatio)
	}
	n, err := parseBytes(y.maxDoc)
	if err != nil || n <= 0 || n > maxDocLimit {
		return usagef("--max-doc %q is no size from 1 to 48MiB, like 500kB or 16MiB", y.maxDoc)
	}
	y.options.MaxDocBytes = n
	y.options.Exclude, y.options.GitIgnore = y.exclude, y.gitIgnore
	if y.options.Renderer, err = y.renderer(n); err != nil {
		return err
	}
	if y.with != "" {
		if y.options.Settings, err = query.ParseSettings(y.with); err != nil {
			return usagef("--with %s: %v", y.with, err)
		}
	}
	return nil
}

// folderIsThere refuses what is no folder, and a database.
func (y *syncer) folderIsThere(db string) error {
	info, err := os.Stat(y.folder)
	switch {
	case err != nil:
		return failf(exitUnavailable, "cannot sync: %v; nothing is changed", err)
	case !info.IsDir():
		return failf(exitRejected, "%s is no folder; is the order DB, then FOLDER?", y.folder)
	}
	around, err := ingest.StoreAround(y.folder)
	if err == nil && around != "" {
		err = failf(exitRejected, "%s lies in the database %s, whose files are no texts", y.folder, filepath.Base(around))
	}
	return err
}

// once syncs, and tells what it did.
func (y *syncer) once(ctx context.Context, db *simdb.DB) (api.SyncStats, error) {
	told := &reports{stderr: y.stderr, bar: newProgress(y.stderr, true)}
	y.options.OnReject = func(r api.Reject) { told.reject(r, true) }
	y.options.OnWarning = told.warning
	begin := time.Now()
	stats, err := db.Sync(ctx, y.folder, y.options)
	told.summary("")
	changed := stats.Added+stats.Replaced+stats.Deleted > 0
	if !y.quiet && (err == nil && !y.watch || changed) {
		fmt.Fprintln(y.stderr, syncLine(stats, time.Since(begin)))
	}
	if errors.Is(err, context.Canceled) {
		err = interrupted(err, "what was done is stored: run the same sync to go on")
	}
	return stats, err
}

func syncLine(s api.SyncStats, took time.Duration) string {
	return strings.Join([]string{
		"added " + thousands(s.Added), "replaced " + thousands(s.Replaced), "deleted " + thousands(s.Deleted),
		"unchanged " + thousands(s.Unchanged), "rejected " + thousands(s.Rejected), fmt.Sprintf("%.1f s", took.Seconds()),
	}, " · ")
}
