package maintain

// The stats command.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
)

// newStats returns the stats command.
func newStats() *cobra.Command {
	format := "table"
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "stats [flags] DB",
		Short: "Show the collections, counts and sizes of a database",
		Args:  command.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.OnDBToRead(cmd, args[0], readOnly, func(ctx context.Context, db *simdb.DB) error {
				if err := Stats(ctx, session.New(cmd, db, format)); err != nil {
					return err
				}
				return errors.Join(warnOfErasures(ctx, db), warnOfScratch(args[0]))
			})
		},
	}
	output.FormatFlag(cmd, &format, output.Formats, "; json is one object")
	command.ReadOnlyFlag(cmd, &readOnly)
	return cmd
}

// warnOfErasures warns that erased documents leave traces in files until a compaction.
func warnOfErasures(ctx context.Context, db *simdb.DB) error {
	n, err := db.Erasing(ctx)
	if n > 0 {
		command.Warnings().Warn("documents were erased, and files have traces of them until simdb compact", "erasures", n)
	}
	return err
}

// warnOfScratch reports the temporary files of joins in the directory of a database. They have
// names only on systems that cannot unlink open files.
func warnOfScratch(path string) error {
	entries, err := os.ReadDir(path)
	var names []string
	var bytes int64
	for _, e := range entries {
		if ok, _ := filepath.Match("JOIN-*.tmp", e.Name()); !ok {
			continue
		}
		if info, err := e.Info(); err == nil { // otherwise just removed
			names, bytes = append(names, e.Name()), bytes+info.Size()
		}
	}
	if len(names) > 0 {
		command.Warnings().Warn("files of a join that is at work, or was killed; opening the database to write removes what a kill left", "files", strings.Join(names, " "), "size", output.Bytes(bytes))
	}
	return err
}

var collectionColumns = []string{"collection", "documents", "sets", "text_bytes", "unit", "k", "unique_sim", "intervals", "keeps"}

// Collections writes a row per collection of the session's database.
func Collections(ctx context.Context, s *session.Session) error {
	rows, err := collectionRows(ctx, s)
	if err != nil {
		return err
	}
	return s.Table(collectionColumns, rows...)
}

// collectionRows returns a row per collection.
func collectionRows(ctx context.Context, s *session.Session) (rows [][]any, err error) {
	all, err := s.DB.Collections(ctx)
	for _, c := range all {
		rows = append(rows, []any{c.Name, c.Documents, c.Sets, c.TextBytes, c.Settings.Unit, c.Settings.K, orNull(c.Settings.UniqueSim), cmp.Or(c.Settings.Intervals, "none"), kept(c.Settings)})
	}
	return rows, err
}

// orNull returns nil, which is NULL, for "".
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// kept lists the optional features that a collection maintains, such as versions.
func kept(s api.Settings) string {
	var list []string
	for _, set := range api.AllSettings() {
		switch on := set.Switch(&s); {
		case on != nil && *on:
			list = append(list, set.Name)
		case (set.Name == "si" || set.Name == "index") && *set.Text(&s) != "":
			list = append(list, set.Name+" ("+*set.Text(&s)+")")
		}
	}
	return strings.Join(list, ", ")
}

var storeColumns = []string{"disk_bytes", "log_bytes", "documents", "sets", "segments", "tail_sets", "cache_hits", "cache_misses", "build_failures", "build_error"}

// Stats writes a row per collection, then a row on the store as a whole.
func Stats(ctx context.Context, s *session.Session) error {
	collections, err := collectionRows(ctx, s)
	if err != nil {
		return err
	}
	m := s.DB.Metrics()
	store := []any{m.DiskBytes, m.LogBytes, m.Documents, m.Sets, m.Segments, m.TailSets, m.CacheHits, m.CacheMisses, m.BuildFailures, orNull(m.BuildError)}
	if s.Format == "json" || s.Format == "ndjson" {
		return statsObject(s, collections, store)
	}
	if err := s.Table(collectionColumns, collections...); err != nil {
		return err
	}
	if s.Format != "csv" && s.Format != "tsv" {
		fmt.Fprintln(s.Out)
	}
	return s.Table(storeColumns, store)
}

// statsObject writes all statistics as one JSON object.
func statsObject(s *session.Session, collections [][]any, store []any) error {
	b := output.NewJSONBuffer()
	b.WriteString(`{"store":`)
	if err := b.Object(storeColumns, store); err != nil {
		return err
	}
	b.WriteString(`,"collections":[`)
	for i, row := range collections {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := b.Object(collectionColumns, row); err != nil {
			return err
		}
	}
	b.WriteString("]}\n")
	if _, err := s.Out.Write(b.Bytes()); err != nil {
		return err
	}
	return s.Out.Flush()
}
