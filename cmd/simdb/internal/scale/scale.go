// Package scale has the command scale: all pairs of more documents than one machine holds, in
// stages over files. Its subcommands are the stages, which are those of
// github.com/simdb/simdb/internal/scale, and run, which does them all here. import --scale
// makes databases of what the stages read.
package scale

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
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

// abouts say what each stage does.
var abouts = map[scale.Stage]string{
	scale.Analyse:  "Read the documents of each part of the input as sets",
	scale.Order:    "Put all tokens in one order, the rarest first, and all sets in stretches of sizes",
	scale.Deal:     "Deal the sets of each part to stretches of sizes, with the first of their tokens",
	scale.Join:     "Find the pairs of every two stretches, and compare them member by member",
	scale.Clusters: "Join what similar pairs tie together",
}

func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scale COMMAND",
		Short: "Find all similar pairs by stages over files, on one machine or many",
		Long: `Find all similar pairs of texts, exactly, without a database: by stages that read
and write files of a directory WORKDIR. simdb scale run does all of it here. On many
machines simdb scale plan writes the manifest, and a scheduler runs the tasks of each
stage wherever WORKDIR is mounted. Repeating, killing and running twice change nothing.`,
		Example: `  simdb scale run work.scale part-*.jsonl.gz
  simdb scale collect --format csv work.scale >pairs.csv

  simdb scale plan work.scale part-*.jsonl.gz
  for stage in analyse order deal join; do
    seq 8 | xargs -P 8 -I N simdb scale $stage --task N/8 work.scale || break
  done`,
		RunE: func(cmd *cobra.Command, args []string) error {
			fmt.Fprint(cmd.ErrOrStderr(), cmd.UsageString())
			if len(args) > 0 {
				return exit.Usagef("simdb scale has no command %q", args[0])
			}
			return exit.Usagef("say which; see simdb scale --help")
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

// settings are the flags of plan and run.
func settings(cmd *cobra.Command) *scale.Settings {
	s := &scale.Settings{Program: simdb.Version}
	cmd.Flags().StringVar(&s.MinSim, "min-sim", "0.5", "the least similarity of a pair: 0.8, 80% or 4/5")
	cmd.Flags().StringVar(&s.Unit, "unit", "word", "what a text is read as: word or char")
	cmd.Flags().IntVar(&s.K, "k", 0, "shingle length (default 3 words or 5 characters)")
	cmd.Flags().StringVar(&s.Measure, "using", "jaccard", "the measure: jaccard or containment")
	cmd.Flags().Var((*command.MemorySize)(&s.Memory), "memory", "memory of a task, roughly; more makes fewer tasks of join: 512MB, 4GiB (default 1GiB)")
	output.Offer(cmd, "unit", "word", "char")
	output.Offer(cmd, "using", "jaccard", "containment")
	return s
}

func newPlan() *cobra.Command {
	var s *scale.Settings
	cmd := &cobra.Command{
		Use:   "plan [flags] WORKDIR INPUT…",
		Short: "Write the manifest: what is read, in which parts, and how",
		Long: `Write the manifest of a work directory, which is made if it is not there. An INPUT
is a file of records (JSONL or CSV, compressed or not), a directory of such files, or
a database. Lines of JSON that are not compressed are read in parts of 64 MB or more.
All machines must see the inputs under the same absolute paths.`,
		Args: command.Args(2, -1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			return makePlan(ctx, *s, args[0], args[1:])
		}),
	}
	s = settings(cmd)
	return cmd
}

func makePlan(ctx context.Context, s scale.Settings, dir string, paths []string) error {
	inputs, size, err := inputsOf(ctx, paths)
	if err != nil {
		return err
	}
	plan, err := scale.NewPlan(s, inputs, size)
	if err != nil {
		return exit.Usagef("%v", err)
	}
	return scale.Make(dir, plan)
}

func newRun() *cobra.Command {
	var s *scale.Settings
	var workers int
	var quiet bool
	cmd := &cobra.Command{
		Use:   "run [flags] WORKDIR [INPUT…]",
		Short: "Do all stages on this machine",
		Long: `Do all stages on this machine. What is done already is left as it is, so a run that
was killed goes on when it is started again, with or without the INPUTs. A file of
WORKDIR that is damaged is named and made again.`,
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
	cmd.Flags().IntVar(&workers, "workers", runtime.GOMAXPROCS(0), "tasks at the same time; each takes up to --memory")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "show no progress and no counts")
	return cmd
}

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
		if err := tellCounts(cmd, j); err != nil {
			return err
		}
	}
	return rejected(cmd, j)
}

// tellCounts says what came out.
func tellCounts(cmd *cobra.Command, j *scale.Job) error {
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

// rejected ends a command as an import with rejects ends.
func rejected(cmd *cobra.Command, j *scale.Job) error {
	r, err := j.Rejects()
	if err != nil || r.Count == 0 {
		return err
	}
	return exit.Failf(exit.Incomplete, "%s of the input rejected, everything else is in the answer; the first: %s", output.Count(r.Count, "record"), r.First)
}

func newStage(s scale.Stage) *cobra.Command {
	share := "1/1"
	cmd := &cobra.Command{
		Use:   string(s) + " [flags] WORKDIR",
		Short: abouts[s],
		Long: abouts[s] + `. All tasks of the stages before must be done. --task i/n does a
share of the tasks, the i-th of n; a share may be empty. Tasks that are done are left
as they are. If a file of a stage before is damaged, the command names it and ends
with 5: run that stage again, then this one.`,
		Args: command.Args(1, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			i, n, err := parseShare(share)
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
	cmd.Flags().StringVar(&share, "task", share, "which share of the tasks: i/n, from 1/n to n/n")
	return cmd
}

func parseShare(s string) (i, n int, err error) {
	first, second, ok := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > n {
		return 0, 0, exit.Usagef("--task %q: want i/n with 1 ≤ i ≤ n, as 3/8", s)
	}
	return i, n, nil
}

// broken says what to do about a damaged file.
func broken(err error) error {
	b, ok := errors.AsType[*scale.Broken](err)
	if !ok {
		return err
	}
	return exit.Failf(exit.Corrupt, "%v; it will not be used: run simdb scale %s again, then this", b, b.Stage)
}

func newCollect() *cobra.Command {
	format := "ndjson"
	var groups bool
	cmd := &cobra.Command{
		Use:   "collect [flags] WORKDIR",
		Short: "Write the pairs, or the groups, as SIMILAR PAIRS and CLUSTERS give them",
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
	cmd.Flags().BoolVar(&groups, "clusters", false, "write the groups instead of the pairs")
	return cmd
}

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
