package search

// The get command writes one document as stored.

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// NewGet returns the get command.
func NewGet() *cobra.Command {
	var in string
	var meta, readOnly bool
	cmd := &cobra.Command{
		Use:   "get [flags] DB ID",
		Short: "Print the text or the metadata of a document",
		Long: `Print the stored text of a document, byte for byte. On a terminal, control characters
are escaped.

With --meta, print its metadata instead, as one line of JSON.`,
		Example: `  simdb get my.simdb readme.txt >readme.txt
  simdb get --in papers --meta my.simdb p1
  simdb get my.simdb old.txt | simdb compare - new.txt`,
		Args: command.Args(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.OnDBToRead(cmd, args[0], readOnly, func(ctx context.Context, db *simdb.DB) error {
				d, err := stored(ctx, db, in, args[1])
				if err != nil {
					return err
				}
				return writeStored(cmd.OutOrStdout(), d, meta)
			})
		},
	}
	cmd.Flags().StringVar(&in, "in", api.DefaultCollection, "`COLLECTION` of the document")
	cmd.Flags().BoolVar(&meta, "meta", false, "print the metadata as JSON, instead of the text")
	command.ReadOnlyFlag(cmd, &readOnly)
	return cmd
}

// stored returns a document. The error for an unknown id suggests similar ids, like the error of a
// statement.
func stored(ctx context.Context, db *simdb.DB, in, id string) (api.Document, error) {
	snapshot, err := db.Snapshot()
	if err != nil {
		return api.Document{}, err
	}
	defer snapshot.Close()
	d, err := snapshot.Get(ctx, in, id)
	switch {
	case errors.Is(err, api.ErrNoCollection):
		return d, exit.Failf(exit.Rejected, "there is no collection %q; simdb stats DB tells which there are", in)
	case errors.Is(err, api.ErrNotFound):
		hint, err := nearby(ctx, db, in, id)
		if err != nil {
			return d, err
		}
		return d, exit.Failf(exit.Rejected, "there is no document %q in %s; %s", id, in,
			cmp.Or(hint, "SELECT id FROM "+output.QuoteName(in)+" tells which there are"))
	}
	return d, err
}

// nearby returns the suggestion of a statement for an unknown id.
func nearby(ctx context.Context, db *simdb.DB, in, id string) (string, error) {
	rows, err := db.QueryWith(ctx, simdb.QueryOptions{ReadOnly: true}, "COMPARE ? WITH TEXT '' IN "+output.QuoteName(in), id)
	var wrong *api.ParseError
	switch {
	case err == nil: // stored in the meantime
		return "", rows.Close()
	case errors.As(err, &wrong) && strings.HasPrefix(wrong.Suggestion, "did you mean "):
		return wrong.Suggestion, nil
	case errors.Is(err, api.ErrNotFound):
		return "", nil
	}
	return "", err
}

// writeStored writes the text or the metadata of a document, escaped on a terminal.
func writeStored(w io.Writer, d api.Document, meta bool) error {
	text := d.Text
	switch {
	case meta:
		fields := map[string]any(d.Meta)
		if fields == nil {
			fields = map[string]any{}
		}
		b, err := output.JSON(fields)
		if err != nil {
			return err
		}
		text = string(b) + "\n"
	case output.IsTerminal(w):
		text = escapeLines(text)
		if !strings.HasSuffix(text, "\n") {
			text += "\n" // so that the prompt begins a line
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// escapeLines is output.EscapeControls for a multi-line text: it keeps line breaks and tabs.
func escapeLines(text string) string {
	var b strings.Builder
	for text != "" {
		n := strings.IndexAny(text, "\n\t") + 1
		if n == 0 {
			n = len(text) + 1
		}
		b.WriteString(output.EscapeControls(text[:n-1]))
		b.WriteString(text[n-1 : min(n, len(text))])
		text = text[min(n, len(text)):]
	}
	return b.String()
}
