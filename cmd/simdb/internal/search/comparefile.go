package search

// Reading of files for compare: the text that an import would store.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
)

// maxComparedBytes limits the input from a pipe, which may be a document with pictures.
const maxComparedBytes = 64 << 20

// read returns the title and the text of a file.
func (c *comparing) read(ctx context.Context, cmd *cobra.Command, name string) (title, text string, err error) {
	o := ingest.Options{MaxDocBytes: command.MaxDoc}
	if c.rendition == "auto" {
		o.Renderer = load.NewRenderer(command.MaxDoc)
	}
	title, path := name, name
	var piped []byte
	open := func() (io.Reader, error) { return cmd.InOrStdin(), nil }
	if info, err := os.Stat(name); name != "-" && err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		// Process substitution of a shell: simdb compare <(one command) <(another).
		open = func() (io.Reader, error) { return os.Open(name) }
		path = "-"
	}
	if name == "-" {
		title = "standard input"
	}
	if path == "-" {
		if piped, err = readPipe(ctx, open); err != nil {
			return "", "", err
		}
		o.StdinName = filepath.Base(title)
	}
	o.Stdin = bytes.NewReader(piped)
	docs, err := firstDocs(ctx, path, o)
	if err == errRecords { // compare treats a file of records as one text
		o.Format, o.Stdin = "text", bytes.NewReader(piped)
		docs, err = firstDocs(ctx, path, o)
	}
	switch {
	case err != nil:
		return "", "", unread(name, err)
	case len(docs) == 0:
		return "", "", exit.Failf(exit.Rejected, "%s holds no document", output.EscapeControls(name))
	case len(docs) > 1:
		return "", "", exit.Failf(exit.Rejected, "%s holds several documents; compare wants one text: unpack it, or import it and ask COMPARE", output.EscapeControls(name))
	}
	for _, w := range docs[0].Warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: %s\n", output.EscapeControls(title), output.EscapeControls(w))
	}
	return title, docs[0].Text, nil
}

var errRecords = errors.New("records")

// firstDocs returns the first two documents of a file at most, and errRecords for a file of
// records.
func firstDocs(ctx context.Context, path string, o ingest.Options) (docs []ingest.Doc, err error) {
	for batch, err := range ingest.Read(ctx, []string{path}, o) {
		if err != nil {
			return nil, err
		}
		if len(batch.Rejects) > 0 {
			j := batch.Rejects[0]
			if j.Line > 0 {
				return nil, errRecords
			}
			reason, _, _ := strings.Cut(j.Reason, "; ") // the rest names flags of import
			return nil, errors.New(reason)
		}
		for _, d := range batch.Docs {
			if d.Line > 0 {
				return nil, errRecords
			}
			docs = append(docs, d)
		}
		if len(docs) > 1 {
			break
		}
	}
	return docs, nil
}

// unread returns the error for an unreadable file.
func unread(name string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return exit.Failf(exit.CodeOf(err), "cannot read %s: %s", output.EscapeControls(name), output.EscapeControls(strings.TrimPrefix(err.Error(), "ingest: ")))
}

// readPipe reads a pipe to its end. A read of a pipe cannot be interrupted, so it runs in its own
// goroutine, which readPipe abandons after Ctrl-C.
func readPipe(ctx context.Context, open func() (io.Reader, error)) ([]byte, error) {
	type result struct {
		b   []byte
		err error
	}
	ended := make(chan result, 1)
	go func() {
		in, err := open()
		if err != nil {
			ended <- result{err: err}
			return
		}
		b, err := io.ReadAll(io.LimitReader(in, maxComparedBytes+1))
		if err == nil && len(b) > maxComparedBytes {
			err = exit.Failf(exit.Rejected, "a pipe delivers more than %s", output.Bytes(maxComparedBytes))
		}
		ended <- result{b, err}
	}()
	select {
	case r := <-ended:
		return r.b, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
