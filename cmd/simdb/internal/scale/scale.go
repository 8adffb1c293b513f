// Package scale implements the scale command, which finds all similar pairs in a corpus too large
// for one machine, in stages over files, and import --scale.
//
// Each stage of github.com/simdb/simdb/internal/scale is a subcommand; run executes all stages on
// this machine. Tasks are idempotent: repeating or killing them changes no result. Begin reading
// at New.
package scale

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/scale"
	"github.com/simdb/simdb/query"
)

// abouts describes the stages.
var abouts = map[scale.Stage]string{
	scale.Analyse:  "Read the documents of each part of the input as sets",
	scale.Order:    "Order all tokens by frequency, rarest first, and divide the set sizes into ranges",
	scale.Deal:     "Assign the sets of each part to size ranges, with their rarest tokens",
	scale.Join:     "Find candidate pairs between every two size ranges, and verify them",
	scale.Clusters: "Compute the connected components of the similar pairs",
}

// New returns the scale command with its subcommands.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scale COMMAND",
		Short: "Find all similar pairs in a corpus too large for one machine",
		Long: `Find all similar pairs of texts, exactly, without a database, in stages that read and
write files in a directory WORKDIR. simdb scale run executes all stages on this machine.
For several machines, simdb scale plan writes the manifest, and a scheduler runs the
tasks of each stage wherever WORKDIR is mounted. Tasks may be killed, repeated or run
twice without an effect on the result.`,
		Example: `  simdb scale run work.scale part-*.jsonl.gz
  simdb scale collect --format csv work.scale >pairs.csv

  simdb scale plan work.scale part-*.jsonl.gz
  for stage in analyse order deal join; do
    seq 8 | xargs -P 8 -I N simdb scale $stage --task N/8 work.scale || break
  done`,
		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprint(cmd.ErrOrStderr(), cmd.UsageString())
			return exit.Usagef("a command is missing; see simdb scale --help")
		},
	}
	cmd.AddCommand(newRun(), newPlan(), newCollect())
	for _, s := range scale.Stages {
		cmd.AddCommand(newStage(s))
	}
	for _, c := range cmd.Commands() {
		c.DisableFlagsInUseLine = true
	}
	return cmd
}

// planned holds the flags of plan and run.
type planned struct {
	scale.Settings
	fields scale.Fields
}

// settings adds the flags of plan and run, and returns their values.
func settings(cmd *cobra.Command) *planned {
	s := &planned{Settings: scale.Settings{Program: simdb.Version}}
	cmd.Flags().StringVar(&s.fields.ID, "id-field", "", "`FIELD` that contains the id of a record, id by default")
	cmd.Flags().StringVar(&s.fields.Text, "text-field", "", "`FIELDS` that contain the text of a record, text by default")
	cmd.Flags().StringVar(&s.MinSim, "sim", "0.5", "least similarity `SIM` of a pair: 0.8, 80% or 4/5")
	output.WordFlag(cmd, &s.Unit, "unit", []string{"word", "char"}, "unit of shingles: word or char")
	cmd.Flags().IntVar(&s.K, "k", 0, "length `N` of shingles (default 3 words or 5 characters)")
	output.WordFlag(cmd, &s.Measure, "using", []string{"jaccard", "containment"}, "`MEASURE` of similarity: jaccard or containment")
	command.SizeFlag(cmd, &s.Memory, "memory", command.LeastMemory, command.AnySize, "approximate memory of a task; more memory makes fewer join tasks: 512MB, 4GiB (default 1GiB)")
	return s
}

// newPlan returns the plan subcommand.
func newPlan() *cobra.Command {
	var s *planned
	cmd := &cobra.Command{
		Use:   "plan [flags] WORKDIR PATH…",
		Short: "Write the manifest: the parts of the input, and the settings",
		Long: `Write the manifest of a work directory, which is created if it is missing. A PATH is a
file of records (JSONL or CSV, compressed or not, Parquet or Arrow), a directory of such
files, or a database. Uncompressed JSONL, and Parquet by its row groups, are divided into
parts of 64 MB or more. All machines must see the inputs at the same absolute paths.`,
		Args: command.Args(2, -1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			return makePlan(ctx, *s, args[0], args[1:])
		}),
	}
	s = settings(cmd)
	return cmd
}

// makePlan writes the manifest of a new work directory.
func makePlan(ctx context.Context, s planned, dir string, paths []string) error {
	inputs, size, err := inputsOf(ctx, paths, s.fields)
	if err != nil {
		return err
	}
	plan, err := scale.NewPlan(s.Settings, inputs, size)
	if err != nil {
		return exit.Usagef("%v", err)
	}
	return scale.Make(dir, plan)
}

// newRun returns the run subcommand.
func newRun() *cobra.Command {
	var s *planned
	var workers int
	var quiet bool
	cmd := &cobra.Command{
		Use:   "run [flags] WORKDIR [PATH…]",
		Short: "Run all stages on this machine",
		Long: `Run all stages on this machine. Finished tasks are kept, so a killed run continues when
it is started again, with or without the PATHs. A damaged file of WORKDIR is reported
and recreated.`,
		Args: command.Args(1, -1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				if err := makePlan(ctx, *s, args[0], args[1:]); err != nil {
					return err
				}
			}
			return runAll(ctx, cmd, args[0], workers, quiet)
		}),
	}
	s = settings(cmd)
	cmd.Flags().IntVar(&workers, "workers", runtime.GOMAXPROCS(0), "`N` concurrent tasks, each with up to --memory")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "show no progress and no summary")
	return cmd
}

// runAll runs all stages with a number of concurrent tasks, and recreates damaged files.
func runAll(ctx context.Context, cmd *cobra.Command, dir string, workers int, quiet bool) error {
	j, err := scale.Open(dir, simdb.Version, source(command.MemoryOf(cmd)))
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	bar, begin := output.NewProgress(stderr, quiet), time.Now()
	err = j.All(ctx, scale.Clusters, workers,
		func(s scale.Stage, done, tasks int) {
			bar.Draw(int64(done), int64(tasks), fmt.Sprintf("%s %d of %d", s, done, tasks), time.Since(begin))
		},
		func(b *scale.Broken) {
			bar.Clear()
			command.Complain(stderr, output.ColorOf(cmd), b.Error()+"; it is made again")
		})
	bar.Clear()
	if err != nil {
		return exit.Interrupted(err, "run the command again to go on")
	}
	if !quiet {
		if err := printCounts(cmd, j); err != nil {
			return err
		}
	}
	return rejected(cmd, j)
}

// printCounts prints the counts of documents, sets, candidates, pairs and clusters.
func printCounts(cmd *cobra.Command, j *scale.Job) error {
	var counts []string
	for _, c := range []struct {
		of   scale.Stage
		name string
		noun string
	}{{scale.Analyse, "documents", "document"}, {scale.Analyse, "sets", "set"}, {scale.Join, "candidates", "candidate"}, {scale.Join, "pairs", "pair"}, {scale.Clusters, "clusters", "cluster"}} {
		n, err := j.Count(c.of, c.name)
		if err != nil {
			return err
		}
		counts = append(counts, output.Count(n, c.noun))
	}
	fmt.Fprintln(cmd.ErrOrStderr(), strings.Join(counts, ", "))
	return nil
}

// rejected returns the error of a command with rejects, like an import.
func rejected(cmd *cobra.Command, j *scale.Job) error {
	r, err := j.Rejects()
	if err != nil || r.Count == 0 {
		return err
	}
	return exit.Failf(exit.Incomplete, "%s of the input rejected, everything else is in the answer; the first: %s", output.Count(r.Count, "record"), r.First)
}

// newStage returns the subcommand of a stage.
func newStage(s scale.Stage) *cobra.Command {
	share := "1/1"
	cmd := &cobra.Command{
		Use:   string(s) + " [flags] WORKDIR",
		Short: abouts[s],
		Long: abouts[s] + `. All tasks of the earlier stages must be finished. --task I/N runs the
I-th of N shares of the tasks, which may be empty. Finished tasks are kept. If a file of
an earlier stage is damaged, the command reports it and ends with 5: run that stage
again, then this one.`,
		Args: command.Args(1, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			i, n, err := command.ParseShare(share)
			if err != nil {
				return err
			}
			j, err := scale.Open(args[0], simdb.Version, source(command.MemoryOf(cmd)))
			if err != nil {
				return err
			}
			return exit.Interrupted(broken(j.Share(ctx, s, i-1, n)), "run the command again to go on")
		}),
	}
	cmd.Flags().StringVar(&share, "task", share, "share `I/N` of the tasks, from 1/N to N/N")
	return cmd
}

// broken adds the remedy to an error about a damaged file.
func broken(err error) error {
	b, ok := errors.AsType[*scale.Broken](err)
	if !ok {
		return err
	}
	return exit.Failf(exit.Corrupt, "%v; it will not be used: run simdb scale %s again, then this", b, b.Stage)
}

// newCollect returns the collect subcommand.
func newCollect() *cobra.Command {
	format := "ndjson"
	var groups bool
	cmd := &cobra.Command{
		Use:   "collect [flags] WORKDIR",
		Short: "Print the pairs or the groups, like SIMILAR PAIRS and CLUSTERS",
		Args:  command.Args(1, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			j, err := scale.Open(args[0], simdb.Version, nil)
			if err != nil {
				return err
			}
			return broken(collect(ctx, cmd, j, format, groups))
		}),
	}
	output.FormatFlag(cmd, &format, output.Formats, "")
	cmd.Flags().BoolVar(&groups, "clusters", false, "print the groups instead of the pairs")
	return cmd
}

// collect prints the pairs or the groups.
func collect(ctx context.Context, cmd *cobra.Command, j *scale.Job, format string, groups bool) error {
	out := bufio.NewWriterSize(cmd.OutOrStdout(), 64<<10)
	columns := []string{"a", "b", "sim", "shared", "union"}
	if groups {
		columns = []string{"cluster", "id", "size"}
	}
	p := output.NewPrinter(format, out, query.Columns(columns...), output.StyleOf(cmd.OutOrStdout(), output.ColorOf(cmd)))
	var err error
	if groups {
		err = j.Members(ctx, func(m scale.Member) error { return p.Row([]any{m.Cluster, m.ID, int64(m.Size)}) })
	} else {
		err = j.Pairs(ctx, func(m scale.Pair) error {
			return p.Row([]any{m.A, m.B, m.Sim, int64(m.Shared), int64(m.Union)})
		})
	}
	if err == nil {
		err = p.End()
	}
	return errors.Join(err, out.Flush())
}
