package lab

// The command lab plagiarise: texts composed from others, kept with the truth
// about them.

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/lab"
	"github.com/simdb/simdb/internal/lab/plagiarism"
)

func newPlagiarise() *cobra.Command {
	var g plagiarism.Generator
	var out string
	cmd := &cobra.Command{
		Use:   "plagiarise [flags] FILE.jsonl.gz",
		Short: "Texts composed from paragraphs of others, with their sources",
		Long: `Compose texts from paragraphs of the texts in FILE and write them to the folder
--out: plagiarised.jsonl for import, texts/ with a file for each, truth.csv with
their sources for lab evaluate, and shares.csv with the share of each source.
The same --seed gives the same texts. A text of FILE is a source if it has four
paragraphs or more, as blank lines separate them.`,
		Args: command.Args(1, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			for _, n := range []struct {
				name             string
				value, low, upTo int
			}{{"texts", g.Texts, 1, 1_000_000}, {"sources", g.Sources, 1, 100}, {"terms", g.Terms, 1, 1_000_000}, {"replace", g.Replace, 0, 100}} {
				if n.value < n.low || n.value > n.upTo {
					return exit.Usagef("--%s %d is not from %d to %d", n.name, n.value, n.low, n.upTo)
				}
			}
			if err := findInput(args[0], ""); err != nil {
				return err
			}
			return runIn(ctx, cmd, outFolder(cmd, out), func(ctx context.Context, o lab.Options) (*lab.Report, error) {
				r, err := g.Keep(ctx, args[0], o)
				if errors.Is(err, plagiarism.ErrKept) {
					err = exit.Failf(exit.Rejected, "%s holds plagiarised texts; name another folder, or add --force to write over them", o.Out)
				}
				return r, err
			})
		}),
	}
	f := cmd.Flags()
	f.IntVar(&g.Texts, "texts", 100, "how many texts to compose")
	f.IntVar(&g.Sources, "sources", 3, "sources of each text")
	f.IntVar(&g.Terms, "terms", 300, "terms of each text, about: paragraphs stay whole")
	f.IntVar(&g.Replace, "replace", 0, "per cent of the words that other words of the text replace")
	f.Uint64Var(&g.Seed, "seed", 1, "draw by this seed")
	f.BoolVar(&g.Force, "force", false, "write over plagiarised texts that are there")
	outFlag(cmd, &out)
	return cmd
}
