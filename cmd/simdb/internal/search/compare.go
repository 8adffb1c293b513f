package search

// The compare command compares two files by every measure and side by side, without a database.

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
)

// comparing holds the flags of compare and the two texts.
type comparing struct {
	format, rendition string
	width             int

	names, texts [2]string
}

// NewCompare returns the compare command.
func NewCompare() *cobra.Command {
	var c comparing
	cmd := &cobra.Command{
		Use:   "compare [flags] FILE FILE",
		Short: "Compare two files by every measure and side by side",
		Long: `Compare two files by every measure, like COMPARE, and show their texts side by side. NULL
is an undefined value, for instance because a text is too short. No database is needed.
One FILE may be -, for standard input. For HTML, Word, PDF and other documents, compare
uses the text that import would store.

Common passages in the same order are aligned. On a terminal they are green, and moved
passages are blue. The sign between the columns means

  │  both lines lie within common passages
  ~  at least one line does not
  <  only the left has a line
  >  only the right has a line

The exit code is 0 even if the files differ.`,
		Example: `  simdb compare draft.docx final.pdf
  simdb get my.simdb old.txt | simdb compare - new.txt
  simdb compare --format json a.txt b.txt | jq '.measures[0].sim'`,
		Args: command.Args(2, 2),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if err := c.check(args); err != nil {
				return err
			}
			for i, name := range args {
				var err error
				if c.names[i], c.texts[i], err = c.read(ctx, cmd, name); err != nil {
					return err
				}
			}
			return c.run(ctx, cmd)
		}),
	}
	output.FormatFlag(cmd, &c.format, output.Formats, "; json is one object, with the passages; csv and similar formats have only the measures")
	load.RenditionFlag(cmd, &c.rendition)
	cmd.Flags().IntVar(&c.width, "max-width", 0, "width of the two texts together, `N` columns; 0 is the width of the terminal, or 130 without a terminal")
	return cmd
}

// check validates the arguments.
func (c *comparing) check(files []string) error {
	if files[0] == "-" && files[1] == "-" {
		return exit.Usagef("standard input (-) occurs twice, but can be read only once")
	}
	return nil
}

// run compares the two texts in an empty database in memory.
func (c *comparing) run(ctx context.Context, cmd *cobra.Command) (err error) {
	db, err := simdb.Open("", &simdb.Options{InMemory: true, MaxDocBytes: command.MaxDoc})
	if err != nil {
		return err
	}
	defer command.CloseInto(db, &err)
	s := session.New(cmd, db, c.format)
	s.Width = c.width
	s.Restyle()
	s.Pager.Begin()
	return s.Pager.End(cmp.Or(c.answer(ctx, s), s.Out.Flush()))
}

// answer writes the measures, the notes and the texts side by side.
func (c *comparing) answer(ctx context.Context, s *session.Session) error {
	ctx, s.Waiting = output.WaitFor(ctx, s.Stderr)
	defer s.Waiting.Stop()
	rows, err := s.DB.Query(ctx, "COMPARE TEXT ? WITH TEXT ?", c.texts[0], c.texts[1])
	if err != nil {
		return err
	}
	defer rows.Close()
	left, right := api.ByText(c.texts[0]), api.ByText(c.texts[1])
	passages, err := s.DB.Passages(ctx, left, right)
	if err != nil {
		return err
	}
	s.Waiting.Stop()
	if c.format == "json" {
		return c.object(s.Out, rows, passages)
	}
	if _, err := output.WriteAll(output.NewPrinter(c.format, s.Out, rows.ColumnTypes(), s.Style), rows.All()); err != nil {
		return err
	}
	notes := io.Writer(s.Out)
	if !output.HasFooter(c.format) {
		notes = s.Stderr
	}
	for _, note := range rows.Notes() {
		fmt.Fprintln(notes, output.EscapeControls(note))
	}
	if !output.HasFooter(c.format) {
		return nil
	}
	back, err := s.DB.Passages(ctx, right, left)
	if err != nil {
		return err
	}
	if err := sideBySide(ctx, s.Out, s.Style, c.names, c.texts, passages, back); err != nil {
		return err
	}
	var shares [2]string
	for i, sides := range [][2]api.Target{{left, right}, {right, left}} {
		if shares[i], err = coverage(ctx, s.DB, sides[0], sides[1]); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.Out, "(%s in common: %s of the left text, %s of the right)\n", output.Count(int64(len(passages)), "passage"), shares[0], shares[1])
	return err
}

// coverage returns the percentage of the characters of text that lie in passages of other.
func coverage(ctx context.Context, db *simdb.DB, text, other api.Target) (string, error) {
	found, err := db.Compare(ctx, text, other, simdb.Using(api.Coverage))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d%%", 100*found[0].Shared/max(1, found[0].Union)), nil
}

// object writes measures and passages as one JSON object, with the columns that statements return.
func (c *comparing) object(w io.Writer, rows *simdb.Rows, passages []api.Passage) error {
	measures, common := []any{}, []any{}
	for row, err := range rows.All() {
		if err != nil {
			return err
		}
		m := map[string]any{}
		for i, column := range rows.Columns {
			m[column] = row[i]
		}
		measures = append(measures, m)
	}
	for _, p := range passages {
		common = append(common, map[string]any{"a_start_byte": p.AStartByte, "a_end_byte": p.AEndByte, "b_start_byte": p.BStartByte, "b_end_byte": p.BEndByte, "chars": p.Chars, "text": p.A})
	}
	b, err := output.JSON(map[string]any{"a": c.names[0], "b": c.names[1], "measures": measures, "passages": common})
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}
