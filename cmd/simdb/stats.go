package main

// The command stats.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

func newStats() *cobra.Command {
	var format string
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "stats [flags] DB",
		Short: "Show what a database holds and how large it is",
		Args:  positional(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := validFormat(format); err != nil {
				return err
			}
			return onDBToRead(cmd, args[0], readOnly, func(_ context.Context, db *simdb.DB) error {
				if err := newSession(db, cmd.OutOrStdout(), cmd.ErrOrStderr(), format).stats(); err != nil {
					return err
				}
				return warnOfScratch(args[0])
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table, box, line, csv, tsv, json, ndjson or markdown; json is one object")
	readOnlyFlag(cmd, &readOnly)
	return cmd
}

// warnOfScratch names the files of joins in the directory of a database. They have names
// only where the system keeps those of open files.
func warnOfScratch(path string) error {
	entries, err := os.ReadDir(path)
	var names []string
	var bytes int64
	for _, e := range entries {
		if ok, _ := filepath.Match("JOIN-*.tmp", e.Name()); !ok {
			continue
		}
		if info, err := e.Info(); err == nil { // else it has just gone
			names, bytes = append(names, e.Name()), bytes+info.Size()
		}
	}
	if len(names) > 0 {
		warnings().Warn("files of a join that is at work, or was killed; opening the database to write removes what a kill left", "files", strings.Join(names, " "), "size", formatBytes(bytes))
	}
	return err
}

var collectionColumns = []string{"collection", "documents", "sets", "text_bytes", "unit", "k", "unique_sim", "intervals", "keeps"}

func collectionRow(c api.CollectionInfo) []any {
	intervals := c.Settings.Intervals
	if intervals == "" {
		intervals = "none"
	}
	return []any{c.Name, c.Documents, c.Sets, c.TextBytes, c.Settings.Unit, c.Settings.K, orNull(c.Settings.UniqueSim), intervals, kept(c.Settings)}
}

// orNull is NULL for what there is not.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// kept lists the features that a collection keeps.
func kept(s api.Settings) string {
	var list []string
	for _, k := range []struct {
		name string
		is   bool
	}{{"si (" + s.SI + ")", s.SI != ""}, {"versions", s.Versions}, {"entities", s.Entities}, {"words", s.Words}, {"patricia", s.Patricia}, {"index (" + s.Index + ")", s.Index != ""}} {
		if k.is {
			list = append(list, k.name)
		}
	}
	return strings.Join(list, ", ")
}

var storeColumns = []string{"disk_bytes", "log_bytes", "documents", "sets", "segments", "tail_sets", "cache_hits", "cache_misses", "build_failures", "build_error"}

func storeRow(m api.Metrics) []any {
	return []any{m.DiskBytes, m.LogBytes, m.Documents, m.Sets, m.Segments, m.TailSets, m.CacheHits, m.CacheMisses, m.BuildFailures, orNull(m.BuildError)}
}

// stats writes the collections, then the store as a whole.
func (s *session) stats() error {
	snapshot, err := s.db.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	var collections [][]any
	for _, c := range snapshot.Collections() {
		collections = append(collections, collectionRow(c))
	}
	store := storeRow(s.db.Metrics())
	if s.format == "json" || s.format == "ndjson" {
		return s.statsObject(collections, store)
	}
	if err := s.table(collectionColumns, collections...); err != nil {
		return err
	}
	if s.format != "csv" && s.format != "tsv" {
		fmt.Fprintln(s.out)
	}
	return s.table(storeColumns, store)
}

func (s *session) statsObject(collections [][]any, store []any) error {
	b := newJSONBuffer()
	b.WriteString(`{"store":`)
	if err := b.object(storeColumns, store); err != nil {
		return err
	}
	b.WriteString(`,"collections":[`)
	for i, row := range collections {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := b.object(collectionColumns, row); err != nil {
			return err
		}
	}
	b.WriteString("]}\n")
	if _, err := s.out.Write(b.Bytes()); err != nil {
		return err
	}
	return s.out.Flush()
}

// table writes rows that do not answer a statement.
func (s *session) table(columns []string, rows ...[]any) error {
	p := newPrinter(s.format, s.out, columns, s.style)
	for _, row := range rows {
		if err := p.row(row); err != nil {
			return err
		}
	}
	if err := p.end(); err != nil {
		return err
	}
	return s.out.Flush()
}
