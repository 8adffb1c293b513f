// Package lab has the command lab: the experiments of the papers, on texts that the user names.
// The experiments are github.com/simdb/simdb/internal/lab.
package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/lab"
	"github.com/simdb/simdb/internal/lab/content"
	"github.com/simdb/simdb/internal/lab/edits"
	"github.com/simdb/simdb/internal/lab/evaluate"
	"github.com/simdb/simdb/internal/lab/measures"
	"github.com/simdb/simdb/internal/lab/plagiarism"
	"github.com/simdb/simdb/internal/lab/repetition"
	"github.com/simdb/simdb/internal/lab/si"
)

// experiment is a subcommand of lab: what it reads, and the function that runs
// it.
type experiment struct {
	use, short, long string
	needs            []string // below the first argument; "" is the argument itself
	run              func(ctx context.Context, from string, o lab.Options) (*lab.Report, error)
}

var experiments = []experiment{
	{
		use: "si [flags] DIR|FILE.jsonl.gz", short: "The 14 similarity indexes on a collection of texts", needs: []string{""},
		long: `Compute all combinations of the similarity indexes, one number for each text,
and score them. A folder with the documents of the paper is scored as the paper
scores them. Any other collection of up to 2,000 texts is scored by labels: texts
with equal ones should be alike. They are the field "label" of the lines of FILE;
the lines id,label of labels.csv in DIR; or the folders below DIR.`,
		run: si.Run,
	}, {
		use: "plagiarism [flags] FILE.jsonl.gz", short: "Shingles and the Patricia tree on composed texts", needs: []string{""},
		long: `Compose texts from paragraphs of others and compare each with its sources, by
shingles of many lengths and by the sistrings of the Patricia tree.`,
		run: plagiarism.Run,
	}, {
		use: "repetition [flags] CORPORA", short: "Prefix buckets with and without intervals of repetition",
		needs: []string{"nsf.jsonl.gz", "linuxdoc.jsonl.gz"},
		long: `Find the near-duplicates of nsf.jsonl.gz and linuxdoc.jsonl.gz, both in CORPORA,
through prefix buckets and through buckets split by intervals of repetition;
tell what both cost and lose. It takes up to twenty minutes on two cores.`,
		run: repetition.Run,
	}, {
		use: "measures [flags] CORPORA", short: "The versions and relations that each measure finds",
		needs: []string{"linuxdoc.jsonl.gz", "linuxdoc-pairs.csv.gz", "roth", "spdx"},
		long: `Compare every pair of several collections by every measure, and tell how many of
the versions and relations that are known each finds, and what it costs. CORPORA
holds linuxdoc.jsonl.gz, linuxdoc-pairs.csv.gz, roth/ and spdx/. It takes some
minutes and 2 GB of memory.`,
		run: measures.Run,
	}, {
		use: "edits [flags] FILE.jsonl.gz", short: "What each measure sees of the same change", needs: []string{""},
		long: `Change the first 200 long texts of FILE in five ways, more and more, and compare
each with what it was by every measure. It is no experiment of a paper: it shows
which measure sees which change. It takes a minute.`,
		run: edits.Run,
	}, {
		use: "halves [flags] CORPORA", short: "What lab evaluate recommends, given half of what is known",
		needs: []string{"linuxdoc.jsonl.gz", "nsf.jsonl.gz", "roth", "spdx"},
		long: `Make labelled sets of the texts in CORPORA, evaluate halves of each, and tell how
far the recommended settings are from the best on the other halves. It is no
experiment of a paper. CORPORA holds linuxdoc.jsonl.gz, nsf.jsonl.gz, roth/ and
spdx/. It takes some minutes.`,
		run: evaluate.Halves,
	},
}

func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab EXPERIMENT",
		Short: "Repeat the experiments of the papers",
		Long: `Repeat the experiments of the papers simdb is made after. The report goes to
standard output, and as RESULTS.md with CSV files to the folder --out.`,
		Args: knownExperiment,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprint(cmd.ErrOrStderr(), cmd.UsageString())
			return exit.Usagef("say which experiment; see simdb lab --help")
		},
	}
	for _, e := range experiments {
		cmd.AddCommand(e.command())
	}
	cmd.AddCommand(newContent(), newEvaluate(), newPlagiarise())
	for _, c := range cmd.Commands() {
		c.DisableFlagsInUseLine = true
	}
	return cmd
}

// knownExperiment rejects an experiment that does not exist.
func knownExperiment(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return exit.Usagef("there is no experiment %q; see simdb lab --help", args[0])
	}
	return nil
}

func (e experiment) command() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: e.use, Short: e.short, Long: e.long,
		Args: command.Args(1, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			for _, need := range e.needs {
				if err := findInput(args[0], need); err != nil {
					return err
				}
			}
			return runIn(ctx, cmd, outFolder(cmd, out), func(ctx context.Context, o lab.Options) (*lab.Report, error) {
				return e.run(ctx, args[0], o)
			})
		}),
	}
	outFlag(cmd, &out)
	return cmd
}

func newContent() *cobra.Command {
	var l content.Loader
	var out string
	cmd := &cobra.Command{
		Use:   "content [flags] DIR OUT",
		Short: "Copies and changed variants of files, and which of them are found",
		Long: `Write to the folder OUT, for each file NAME.EXT under DIR, the file itself, a
copy NAME_dup.EXT, and NAME_d_N.EXT and NAME_i_N.EXT with N % of it deleted or
inserted. Then store OUT, and list which files are similar by their 64-bit
SimHash and which variants find the file they were made of.`,
		Args: command.Args(2, 2),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if err := findInput(args[0], ""); err != nil {
				return err
			}
			if args[1] == "" {
				return exit.Usagef("OUT is empty; name a folder to write to")
			}
			for _, n := range l.Percents {
				if n < 1 || n > 100 {
					return exit.Usagef("--percent %d is not from 1 to 100", n)
				}
			}
			l.OnLeftOut = func(name, why string) {
				fmt.Fprintf(cmd.ErrOrStderr(), "left out %q: %s\n", name, why)
			}
			return runIn(ctx, cmd, outFolder(cmd, out), func(ctx context.Context, o lab.Options) (*lab.Report, error) {
				err := l.Load(ctx, args[0], args[1], o)
				if errors.Is(err, content.ErrNotEmpty) {
					return nil, exit.Failf(exit.Rejected, "%s holds files; name another folder, or add --force to write over those of the same names", args[1])
				}
				if err != nil {
					return nil, err
				}
				return content.Results(ctx, args[1], o)
			})
		}),
	}
	f := cmd.Flags()
	f.IntSliceVar(&l.Percents, "percent", nil, "how many per cent to delete and insert (default 1,5,10,25)")
	f.BoolVar(&l.Pack, "pack", false, "also take each text compressed, as NAME.gz")
	f.BoolVar(&l.Force, "force", false, "write into a folder that is not empty")
	outFlag(cmd, &out)
	return cmd
}

func outFlag(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVar(out, "out", "", "folder for the results (default lab-"+cmd.Name()+")")
}

func outFolder(cmd *cobra.Command, out string) string {
	return cmp.Or(out, "lab-"+cmd.Name())
}

// findInput fails unless the input of an experiment exists. An empty need is
// the argument itself.
func findInput(from, need string) error {
	if from == "" {
		return exit.Usagef("the name of what to read is empty")
	}
	name := filepath.Join(from, need)
	if _, err := os.Stat(name); err != nil {
		return exit.Failf(exit.Unavailable, "cannot read %s (%v); name the path that holds the texts of the experiment", name, errors.Unwrap(err))
	}
	return nil
}

// runIn runs an experiment, shows its progress, and prints its report. It
// makes the folder of the report first. An experiment takes minutes, and a
// folder that cannot be written is better reported before them.
func runIn(ctx context.Context, cmd *cobra.Command, out string, run func(context.Context, lab.Options) (*lab.Report, error)) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	bar := output.NewProgress(cmd.ErrOrStderr(), false)
	report, err := run(ctx, lab.Options{Out: out, Progress: bar.Text})
	bar.Clear()
	if err == nil {
		err = report.Write(out)
	}
	if err == nil {
		_, err = io.WriteString(cmd.OutOrStdout(), report.Markdown())
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "results are in %s\n", out)
	return nil
}
