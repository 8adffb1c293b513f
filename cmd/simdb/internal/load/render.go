package load

// The render command prints the text of a file as an import would store it.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
)

// rendering holds the flags of render and the number of rejects.
type rendering struct {
	meta bool
	name string

	out, stderr io.Writer
	written     int64
	rejected    int64
}

// NewRender returns the render command.
func NewRender() *cobra.Command {
	var r rendering
	cmd := &cobra.Command{
		Use:   "render [flags] PATH…",
		Short: "Print the text of a document as import would store it",
		Long: `Print the text of files as simdb import would store it: HTML, Word (docx), OpenDocument
(odt), EPUB, PDF, RTF, mail, Markdown, subtitles, and texts in any common charset, also
compressed, in archives and in folders. - is standard input. A blank line separates
documents.

With --meta, print a line of JSON per document instead, with its id and metadata.
Nothing is executed or fetched. Unreadable files are reported with kind and reason, and
end the command with code 3.`,
		Example: `  simdb render letter.docx
  simdb render --meta papers.zip
  curl -s https://example.org/ | simdb render --name page.html -`,
		Args: command.Args(1, -1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			r.out, r.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return r.run(ctx, args, cmd.InOrStdin())
		}),
	}
	cmd.Flags().BoolVar(&r.meta, "meta", false, "print the metadata as JSON, instead of the text")
	cmd.Flags().StringVar(&r.name, "name", "", "treat standard input as this `FILE`, whose extension may determine its kind")
	return cmd
}

// run prints the documents of paths and reports rejects.
func (r *rendering) run(ctx context.Context, paths []string, stdin io.Reader) error {
	o := ingest.Options{Stdin: stdin, StdinName: r.name, MaxDocBytes: command.MaxDoc, Renderer: NewRenderer(command.MaxDoc)}
	for batch, err := range ingest.Read(ctx, paths, o) {
		if err != nil {
			if _, ok := errors.AsType[*exit.Error](err); ok {
				return err
			}
			return exit.Failf(exit.CodeOf(err), "cannot render: %s", strings.TrimPrefix(err.Error(), "ingest: "))
		}
		for _, d := range batch.Docs {
			if err := r.print(d); err != nil {
				return err
			}
		}
		for _, j := range batch.Rejects {
			r.rejected++
			(&Reports{stderr: r.stderr, bar: output.NewProgress(r.stderr, true)}).reject(j, true)
		}
	}
	if r.rejected > 0 {
		return exit.Failf(exit.Incomplete, "%s cannot be read, named above", output.Count(r.rejected, "input"))
	}
	return nil
}

// print writes a document.
func (r *rendering) print(d ingest.Doc) error {
	for _, w := range d.Warnings {
		fmt.Fprintf(r.stderr, "warning: %s: %s\n", output.EscapeControls(d.ID), output.EscapeControls(w))
	}
	if r.meta {
		return r.printMeta(d)
	}
	between := ""
	if r.written > 0 {
		between = "\n"
	}
	r.written++
	end := "\n"
	if strings.HasSuffix(d.Text, "\n") {
		end = ""
	}
	_, err := io.WriteString(r.out, between+d.Text+end)
	return err
}

// printMeta writes id and metadata as a line of JSON.
func (r *rendering) printMeta(d ingest.Doc) error {
	meta := map[string]any{"id": d.ID}
	for name, value := range d.Meta {
		if name != "id" {
			meta[name] = value
		}
	}
	encoder := json.NewEncoder(r.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(meta)
}
