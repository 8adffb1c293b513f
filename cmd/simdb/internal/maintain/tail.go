package maintain

// The tail command writes the changes of a database as lines of JSON.

import (
	"bufio"
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// newTail returns the tail command.
func newTail() *cobra.Command {
	var since uint64
	var follow bool
	format := "ndjson"
	cmd := &cobra.Command{
		Use:   "tail [flags] DB",
		Short: "Write the changes of a database as lines of JSON",
		Long: `Write a line of JSON for each document put or deleted, each change of metadata, and
each collection created or dropped, in commit order. The changes of a batch share a
seq; place counts them up to of. After handling all changes of a seq, resume with
--since SEQ. Other formats have the same fields as columns.

The database must retain log history (see simdb keep-log). It may be open in another
process, because tail reads only its files. Changes appear once they are durable.`,
		Args: command.Args(1, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if args[0] == "" {
				return command.ErrUnnamed
			}
			if follow && !slices.Contains([]string{"ndjson", "csv", "tsv", "line"}, format) {
				return exit.Usagef("--follow writes row by row, and %s needs them all: use ndjson, csv, tsv or line", format)
			}
			o := api.TailOptions{Since: since, Oldest: !cmd.Flags().Changed("since"), Follow: follow}
			out := bufio.NewWriterSize(cmd.OutOrStdout(), 64<<10)
			err := writeChanges(ctx, args[0], o, newChangePrinter(format, out, output.StyleOf(cmd.OutOrStdout(), output.ColorOf(cmd))), out)
			if flushed := out.Flush(); flushed != nil {
				return flushed
			}
			if follow && errors.Is(err, context.Canceled) { // Ctrl-C is the normal end of --follow
				return nil
			}
			return exit.Interrupted(err, "go on with --since and the last seq that is whole")
		}),
	}
	cmd.Flags().Uint64Var(&since, "since", 0, "only since this `SEQ`, without its own changes (default all retained)")
	output.FormatFlag(cmd, &format, output.Formats, "")
	cmd.Flags().BoolVar(&follow, "follow", false, "wait for further changes, until Ctrl-C")
	return cmd
}

// changeLine is the JSON of a change. Strings that are not UTF-8 are in base64, as in a dump.
type changeLine struct {
	Seq        uint64        `json:"seq"`
	Place      int           `json:"place"`
	Of         int           `json:"of"`
	Time       string        `json:"time"`
	Change     string        `json:"change"`
	Collection string        `json:"collection"`
	ID         string        `json:"id,omitempty"`
	ID64       []byte        `json:"id64,omitempty"`
	Text       *string       `json:"text,omitempty"`
	Text64     []byte        `json:"text64,omitempty"`
	Tokens     []string      `json:"tokens,omitzero"`
	Tokens64   [][]byte      `json:"tokens64,omitzero"`
	Meta       api.Meta      `json:"meta,omitempty"`
	Settings   *api.Settings `json:"settings,omitempty"`
	Group      *groupLine    `json:"group,omitempty"`
}

// groupLine is the JSON of an event of a group, or of the document of the line within a group.
type groupLine struct {
	Groups string             `json:"groups"`
	Event  api.GroupEventKind `json:"event"`
	Group  uint64             `json:"group"`
	Into   uint64             `json:"into,omitempty"` // merge
	To     uint64             `json:"to,omitempty"`   // split
}

// writeChanges writes the changes of the database at path. With --follow, it flushes out after each
// complete batch, so that readers never wait for half a batch.
func writeChanges(ctx context.Context, path string, o api.TailOptions, p changePrinter, out *bufio.Writer) error {
	for c, err := range simdb.Tail(ctx, path, o) {
		if err != nil {
			return err
		}
		if err := p.write(lineOf(&c)); err != nil {
			return err
		}
		if o.Follow && c.Place == c.Of {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	return p.end()
}

// lineOf converts a change to its JSON form.
func lineOf(c *api.Change) changeLine {
	l := changeLine{
		Seq: c.Seq, Place: c.Place, Of: c.Of, Time: c.Time.UTC().Format(time.RFC3339Nano), Change: string(c.Kind),
		Collection: c.Collection, Meta: c.Meta, Settings: c.Settings,
	}
	id := c.ID
	if e := c.Group; e != nil {
		id, l.Group = e.ID, &groupLine{Groups: e.Grouping, Event: e.Event, Group: e.Group}
		switch e.Event {
		case api.GroupMerge:
			l.Group.Into = e.Other
		case api.GroupSplit:
			l.Group.To = e.Other
		}
	}
	if l.ID = id; !utf8.ValidString(id) {
		l.ID, l.ID64 = "", []byte(id)
	}
	if c.Kind != api.ChangePut {
		return l
	}
	if l.Text = &c.Text; !utf8.ValidString(c.Text) {
		l.Text, l.Text64 = nil, []byte(c.Text)
	}
	l.Tokens = c.Tokens
	for _, t := range c.Tokens {
		if !utf8.ValidString(t) {
			l.Tokens = nil
			l.Tokens64 = make([][]byte, len(c.Tokens))
			for i := range c.Tokens {
				l.Tokens64[i] = []byte(c.Tokens[i])
			}
			break
		}
	}
	return l
}
