// Package licence has the command that says which licence a file has.
//
// In come paths and reference texts, out comes a row a file. The reference texts are
// documents of a store in memory, and every answer is one of its searches.
package licence

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
)

// shownRejects is how many files that cannot be read are named one by one.
const shownRejects = 10

// licensing is the licence command: its flags.
type licensing struct {
	format    string
	lists     []string
	onlyLists bool
	read      ingest.Options
}

func New() *cobra.Command {
	var c licensing
	cmd := &cobra.Command{
		Use:   "licence [flags] PATH…",
		Short: "Say which licence files have, how sure that is, and in which lines",
		Long: `Say which licence each file has: by its full text, alone or within a longer file, by the
notice that names it, as at the head of source files, or by a line with
SPDX-License-Identifier. A row has the path, the SPDX id, how similar the lines are
to a known text of the licence, and the first and the last of these lines. A file
without a licence that is known has no id: no name is better than a wrong one. Of
several licences in a file the longest text is named.

A GNU licence is -or-later if its notice says so, else -only.

A PATH is a file, a directory, a glob in quotes, or - for standard input, as for
import, but every file is one text. Binary files and texts of more than 16 MiB are
passed over with a notice; the exit code is then 3.

The texts that are known are those of two public modules, some 420 licences. --list
adds texts of your own: a folder, an archive or a file that import reads, or a
database. The id of a text is its name without .txt; what follows an @ tells several
texts of one licence apart: MIT.txt, MIT@old.txt. The whole SPDX list is such a folder.`,
		Example: `  simdb licence LICENSE
  simdb licence --format ndjson src/ | jq -r 'select(.licence == null).path'
  simdb licence --list license-list-data/text vendor/`,
		Args: command.Args(1, -1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if err := c.check(args); err != nil {
				return err
			}
			return c.run(ctx, cmd, args)
		}),
	}
	f := cmd.Flags()
	c.format = "table"
	output.FormatFlag(cmd, &c.format, output.Formats, "")
	f.StringArrayVar(&c.lists, "list", nil, "`folder`, archive or database with texts of licences beside those that are known; may be repeated")
	f.BoolVar(&c.onlyLists, "only-list", false, "know the texts of --list alone")
	f.StringArrayVar(&c.read.Exclude, "exclude", nil, "pass over what this `pattern` matches, as in .gitignore: '*.log', 'build/'; may be repeated")
	f.BoolVar(&c.read.GitIgnore, "gitignore", false, "pass over what the .gitignore files below a directory say")
	return cmd
}

func (c *licensing) check(args []string) error {
	if c.onlyLists && len(c.lists) == 0 {
		return exit.Usagef("--only-list wants texts; name some by --list")
	}
	if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
		return exit.Usagef("standard input (-) is named twice; it can be read once")
	}
	if err := ingest.CheckExclude(c.read.Exclude); err != nil {
		return exit.Usagef("--exclude: %v", err)
	}
	return nil
}

func (c *licensing) run(ctx context.Context, cmd *cobra.Command, paths []string) (err error) {
	if err := ingest.Check(ctx, append(slices.Clone(c.lists), paths...)); err != nil {
		return unreadable(err)
	}
	known, err := newList(ctx, !c.onlyLists, c.lists)
	if err != nil {
		return err
	}
	defer command.CloseInto(known.db, &err)
	c.read.Format, c.read.Stdin = "text", cmd.InOrStdin()
	out := bufio.NewWriterSize(cmd.OutOrStdout(), 64<<10)
	p := output.NewPrinter(c.format, out, []string{"path", "licence", "sim", "start_line", "end_line"}, output.StyleOf(cmd.OutOrStdout(), output.ColorOf(cmd)))
	var rejected int64
	for batch, err := range ingest.Read(ctx, paths, c.read) {
		if err != nil {
			return errors.Join(exit.Interrupted(unreadable(err), "the rows before are right"), out.Flush())
		}
		if err := known.rows(ctx, batch.Docs, p); err != nil {
			return errors.Join(exit.Interrupted(err, "the rows before are right"), out.Flush())
		}
		for _, j := range batch.Rejects {
			if rejected++; rejected <= shownRejects {
				reason, _, _ := strings.Cut(j.Reason, "; ") // what follows names flags of import
				fmt.Fprintf(cmd.ErrOrStderr(), "passed over %s: %s\n", output.EscapeControls(j.Source), output.EscapeControls(reason))
			}
		}
	}
	if err := errors.Join(p.End(), out.Flush()); err != nil {
		return err
	}
	if rejected > 0 {
		return exit.Failf(exit.Incomplete, "%s passed over; each of the others has its row", output.Count(rejected, "file"))
	}
	return nil
}

// rows asks for the licence of each document on all cores, and prints the rows in order.
func (l *list) rows(ctx context.Context, docs []ingest.Doc, p output.Printer) error {
	found := make([]finding, len(docs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range docs {
		g.Go(func() (err error) {
			found[i], err = l.find(ctx, d.Text)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, f := range found {
		row := []any{docs[i].Source, nil, nil, nil, nil}
		if f.licence != "" {
			first := 1 + int64(strings.Count(docs[i].Text[:f.start], "\n"))
			row = []any{docs[i].Source, f.licence, f.sim, first, first + int64(strings.Count(docs[i].Text[f.start:f.end], "\n"))}
		}
		if err := p.Row(row); err != nil {
			return err
		}
	}
	return nil
}

func unreadable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return exit.Failf(exit.CodeOf(err), "cannot read: %s", output.EscapeControls(strings.TrimPrefix(err.Error(), "ingest: ")))
}
