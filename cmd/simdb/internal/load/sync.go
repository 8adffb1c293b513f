package load

// The sync command keeps the documents of a folder equal to its files.

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
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/load"
	"github.com/simdb/simdb/query"
)

// syncer holds the flags and the reports of sync.
type syncer struct {
	options api.SyncOptions
	with    string
	quiet   bool
	watch   bool

	folder string
	stderr io.Writer
	reading
}

// NewSync returns the sync command.
func NewSync() *cobra.Command {
	var y syncer
	cmd := &cobra.Command{
		Use:   "sync [flags] DB DIR",
		Short: "Synchronize documents with the files of a folder",
		Long: `Add new files of a folder as documents, replace changed ones, and delete documents
whose files were removed. A file is read again if its size or time differs, and
replaced if its text differs. The id is the path in the folder. Each file is one text,
also if compressed or a document such as a PDF; archives and files of records are
rejected.

Errors delete nothing: documents below an unreadable directory stay, and a missing
folder ends the command. A folder without files, such as an unmounted one, is an error
unless --delete-all is given. Documents from other sources are never touched.

With --watch, sync continues to apply changes until Ctrl-C.`,
		Args: command.Args(2, 2),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			y.stderr, y.folder = cmd.ErrOrStderr(), args[1]
			return y.run(ctx, cmd, args[0])
		}),
	}
	f := cmd.Flags()
	f.StringVar(&y.options.Into, "in", "docs", "`COLLECTION` to sync into, created if missing")
	f.StringVar(&y.with, "with", "", withUsage)
	f.StringVar(&y.options.Prefix, "prefix", "", prefixUsage)
	y.reading.flags(cmd)
	f.BoolVar(&y.options.DeleteAll, "delete-all", false, "delete all documents if the folder has no files")
	f.BoolVar(&y.watch, "watch", false, "continue to apply changes until Ctrl-C")
	f.BoolVar(&y.quiet, "quiet", false, "show no progress and no summary")
	return cmd
}

// run syncs once, or continuously with --watch.
func (y *syncer) run(ctx context.Context, cmd *cobra.Command, path string) (err error) {
	if err := y.check(); err != nil {
		return err
	}
	if err := y.folderIsThere(path); err != nil { // first, so that a failure creates no database
		return err
	}
	db, err := command.OpenOrCreate(ctx, path, &simdb.Options{MaxDocBytes: y.options.MaxDocBytes, MemoryBytes: command.MemoryOf(cmd)})
	if err != nil {
		return err
	}
	defer command.CloseInto(db, &err)
	if y.watch {
		return y.keepAt(ctx, db)
	}
	stats, err := y.once(ctx, db)
	if failed := stats.Rejected - stats.NoText; err == nil && failed > 0 {
		err = exit.Failf(exit.Incomplete, "%s rejected; everything else is synced", output.Count(failed, "file"))
	}
	return err
}

// check validates the flags before a database is created.
func (y *syncer) check() (err error) {
	if y.options.Into == "" {
		return exit.Usagef("--in wants the name of a collection")
	}
	o := &y.options
	if o.MaxDocBytes, o.Renderer, err = y.reading.check(); err != nil {
		return err
	}
	o.Exclude, o.GitIgnore, o.Binary, o.MaxRatio = y.exclude, y.gitIgnore, y.binary, y.maxRatio
	if y.with != "" {
		if o.Settings, err = query.ParseSettings(y.with); err != nil {
			return exit.Usagef("--with %s: %v", y.with, err)
		}
	}
	return nil
}

// folderIsThere rejects a path that is not a folder, and a folder inside a database.
func (y *syncer) folderIsThere(db string) error {
	info, err := os.Stat(y.folder)
	switch {
	case err != nil:
		return exit.Failf(exit.Unavailable, "cannot sync: %v; nothing is changed", err)
	case !info.IsDir():
		return exit.Failf(exit.Rejected, "%s is no folder; is the order DB, then DIR?", y.folder)
	}
	around, err := ingest.StoreAround(y.folder)
	if err == nil && around != "" {
		err = exit.Failf(exit.Rejected, "%s lies in the database %s, whose files are no texts", y.folder, filepath.Base(around))
	}
	return err
}

// once syncs and prints the summary.
func (y *syncer) once(ctx context.Context, db *simdb.DB) (api.SyncStats, error) {
	rep := &Reports{stderr: y.stderr, bar: output.NewProgress(y.stderr, true)}
	y.options.OnReject = func(r api.Reject) { rep.reject(r, true) }
	y.options.OnWarning = rep.warning
	begin := time.Now()
	stats, err := load.Sync(ctx, db, y.folder, y.options)
	rep.summary("")
	changed := stats.Added+stats.Replaced+stats.Deleted > 0
	if !y.quiet && (err == nil && !y.watch || changed) {
		fmt.Fprintln(y.stderr, syncLine(stats, time.Since(begin)))
	}
	if errors.Is(err, context.Canceled) {
		err = exit.Interrupted(err, "what was done is stored: run the same sync to go on")
	}
	return stats, err
}

// syncLine formats the summary of a sync.
func syncLine(s api.SyncStats, took time.Duration) string {
	return strings.Join([]string{
		"added " + output.Thousands(s.Added), "replaced " + output.Thousands(s.Replaced), "deleted " + output.Thousands(s.Deleted),
		"unchanged " + output.Thousands(s.Unchanged), "rejected " + output.Thousands(s.Rejected), fmt.Sprintf("%.1f s", took.Seconds()),
	}, " · ")
}
