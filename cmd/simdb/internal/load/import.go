// Package load has the commands that read texts: import and sync store them, render prints
// them. PDFs are read by a process of its own.
package load

// The import command, and .import of the shell: its flags, what it reports on
// the way, and how it ends.

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

// importer is the import command: its flags, and what it reports while it runs.
type importer struct {
	options  api.ImportOptions
	ifExists string
	rejects  string
	unless   string
	keep     string
	report   string
	quiet    bool
	with     string
	between  string
	scale    string
	dryRun   bool
	reading

	stored map[string]int64 // documents by collection

	stderr io.Writer
}

func NewImport() *cobra.Command {
	var im importer
	cmd := &cobra.Command{
		Use:   "import [flags] DB PATH…",
		Short: "Read texts from files, directories and archives into a database",
		Long: `Read texts into a database, which is made if it is not there.

A PATH is a file, a directory, a glob in quotes, or - for standard input. Texts,
JSON lines, arrays and tables, CSV, Parquet, Arrow, WARC, tar and zip are known by their first bytes, all but Parquet
compressed with gzip, zstd, xz or bzip2 or not. Of HTML, Word, OpenDocument, EPUB, PDF, RTF, mail, Markdown and
subtitles the text is read, unless --rendition none says otherwise; simdb render
prints what that gives. A document of an id that is stored already replaces it. Symbolic
links are followed where they are named alone, and rejected where they are met.
Databases and directories called .git are passed over.

The id of a file is its path below the directory, glob or archive that is named. If
several PATHs are named, as when the shell expands a glob, it is the path below the
directory that holds all of them. Of files with one id the first is stored and the
others are rejected. See --id, --prefix, --strip and --last-wins. A record has what its
field id says, else its place, FILE#LINE.

What cannot be read is rejected and the import goes on; it then ends with exit
code 3. Reading goes on at the next record, and what is lost is counted. Links, pictures, sounds, videos, programs and fonts that are met below a path are
rejected too, and are no failure. --dry-run says what each file was taken for and what would be imported,
and stores nothing. With --unless-similar, texts that resemble one stored before or kept
before are left out, which is no reject. A line that export has written goes to
the collection that it names, unless there is --into. An import that was
interrupted is continued with --resume, if what it had read is still there as it
was.

With --scale WORKDIR the input of simdb scale becomes one database for each of its
parts, DIR/shard-0000.simdb and so on, with the unit and k of WORKDIR. simdb query
and simdb serve search them together.`,
		Example: `  simdb import my.simdb docs/
  simdb import --into papers my.simdb papers.jsonl.gz 'more/**/*.txt'
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

func (im *importer) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Func("into", "`collection` to import into, made if it is not there (default docs; lines of an export go to their own)", im.setInto)
	f.StringVar(&im.with, "with", "", "settings of collections that are made, as in CREATE COLLECTION: 'versions = on, k = 4'")
	f.StringVar(&im.ifExists, "if-exists", "replace", "what to do with ids stored before: replace, skip or error")
	f.StringVar(&im.options.Format, "format", "auto", "what the paths hold: "+orList(ingest.Formats))
	f.StringVar(&im.options.ID, "id", "path", "what becomes the id of a document: path, name or sha256")
	f.StringVar(&im.options.IDField, "id-field", "", "`field` of a record that is its id, or a path to it: meta.id (default id, and FILE#LINE for a record without)")
	f.StringVar(&im.options.TextField, "text-field", "", "`fields` of a record that are its text, or paths to them: body, instruction,output or messages[].content; of CSV without a header the number of the column (default text)")
	f.StringSliceVar(&im.options.Metadata, "metadata", nil, "`fields` of a record that are kept as metadata, separated by commas; '' for none (default all)")
	f.StringVar(&im.between, "delimiter", "", "character between the fields of CSV, or tab (default what the file shows: a comma, semicolon, tab or bar)")
	f.StringVar(&im.options.Prefix, "prefix", "", "put this before every id")
	f.IntVar(&im.options.Strip, "strip", 0, "leave out this many leading directories of the paths that become ids")
	f.BoolVar(&im.options.LastWins, "last-wins", false, "store the last of several files with one id, instead of rejecting all but the first")
	im.reading.flags(cmd)
	f.StringVar(&im.scale, "scale", "", "import what this work `directory` of simdb scale reads, into one database for each part of it")
	f.StringVar(&im.rejects, "rejects", "", "write what was rejected, and why, to this file as NDJSON")
	f.StringVar(&im.unless, "unless-similar", "", "leave out texts that resemble another so much or more: 0.95 or 95%")
	f.StringVar(&im.keep, "keep", "first", "which of similar texts stays: first, longest or newest")
	output.Offer(cmd, "if-exists", "replace", "skip", "error")
	output.Offer(cmd, "format", ingest.Formats...)
	output.Offer(cmd, "id", "path", "name", "sha256")
	output.Offer(cmd, "keep", "first", "longest", "newest")
	f.StringVar(&im.report, "report", "", "write to this file as NDJSON which text fell to which; with --dry-run what each file was taken for")
	f.BoolVar(&im.options.Resume, "resume", false, "go on where an interrupted import of the same paths ended")
	f.BoolVar(&im.dryRun, "dry-run", false, "say what would be imported and what rejected, and store nothing")
	f.BoolVar(&im.quiet, "quiet", false, "no progress and no closing line")
}

func (im *importer) setInto(name string) error {
	if name == "" {
		return errors.New("--into wants the name of a collection")
	}
	im.options.Into = name
	return nil
}

func (im *importer) run(ctx context.Context, cmd *cobra.Command, path string, from []string) (err error) {
	im.options.Tables = columnar.Reader{MemoryBytes: command.MemoryOf(cmd)}
	if err := im.check(); err != nil {
		return err
	}
	if path == "" {
		return command.ErrUnnamed
	}
	if first := slices.Index(from, "-"); first >= 0 && slices.Contains(from[first+1:], "-") {
		return exit.Usagef("standard input (-) is named twice; it can be read once")
	}
	if err := ingest.Check(ctx, from); err != nil { // before a database is made for nothing
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

// Import is .import of the shell. The arguments are flags and paths.
func Import(ctx context.Context, db *simdb.DB, args []string, stderr io.Writer) error {
	im := importer{stderr: stderr}
	im.options.Tables = columnar.Reader{}
	cmd := &cobra.Command{Use: ".import"} // for its flags only
	im.flags(cmd)
	flags := cmd.Flags()
	flags.Usage = func() {}
	switch err := flags.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		_, err := fmt.Fprintf(stderr, "usage: .import [flags] PATH…\n\n%s", flags.FlagUsages())
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

// into imports into an open database.
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

// keeps warns the user that a collection which exists keeps its settings, if
// --with names others.
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

func (im *importer) check() (err error) {
	switch im.ifExists {
	case "replace", "skip", "error":
		im.options.IfExists = api.IfExists(im.ifExists)
	default:
		return exit.Usagef("unknown --if-exists %q; use replace, skip or error", im.ifExists)
	}
	if !slices.Contains(ingest.Formats, im.options.Format) {
		return exit.Usagef("unknown --format %q; use %s", im.options.Format, orList(ingest.Formats))
	}
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

// checkSimilar reads what --unless-similar and the flags beside it say.
func (im *importer) checkSimilar() (err error) {
	im.options.Keep = api.Keep(im.keep)
	switch im.options.Keep {
	case api.KeepFirst, api.KeepLongest, api.KeepNewest:
	default:
		return exit.Usagef("unknown --keep %q; use first, longest or newest", im.keep)
	}
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

// load imports, reports what goes wrong on the way, and ends with one line.
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
	told := &reports{stderr: im.stderr, bar: bar}
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
		told.reject(r, im.rejects == "")
	}
	im.options.OnWarning = told.warning
	im.options.Progress = bar.Documents
	im.stored = map[string]int64{}
	begin := time.Now()
	stats, err := load.Import(ctx, db, from, im.options)
	bar.Clear()
	told.summary(im.rejects)
	for _, l := range []*lines{log, report} {
		command.CloseInto(l, &err)
	}
	if !im.quiet && (err == nil || stats != api.ImportStats{}) {
		fmt.Fprintln(im.stderr, im.closingLine(stats, time.Since(begin)))
	}
	return stats, err
}

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

func (im *importer) verdict(s api.ImportStats) error {
	failed := s.Rejected - s.NoText
	if failed == 0 {
		return nil
	}
	where, stored := "named above", "stored"
	if im.dryRun {
		stored = "fit to be stored"
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
