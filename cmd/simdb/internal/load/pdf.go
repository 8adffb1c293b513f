package load

// PDFs are read by a child process, which runs this command again. Endless loops and memory
// exhaustion by broken or hostile files end the child only.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/pdftext"
	"github.com/simdb/simdb/render"
)

// Limits of the process that reads a PDF.
const (
	pdfTime        = 60 * time.Second
	pdfMemoryBytes = 448 << 20 // of data; at most 512 MiB with the pages of the program
	pdfFactBytes   = 64 << 10  // of the first output line
)

// readPDFCommand is the hidden command of the child process.
const readPDFCommand = "read-pdf"

// NewRenderer returns a renderer of documents that reads PDFs in a child process. maxDocBytes
// bounds the text of a document.
func NewRenderer(maxDocBytes int64) api.Renderer {
	return render.New(render.Options{MaxDocBytes: maxDocBytes, PDF: func(ctx context.Context, pdf []byte) (string, map[string]any, error) {
		return readPDF(ctx, pdf, maxDocBytes)
	}})
}

// readPDF reads a PDF in a child process and returns its text, of at most maxText bytes, and its
// metadata.
func readPDF(ctx context.Context, pdf []byte, maxText int64) (text string, meta map[string]any, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, pdfTime, fmt.Errorf("reading it took longer than %v", pdfTime))
	defer cancel()
	cmd := exec.CommandContext(limited, self, readPDFCommand, strconv.FormatInt(maxText, 10))
	cmd.Args[0] = os.Args[0]
	cmd.Env = []string{"GOTRACEBACK=none"}
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(pdf)
	out, complaint := &capped{max: maxText + pdfFactBytes}, &capped{max: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, complaint
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", nil, ctx.Err()
	case limited.Err() != nil:
		return "", nil, context.Cause(limited)
	case bytes.Contains(complaint.b, []byte("out of memory")), bytes.Contains(complaint.b, []byte("cannot allocate memory")):
		return "", nil, fmt.Errorf("reading it takes more than %d bytes of memory", pdfMemoryBytes)
	case err != nil:
		first, _, _ := strings.Cut(string(complaint.b), "\n")
		return "", nil, errors.New(strings.TrimSpace(strings.TrimPrefix(first, "simdb:")))
	}
	facts, rest, _ := bytes.Cut(out.b, []byte("\n"))
	if err := json.Unmarshal(facts, &meta); err != nil {
		return "", nil, fmt.Errorf("its reader failed: %w", err)
	}
	return string(rest), meta, nil
}

// capped buffers writes up to a limit and fails beyond it.
type capped struct {
	b   []byte
	max int64
}

func (c *capped) Write(p []byte) (int, error) {
	if int64(len(c.b)+len(p)) > c.max {
		return 0, io.ErrShortBuffer
	}
	c.b = append(c.b, p...)
	return len(p), nil
}

// NewReadPDF returns the hidden command of the child process. It reads a PDF from standard
// input and writes its facts as a line of JSON, followed by its text.
func NewReadPDF() *cobra.Command {
	return &cobra.Command{
		Use:    readPDFCommand + " BYTES",
		Short:  "Read a PDF from standard input (internal)",
		Hidden: true,
		Args:   command.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			maxText, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return exit.Usagef("%v", err)
			}
			debug.SetMemoryLimit(pdfMemoryBytes * 3 / 4)
			if err := limitSelf(pdfMemoryBytes, pdfTime); err != nil {
				return err
			}
			raw, err := io.ReadAll(cmd.InOrStdin())
			if err != nil {
				return err
			}
			got, err := pdftext.Read(raw, maxText)
			if err != nil {
				return err
			}
			facts, err := json.Marshal(got.Facts.Meta())
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(append(append(facts, '\n'), got.Text...))
			return err
		},
	}
}
