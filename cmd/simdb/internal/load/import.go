// Package load implements the commands that read texts: import and sync store them, render prints
// them.
//
// A broken or hostile file never ends the command: it is rejected with a reason, and PDFs are read
// by a separate process with its own limits. Begin reading at importer.
package load

// The import command, and .import of the shell: flags, reports and exit codes.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/columnar"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/scale"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/load"
	"github.com/simdb/simdb/query"
)

// importer holds the flags and the reports of an import.
type importer struct {
	options api.ImportOptions
	rejects string
	unless  string
	report  string
	quiet   bool
	brief   bool // print no summary
	// The database is a temporary one: it is complete as far as its files could be read.
	temporary bool
	with      string
	between   string
	scale     string
	dryRun    bool
	reading

	stored map[string]int64 // documents by collection

	stderr io.Writer
}

// NewImport returns the import command.
func NewImport() *cobra.Command {
	var im importer
	cmd := &cobra.Command{
		Use:   "import [flags] DB PATH…",
		Short: "Import texts from files, directories and archives",
		Long: `Import texts into a database, which is created if it is missing.

A PATH is a file, a directory, a quoted glob, or - for standard input. The content
determines the kind of a file: text, JSON lines, arrays and tables, CSV, Parquet, Arrow,
WARC, tar or zip; all but Parquet may be compressed with gzip, zstd, xz or bzip2. HTML,
Word, OpenDocument, EPUB, PDF, RTF, mail, Markdown and subtitles are converted to text
unless --rendition is none; simdb render prints the result. A symbolic link is followed
if it is the only PATH, else rejected. Databases and .git directories are skipped.

The id of a file is its path below the directory, glob or archive of PATH, or below the
common directory of several PATHs, as when the shell expands a glob. Of files with equal
ids, the first is stored and the others are rejected. See --id, --prefix, --strip and
--last-wins. The id of a record is its field id, else its place, FILE#LINE. A document
replaces a stored one with the same id.

Unreadable input is rejected and counted; the import continues at the next record and
ends with code 3. Links, pictures, sounds, videos, programs and fonts below a PATH are
rejected without failure. --dry-run reports the kind of each file and the documents,
and stores nothing. --unless-similar leaves out texts that are similar to a stored one,
which is not a reject. A line of simdb export goes to its own collection unless --in
is given. --resume continues an interrupted import if its input is unchanged.

With --scale WORKDIR, each part of the input of simdb scale becomes a database,
DIR/shard-0000.simdb and so on, with the unit and k of WORKDIR. simdb query and
simdb serve search them together.`,
		Example: `  simdb import my.simdb docs/
  simdb import --in papers my.simdb papers.jsonl.gz 'more/**/*.txt'
  simdb import --unless-similar 0.95 --report fell.ndjson my.simdb crawl.jsonl.gz
  simdb import --id-field url --text-field title,body my.simdb pages.csv
  simdb import --text-field 'messages[].content' my.simdb chats.json
  simdb import --id-field url --metadata lang,date my.simdb pages.parquet
  simdb import --dry-run my.simdb ~/Documents
  simdb import --gitignore --exclude '*.min.js' my.simdb src/
  simdb import --with "versions = on, si = 'm43b k40'" my.simdb drafts/
  curl -s https://example.org/texts.jsonl | simdb import my.simdb -
  simdb import --scale work.scale shards/`,
		Args: command.Args(1, -1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			im.stderr = cmd.ErrOrStderr()
			switch parts := cmd.Flags().Changed("scale"); {
			case parts && len(args) == 1:
				if err := im.check(); err != nil {
					return err
				}
				return scale.Import(ctx, cmd, im.scale, args[0], im.options, im.quiet)
			case parts:
				return exit.Usagef("--scale %s wants one directory to put databases into, found %s", im.scale, output.Count(int64(len(args)), "argument"))
			case len(args) == 1:
				return command.Args(2, -1)(cmd, args)
			}
			return im.run(ctx, cmd, args[0], args[1:])
		}),
	}
	im.flags(cmd)
	return cmd
}

// flags adds the flags of import and .import.
func (im *importer) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Func("in", "`COLLECTION` to import into, created if missing (default docs; lines of an export go to their own)", im.setIn)
	f.StringVar(&im.with, "with", "", withUsage)
	output.WordFlag(cmd, &im.options.IfExists, "if-exists", []string{"replace", "skip", "error"}, "action if the id is already stored: replace, skip or error")
	output.WordFlag(cmd, &im.options.Format, "input-format", ingest.Formats, "input `FORMAT`: "+output.OrList(ingest.Formats))
	output.WordFlag(cmd, &im.options.ID, "id", []string{"path", "name", "sha256"}, "source of document ids: path, name or sha256")
	f.StringVar(&im.options.IDField, "id-field", "", "`FIELD` that contains the id of a record, or a path like meta.id (default id, else FILE#LINE)")
	f.StringVar(&im.options.TextField, "text-field", "", "`FIELDS` that contain the text of a record, or paths: body, instruction,output or messages[].content; the column number of CSV without a header (default text)")
	f.StringSliceVar(&im.options.Metadata, "metadata", nil, "`FIELDS` of a record to keep as metadata, separated by commas; '' for none (default all)")
	f.StringVar(&im.between, "delimiter", "", "`CHARACTER` between the fields of CSV, or tab (default detected: comma, semicolon, tab or bar)")
	f.StringVar(&im.options.Prefix, "prefix", "", prefixUsage)
	f.IntVar(&im.options.Strip, "strip", 0, "remove `N` leading directories from the paths of ids")
	f.BoolVar(&im.options.LastWins, "last-wins", false, "store the last of several files with equal ids, instead of the first")
	im.reading.flags(cmd)
	f.StringVar(&im.scale, "scale", "", "import the input of this `WORKDIR` of simdb scale, into one database per part")
	f.StringVar(&im.rejects, "rejects", "", "write rejects with their reasons to this `FILE`, as NDJSON")
	f.StringVar(&im.unless, "unless-similar", "", "leave out texts with a resemblance of `SIM` or more to another: 0.95, 95% or 19/20")
	output.WordFlag(cmd, &im.options.Keep, "keep", []string{"first", "longest", "newest"}, "similar text to keep: first, longest or newest")
	f.StringVar(&im.report, "report", "", "write each text left out, with the similar text, to this `FILE` as NDJSON; with --dry-run, the kind of each file")
	f.BoolVar(&im.options.Resume, "resume", false, "continue an interrupted import of the same paths")
	f.BoolVar(&im.dryRun, "dry-run", false, "report only: the documents and rejects, without storing")
	f.BoolVar(&im.quiet, "quiet", false, "show no progress and no summary")
}

// setIn parses --in. An explicit collection also receives the lines of an export.
func (im *importer) setIn(name string) error {
	if name == "" {
		return errors.New("--in wants the name of a collection")
	}
	im.options.Into = name
	return nil
}

// run opens or creates the database at path and imports.
func (im *importer) run(ctx context.Context, cmd *cobra.Command, path string, from []string) (err error) {
	im.options.Tables = columnar.Reader{MemoryBytes: command.MemoryOf(cmd)}
	if err := im.check(); err != nil {
		return err
	}
	if path == "" {
		return command.ErrUnnamed
	}
	if first := slices.Index(from, "-"); first >= 0 && slices.Contains(from[first+1:], "-") {
		return exit.Usagef("standard input (-) occurs twice, but can be read only once")
	}
	if err := ingest.Check(ctx, from); err != nil { // first, so that a failure creates no database
		return unreadable(err)
	}
	im.options.Stdin = cmd.InOrStdin()
	if im.dryRun {
		return im.dry(ctx, from, command.MemoryOf(cmd), cmd.OutOrStdout())
	}
	db, err := command.OpenOrCreate(ctx, path, &simdb.Options{MaxDocBytes: im.options.MaxDocBytes, MemoryBytes: command.MemoryOf(cmd)})
	if err != nil {
		return err
	}
	defer command.CloseInto(db, &err)
	return im.into(ctx, db, from)
}

// Import runs .import of the shell on an open database. args holds flags and paths.
func Import(ctx context.Context, db *simdb.DB, args []string, stderr io.Writer) error {
	im := importer{stderr: stderr}
	im.options.Tables = columnar.Reader{}
	cmd := &cobra.Command{Use: ".import"} // for its flags only
	im.flags(cmd)
	flags := cmd.Flags()
	flags.Usage = func() {}
	switch err := flags.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		_, err := fmt.Fprintf(stderr, "usage: .import [flags] PATH…\n%s", command.FlagUsages(cmd))
		return err
	case err != nil:
		return exit.Failf(exit.Rejected, "%v", err)
	}
	if err := im.check(); err != nil {
		return exit.Failf(exit.Rejected, "%v", err)
	}
	if im.dryRun {
		return exit.Failf(exit.Rejected, "--dry-run is of simdb import")
	}
	if flags.NArg() == 0 {
		return exit.Failf(exit.Rejected, "want .import [flags] PATH…")
	}
	if slices.Contains(flags.Args(), "-") {
		return exit.Failf(exit.Rejected, "standard input holds the statements; use simdb import DB -")
	}
	return im.into(ctx, db, flags.Args())
}

// into imports the paths into an open database.
func (im *importer) into(ctx context.Context, db *simdb.DB, from []string) error {
	if err := im.keeps(db); err != nil {
		return err
	}
	stats, err := im.load(ctx, db, from)
	switch {
	case errors.Is(err, context.Canceled):
		return exit.Interrupted(err, "what was stored is safe: run the same import with --resume to go on")
	case errors.Is(err, api.ErrExists):
		return exit.Failf(exit.Rejected, "%v; what came before it may be stored already: use --if-exists replace or skip", err)
	case err != nil:
		return err
	}
	return im.verdict(stats)
}

// keeps warns that an existing collection keeps its settings, if --with names others.
func (im *importer) keeps(db *simdb.DB) error {
	if im.with == "" || im.options.Resume {
		return nil
	}
	snapshot, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	info, err := snapshot.Collection(cmp.Or(im.options.Into, api.DefaultCollection))
	if errors.Is(err, api.ErrNoCollection) || info.Implied {
		return nil
	}
	if err == nil {
		fmt.Fprintf(im.stderr, "warning: the collection %s is there and keeps its settings: %s\n", output.QuoteName(info.Name), query.FormatSettings(info.Settings))
	}
	return err
}

// check validates the flags before a database is created.
func (im *importer) check() (err error) {
	if err := im.checkFields(); err != nil {
		return err
	}
	if flag := im.checkDryRun(); flag != "" {
		return exit.Usagef("--dry-run stores nothing and compares nothing: leave out %s", flag)
	}
	if im.with != "" {
		if im.options.Settings, err = query.ParseSettings(im.with); err != nil {
			return exit.Usagef("--with %s: %v", im.with, err)
		}
	}
	if err := im.checkSimilar(); err != nil {
		return err
	}
	o := &im.options
	o.MaxDocBytes, o.Renderer, err = im.reading.check()
	o.Exclude, o.GitIgnore, o.Binary, o.MaxRatio = im.exclude, im.gitIgnore, im.binary, im.maxRatio
	return err
}

// checkSimilar parses --unless-similar and checks --keep and --report.
func (im *importer) checkSimilar() (err error) {
	if im.unless == "" {
		if im.report != "" && !im.dryRun || im.options.Keep != api.KeepFirst {
			return exit.Usagef("--report and --keep go with --unless-similar")
		}
		return nil
	}
	if im.options.UnlessSimilar, err = api.ParseThreshold(im.unless); err != nil {
		return exit.Usagef("--unless-similar: %v", err)
	}
	if im.options.UnlessSimilar == (api.Threshold{}) {
		return exit.Usagef("--unless-similar %s would leave out every text; use a similarity above 0", im.unless)
	}
	return nil
}

// load imports, reports rejects and warnings, and prints the summary line.
func (im *importer) load(ctx context.Context, db *simdb.DB, from []string) (api.ImportStats, error) {
	for what, path := range map[string]string{"the rejects": im.rejects, "the report": im.report} {
		if path == "" {
			continue
		}
		if err := command.OutsideDatabases(what, path); err != nil {
			return api.ImportStats{}, err
		}
	}
	bar := output.NewProgress(im.stderr, im.quiet)
	rep := &Reports{stderr: im.stderr, bar: bar, all: "; --rejects FILE writes all of them"}
	log, err := openLines("--rejects", im.rejects, im.options.Resume)
	if err != nil {
		return api.ImportStats{}, err
	}
	im.options.OnStored = func(collection string, documents int) { im.stored[collection] += int64(documents) }
	report, err := openLines("--report", im.report, im.options.Resume)
	if err != nil {
		return api.ImportStats{}, errors.Join(err, log.Close())
	}
	im.options.OnSimilar = func(f api.Fallen) { report.add(f) }
	im.options.OnReject = func(r api.Reject) {
		log.add(r)
		rep.reject(r, im.rejects == "")
	}
	im.options.OnWarning = rep.warning
	im.options.Progress = bar.Documents
	im.stored = map[string]int64{}
	begin := time.Now()
	stats, err := load.Import(ctx, db, from, im.options)
	bar.Clear()
	rep.summary(im.rejects)
	for _, l := range []*lines{log, report} {
		command.CloseInto(l, &err)
	}
	if !im.quiet && !im.brief && (err == nil || stats != api.ImportStats{}) {
		fmt.Fprintln(im.stderr, im.closingLine(stats, time.Since(begin)))
	}
	return stats, err
}

// closingLine formats the summary of an import.
func (im *importer) closingLine(s api.ImportStats, took time.Duration) string {
	if s.Finished {
		return "this import was finished before; nothing to resume (leave --resume out to import again)"
	}
	rejected := "rejected " + output.Thousands(s.Rejected) + coveredLines(s)
	if s.Rejected > 0 && im.rejects != "" {
		rejected += " (" + im.rejects + ")"
	}
	parts := []string{
		"imported " + output.Thousands(s.Imported), "replaced " + output.Thousands(s.Replaced),
		"skipped " + output.Thousands(s.Skipped), rejected,
	}
	if im.unless != "" {
		parts = append(parts, "similar "+output.Thousands(s.Similar))
	}
	if s.Superseded > 0 {
		parts = append(parts, "superseded "+output.Thousands(s.Superseded))
	}
	if s.Warnings > 0 {
		parts = append(parts, "warnings "+output.Thousands(s.Warnings))
	}
	if len(im.stored) > 1 {
		for _, name := range slices.Sorted(maps.Keys(im.stored)) {
			parts = append(parts, output.QuoteName(name)+" "+output.Thousands(im.stored[name]))
		}
	}
	rate := float64(s.Imported+s.Replaced+s.Superseded+s.Similar) / max(took.Seconds(), 0.001)
	return strings.Join(append(parts, fmt.Sprintf("%.1f s", took.Seconds()), output.Thousands(int64(rate))+" docs/s"), " · ")
}

// verdict returns an error of code exit.Incomplete if input was rejected. Rejects without text do
// not count.
func (im *importer) verdict(s api.ImportStats) error {
	failed := s.Rejected - s.NoText
	if failed == 0 {
		return nil
	}
	where, stored := "named above", "stored"
	switch {
	case im.dryRun:
		stored = "fit to be stored"
	case im.temporary && len(im.stored) == 0:
		return exit.Failf(exit.Incomplete, "%s rejected", output.Count(failed, "input"))
	case im.temporary:
		stored = "read (simdb import has more flags for such input)"
	}
	switch {
	case im.rejects != "":
		where = "named in " + im.rejects
	case s.Rejected > reportsShown:
		where = fmt.Sprintf("the first %d named above", reportsShown)
	}
	rest := cmp.Or(restsNotRead(s), "everything else is "+stored)
	return exit.Failf(exit.Incomplete, "%s rejected%s, %s; %s", output.Count(failed, "input"), coveredLines(s), where, rest)
}
