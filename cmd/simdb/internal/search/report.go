package search

// The report command writes an overview of similar texts to hand over.

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/internal/overview"
)

const (
	reportTime  = 20 * time.Second // for pairs below the first threshold
	reportPairs = 500
)

// reporting holds the flags of report.
type reporting struct {
	load.Source
	in, using, sim, out, format string
	ignoring                    string
	passages                    int
	folder                      string // of the input, for the paths of SARIF
	title                       string // name of the input, of files
}

// NewReport returns the report command.
func NewReport() *cobra.Command {
	var r reporting
	cmd := &cobra.Command{
		Use:   "report [flags] DB|FILE…",
		Short: "Write a report of the similar texts: one HTML file, or SARIF",
		Long: `Write an overview of the similar texts of a database, of files or of folders: the pairs
by similarity, the most similar pairs with their common passages, the groups, and the
texts that stand out. The HTML file needs no other file and no network, and can be
printed. SARIF has a finding for each common passage, for tools that show findings in
code and documentation.

The percentage is the share of the smaller text that the other contains. Without --sim,
the report lists the pairs from 80%, 50% or 30% on, as low as 20 seconds permit.

--ignoring leaves out a text that all others quote, such as a task or a form letter. For
files, name its file; without one, --ignoring 20 leaves out what more than 20 texts
contain.`,
		Example: `  simdb report submissions/ --out report.html
  simdb report --ignoring task.txt submissions/ --out report.html
  simdb report --ignoring task my.simdb --out report.html
  simdb report --format sarif --with "unit = 'code'" --sim 60% src/ > similar.sarif`,
		Args: command.Args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			q, err := r.question()
			if err != nil {
				return err
			}
			if r.out != "" { // first, so that a wrong one costs no time
				if err := command.Writable("--out", r.out, args); err != nil {
					return err
				}
			}
			r.title = titleOf(args)
			if r.folder, err = folderOf(args); err != nil {
				return err
			}
			if err := r.checkIgnored(cmd, args, q); err != nil {
				return err
			}
			stores, remove, err := r.Stores(cmd, args)
			if err != nil {
				return err
			}
			defer func() { remove(&err) }()
			if r.Temporary && q.Ignoring.In != "" {
				if q.Ignoring.In, err = r.Beside(cmd, stores[0], r.ignoring); err != nil {
					return err
				}
			}
			if len(stores) > 1 {
				return command.Args(1, 1)(cmd, args)
			}
			return command.OnDBToRead(cmd, stores[0], r.Temporary, func(ctx context.Context, db *simdb.DB) error {
				return r.run(ctx, cmd, db, q)
			})
		},
	}
	f := cmd.Flags()
	f.StringVarP(&r.out, "out", "o", "", "write to this `FILE` instead of standard output")
	r.format = "html"
	output.FormatFlag(cmd, &r.format, []string{"html", "sarif"}, "")
	f.StringVar(&r.in, "in", api.DefaultCollection, "`COLLECTION` to report on")
	f.StringVar(&r.sim, "sim", "", "least similarity `SIM` of a pair: 0.8, 80% or 4/5")
	f.StringVar(&r.using, "using", "overlap", "`MEASURE` of similarity, a symmetric one")
	f.StringVar(&r.ignoring, "ignoring", "", "leave out all that stands in this `COLLECTION` (of files: in this file or folder), or in more than N texts")
	f.IntVar(&r.passages, "passages", 100, "show the passages of the first `N` pairs")
	r.Flags(cmd)
	return cmd
}

// question validates the flags.
func (r *reporting) question() (q overview.Question, err error) {
	q = overview.Question{Collection: r.in, Time: reportTime, Pairs: reportPairs, Documents: 100}
	var known bool
	if q.Measure, known = api.ParseMeasure(r.using); !known || !q.Measure.Symmetric(q.Args) {
		return q, exit.Usagef("--using %s is no symmetric measure; overlap, jaccard and weighted are", r.using)
	}
	q.Ignoring = command.ParseIgnoring(r.ignoring)
	if r.passages < 0 {
		return q, exit.Usagef("--passages is %d; give a number from 0 on", r.passages)
	}
	if r.sim != "" {
		if q.Least, err = api.ParseThreshold(r.sim); err != nil {
			return q, exit.Usagef("--sim: %v", err)
		}
	}
	return q, nil
}

// folderOf returns the folder that the ids of files are relative to, from the current one.
func folderOf(paths []string) (string, error) {
	base, err := ingest.Base(paths)
	if err != nil || base == "" {
		return "", err
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	folder, err := filepath.Rel(here, base)
	if err != nil { // on another volume
		folder = base
	}
	return filepath.ToSlash(folder), nil
}

// titleOf returns the name of the input for the title.
func titleOf(args []string) string {
	if len(args) > 1 {
		return output.Count(int64(len(args)), "file")
	}
	name := args[0]
	if path, err := filepath.Abs(name); err == nil && name != "-" {
		name = filepath.Base(path)
	}
	return name
}

// checkIgnored returns an error if the text to leave out of files is missing.
func (r *reporting) checkIgnored(cmd *cobra.Command, args []string, q overview.Question) error {
	files, err := r.AreFiles(cmd, args)
	if err != nil || !files || q.Ignoring.In == "" || isThere(q.Ignoring.In) {
		return err
	}
	return exit.Failf(exit.Unavailable, "--ignoring %s: there is no file or folder of this name; name one with the text to leave out, or a number N to leave out what more than N texts contain", output.EscapeControls(r.ignoring))
}

// run writes the report.
func (r *reporting) run(ctx context.Context, cmd *cobra.Command, db *simdb.DB, q overview.Question) (err error) {
	snap, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	ctx, waiting := output.WaitFor(ctx, cmd.ErrOrStderr())
	defer waiting.Stop()
	report, err := overview.Make(ctx, snap, q, r.passages)
	if err != nil {
		return err
	}
	waiting.Stop()
	if r.Temporary {
		report.Title = r.title
	}
	write := func(w io.Writer) error {
		if r.format == "sarif" {
			if !r.Temporary {
				r.folder = ""
			}
			return report.WriteSARIF(w, r.folder, simdb.Version)
		}
		return report.WriteHTML(w)
	}
	if r.out == "" {
		return write(cmd.OutOrStdout())
	}
	err = command.WriteFile(r.out, write)
	if err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", output.EscapeControls(r.out), report.Summary())
	}
	return err
}
