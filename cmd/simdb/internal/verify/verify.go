// Package verify checks the answers of other tools, pairs or groups of similar documents, against the
// exact scores of their texts, and estimates what the tools missed.
//
// Begin reading at New, then at verifier.run.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/columnar"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/query"
)

// The columns of the output.
var (
	pairColumns  = query.Columns("a", "b", "similar", "sim", "shared", "union", "a_in_b", "b_in_a")
	groupColumns = query.Columns("group", "id", "keeper", "similar", "sim", "shared", "union", "in_keeper", "keeper_in")
)

// verifying holds the flags of verify.
type verifying struct {
	load.Source
	pairs, groups            string
	in, using, sim, ignoring string
	out, format, task        string
	audit                    string
	sample                   int
	against                  string
	passage                  int
}

// New returns the verify command.
func New() *cobra.Command {
	var v verifying
	cmd := &cobra.Command{
		Use:   "verify [flags] FILE DB|FILE…",
		Short: "Check the pairs or groups of another tool, exactly",
		Long: `Compute the exact similarity of each pair that another tool found: its columns are
similar (sim reaches --sim), sim, shared, union, and the share of each text that the
other contains. The first FILE has the pairs, as the fields a and b of Parquet, JSON
lines or CSV; the output has its format and its order. The texts are those of a database
or of files, by the same ids.

A FILE of groups has the fields id and cluster. The first document of a group is its
keeper; each other one is compared with it. similar = false marks documents that a chain
of similar pairs ties to the group.

--out FOLDER writes a file for each million rows, and continues where an earlier run
ended. --task 3/8 writes the third of eight shares of these files.

--audit estimates what the tool missed: it searches for all documents similar to each
document of a random sample, and writes a page with recall, precision and the worst
cases.

--against lists the texts that contain passages of a small set of texts, such as a
benchmark, in whatever line breaks, case, punctuation or markup: each with the source
and the share of it that is there.`,
		Example: `  simdb verify pairs.parquet corpus.parquet > verified.parquet
  simdb verify --sim 0.7 clusters.jsonl my.simdb > verified.jsonl
  simdb verify --audit audit.html pairs.csv my.simdb > verified.csv
  simdb verify --task 3/8 --out verified pairs.parquet my.simdb
  simdb verify --against benchmark.jsonl corpus/*.jsonl.gz > contaminated.jsonl`,
		Args: command.Args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f := cmd.Flags(); !f.Changed("format") && !f.Changed("json") {
				v.format = "" // that of the input
			}
			if cmd.Flags().Changed("against") {
				return command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
					return v.decontaminate(ctx, cmd, args)
				})(cmd, args)
			}
			if err := command.Args(2, -1)(cmd, args); err != nil {
				return err
			}
			return v.verify(cmd, args[0], args[1:])
		},
	}
	f := cmd.Flags()
	f.StringVar(&v.pairs, "pairs", "", "`FIELDS` with the two ids of a pair: a,b")
	f.StringVar(&v.groups, "groups", "", "`FIELDS` with an id and its group: id,cluster")
	f.StringVar(&v.in, "in", api.DefaultCollection, "`COLLECTION` of the texts")
	f.StringVar(&v.sim, "sim", "0.8", "least similarity `SIM` of a pair: 0.8, 80% or 4/5")
	f.StringVar(&v.using, "using", "jaccard", "`MEASURE` of similarity, one of shingles")
	f.StringVar(&v.ignoring, "ignoring", "", "leave out all that stands in this `COLLECTION` (of files: in this file or folder), or in more than N texts")
	f.StringVarP(&v.out, "out", "o", "", "write to this `FILE`, or in parts to this folder, instead of standard output")
	f.StringVar(&v.task, "task", "", "share `I/N` of the tasks, from 1/N to N/N")
	f.StringVar(&v.audit, "audit", "", "write a page about recall and precision to this `FILE`")
	f.IntVar(&v.sample, "sample", 1000, "search for `N` documents for --audit")
	f.StringVar(&v.against, "against", "", "texts to search for, a `FILE` or folder: list what contains passages of them")
	f.IntVar(&v.passage, "passage", 8, "shortest passage of --against, as `N` words")
	output.FormatFlag(cmd, &v.format, output.Formats, "; by default that of the input")
	v.Flags(cmd)
	return cmd
}

// verifier verifies the answers of one input.
type verifier struct {
	answers
	min      api.Threshold
	ignoring api.Ignoring
	options  []simdb.SearchOption
	texts    []string // paths
	writer   writer
	audit    *audit // nil for none
	scratch  string
	memory   int64
	bar      *output.Progress

	counts
}

// verify checks the flags and opens the texts.
func (v *verifying) verify(cmd *cobra.Command, file string, texts []string) (err error) {
	run := verifier{answers: answers{path: file, stdin: cmd.InOrStdin(), tables: columnar.Reader{MemoryBytes: command.MemoryOf(cmd) / 4}}, memory: command.MemoryOf(cmd) / 8}
	run.texts = texts
	if err := v.question(&run); err != nil {
		return err
	}
	named, err := v.named()
	if err != nil {
		return err
	}
	if run.writer.share, run.writer.each, err = v.shares(cmd, texts); err != nil {
		return err
	}
	if err := v.places(append([]string{file, v.ignoring}, texts...)); err != nil {
		return err
	}
	if err := run.detect(cmd.Context(), named); err != nil {
		return err
	}
	run.writer.columns = pairColumns
	if run.fields.groups {
		run.writer.columns = groupColumns
	}
	run.writer.format = cmp.Or(v.format, run.answers.format, "ndjson")
	if output.Binary(run.writer.format) && v.out == "" && output.IsTerminal(cmd.OutOrStdout()) {
		return exit.Usagef("%s is no format for a terminal; --out FILE writes it", run.writer.format)
	}
	stores, remove, err := v.Stores(cmd, texts)
	if err != nil {
		return err
	}
	defer func() { remove(&err) }()
	if len(stores) > 1 {
		return command.Args(2, 2)(cmd, append(stores, file))
	}
	if v.Temporary && run.ignoring.In != "" {
		if run.ignoring.In, err = v.Beside(cmd, stores[0], run.ignoring.In); err != nil {
			return err
		}
	}
	if run.ignoring != (api.Ignoring{}) {
		run.options = append(run.options, simdb.Ignoring(run.ignoring))
	}
	if run.scratch, err = command.TempDir(); err != nil {
		return err
	}
	defer os.RemoveAll(run.scratch)
	return command.OnDBToRead(cmd, stores[0], true, func(ctx context.Context, db *simdb.DB) error {
		return v.into(ctx, cmd, &run, db)
	})
}

// question parses the flags of the measure.
func (v *verifying) question(run *verifier) (err error) {
	m, ok := api.ParseMeasure(v.using)
	if !ok || !m.OfBags() {
		return exit.Usagef("--using %s is no measure of shingles; jaccard, containment, overlap, multiset and weighted are", v.using)
	}
	if run.min, err = api.ParseThreshold(v.sim); err != nil {
		return exit.Usagef("--sim: %v", err)
	}
	run.options = []simdb.SearchOption{simdb.In(v.in), simdb.Using(m)}
	run.ignoring = command.ParseIgnoring(v.ignoring)
	return nil
}

// named parses --pairs and --groups.
func (v *verifying) named() (f fields, err error) {
	switch {
	case v.pairs != "" && v.groups != "":
		return f, exit.Usagef("--pairs and --groups exclude each other")
	case v.pairs != "":
		f, err = parseFields(v.pairs, false)
	case v.groups != "":
		f, err = parseFields(v.groups, true)
	}
	if err != nil {
		return f, exit.Usagef("%s%s: %v", v.pairs, v.groups, err)
	}
	return f, nil
}

// shares parses --task, which needs a folder and a database.
func (v *verifying) shares(cmd *cobra.Command, texts []string) (share, each int, err error) {
	if v.task == "" {
		return 0, 1, nil
	}
	share, each, err = command.ParseShare(v.task)
	if err != nil {
		return 0, 0, err
	}
	files, err := v.AreFiles(cmd, texts)
	switch {
	case err != nil:
		return 0, 0, err
	case files:
		return 0, 0, exit.Usagef("--task is for the texts of a database, which all tasks read; make one by simdb import my.simdb %s", strings.Join(texts, " "))
	case v.out == "" || v.audit != "":
		return 0, 0, exit.Usagef("--task needs --out FOLDER, and does not go with --audit")
	}
	return share - 1, each, nil
}

// places returns an error if the output cannot be written where the flags say, or would replace input.
func (v *verifying) places(input []string) error {
	if v.audit != "" {
		if err := command.Writable("--audit", v.audit, input); err != nil {
			return err
		}
	}
	switch {
	case v.out == "":
		return nil
	case filepath.Clean(v.out) == filepath.Clean(v.audit):
		return exit.Usagef("--out and --audit name the same file")
	case !v.folder():
		return command.Writable("--out", v.out, input)
	case input[0] == "-":
		return exit.Usagef("standard input is read once, and a later run continues --out FOLDER; name a file of answers, or --out FILE")
	}
	return command.OutsideDatabases("the folder of --out", v.out)
}

// into verifies into the output of the flags.
func (v *verifying) into(ctx context.Context, cmd *cobra.Command, run *verifier, db *simdb.DB) error {
	snap, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	run.bar = output.NewProgress(cmd.ErrOrStderr(), false)
	defer run.bar.Clear()
	if v.audit != "" {
		if run.audit, err = newAudit(ctx, snap, run, v); err != nil {
			return err
		}
	}
	work := func(w io.Writer) error {
		run.writer.out = w
		return run.run(ctx, snap)
	}
	switch {
	case v.out == "":
		run.writer.style = output.StyleOf(cmd.OutOrStdout(), output.ColorOf(cmd))
		err = work(cmd.OutOrStdout())
	case v.folder():
		run.writer.dir = v.out
		var about any
		if about, err = v.manifest(ctx, run, snap); err == nil {
			err = run.writer.claimDir(about)
		}
		if err == nil {
			err = work(nil)
		}
	default:
		err = command.WriteFile(v.out, work)
	}
	if err == nil && run.audit != nil {
		err = run.audit.write(ctx, snap, run, v.audit)
	}
	run.bar.Clear()
	if err != nil {
		left := "nothing is kept"
		if run.writer.dir != "" {
			left = "run the same command again to go on"
		}
		return exit.Interrupted(err, left)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), run.summary())
	return run.incomplete()
}

// folder reports whether --out names a folder: an existing one, one that ends in a slash, or any with
// --task.
func (v *verifying) folder() bool {
	info, err := os.Stat(v.out)
	return v.task != "" || strings.HasSuffix(v.out, "/") || err == nil && info.IsDir()
}

// manifest describes the question, and the state of the answers and of the texts.
func (v *verifying) manifest(ctx context.Context, run *verifier, snap *simdb.Snapshot) (any, error) {
	answers, err := stateOf([]string{run.path})
	if err != nil {
		return nil, err
	}
	texts, err := snap.Mark(ctx)
	if v.Temporary {
		texts, err = stateOf(run.texts)
	}
	return struct {
		Program, Answers, Texts, Fields, In, Using, Sim, Ignoring, Format, IDField, TextField, With string
	}{simdb.Version, answers, texts, run.fields.String(), v.in, v.using, run.min.String(), v.ignoring, run.writer.format, v.IDField, v.TextField, v.With}, err
}

// stateOf hashes the paths, sizes and times of files and of the files of folders.
func stateOf(paths []string) (string, error) {
	h := xxhash.New()
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err == nil {
			err = filepath.WalkDir(path, func(path string, _ fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				if info, err := os.Stat(path); err == nil && !info.IsDir() { // not a broken link, which is no input
					fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano())
				}
				return nil
			})
		}
		if err != nil {
			return "", err
		}
	}
	return strconv.FormatUint(h.Sum64(), 16), nil
}
