package search

// The demo command creates a small database and runs five queries.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
	"github.com/simdb/simdb/load"
	"github.com/simdb/simdb/testdata"
)

// demoQuestions lists statements, each with its purpose.
var demoQuestions = []struct{ about, statement string }{
	{"Which texts are like this one? sim is the share of three-word pieces (shingles) that two texts have in common.",
		"SIMILAR TO 'release-1.1.txt' WHERE sim >= 20%"},
	{"Which texts are like any other? One row for each pair, the most similar first.",
		"SIMILAR PAIRS WHERE sim >= 40%"},
	{"Which texts belong together? Similar pairs tie them into groups.",
		"CLUSTERS WHERE sim >= 50%"},
	{"Where does this passage come from? containment(of='query') is how much of the passage a text holds, however long the text is.",
		"SIMILAR TO TEXT 'Lay a strip of paper over a text and move it along, one word at a time.' USING containment(of='query') WHERE sim >= 50%"},
	{"What exactly was taken over? The passages that two texts have in common: where they stand in both, in bytes, and their length in characters.",
		"COMPARE TEXT 'My notes: the trick is to look at many small pieces. Shingles overlap like those on a roof.' WITH 'lecture.txt' SHOW PASSAGES"},
}

// NewDemo returns the demo command.
func NewDemo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo [DB]",
		Short: "Create a small database and run five example queries",
		Long: `Create a database of eight small texts and run five example queries, each with its
purpose, statement and answer. DB must not exist. Without DB, the database is temporary
and is removed at the end.`,
		Example: `  simdb demo
  simdb demo demo.simdb && simdb shell demo.simdb`,
		Args: command.Args(0, 1),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) (err error) {
			if len(args) == 1 {
				if args[0] == "" {
					return command.ErrUnnamed
				}
				if _, err := os.Lstat(args[0]); !errors.Is(err, fs.ErrNotExist) {
					return exit.Failf(exit.Rejected, "%s exists; name a database that does not, or none for a temporary one", output.EscapeControls(args[0]))
				}
				return demo(ctx, cmd, args[0], args[0])
			}
			dir, err := os.MkdirTemp("", "simdb-demo-")
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
			return demo(ctx, cmd, filepath.Join(dir, "demo.simdb"), "")
		}),
	}
}

// demo creates a database at path and runs the queries. kept is its name for further commands, ""
// if the caller removes it.
func demo(ctx context.Context, cmd *cobra.Command, path, kept string) (err error) {
	db, err := command.OpenOrCreate(ctx, path, &simdb.Options{MemoryBytes: command.MemoryOf(cmd)})
	if err != nil {
		return err
	}
	defer command.CloseInto(db, &err)
	imported, err := load.Import(ctx, db, []string{"demo"}, api.ImportOptions{FS: testdata.Demo})
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if _, err := fmt.Fprintf(out, "%s were imported, as simdb import does it with a folder.\n", output.Count(imported.Imported, "small text")); err != nil {
		return err
	}
	s := session.New(cmd, db, "table")
	for i, q := range demoQuestions {
		statement := q.statement + ";"
		if s.Style.Color {
			statement = output.Bold(statement)
		}
		if _, err := fmt.Fprintf(out, "\n%d. %s\n\nsimdb> %s\n", i+1, q.about, statement); err != nil {
			return err
		}
		if err := s.Statement(ctx, q.statement); err != nil {
			return err
		}
	}
	return demoNext(out, kept)
}

// demoNext suggests further commands.
func demoNext(out io.Writer, kept string) error {
	next := "\n"
	if kept == "" {
		next += "The database was a temporary one and is removed. To keep one:\n\n  simdb demo demo.simdb\n\n"
		kept = "demo.simdb"
	}
	kept = shellWord(kept)
	_, err := fmt.Fprintf(out, `%sNext, ask it yourself, on the command line or in the browser, or import a folder of yours:

  simdb shell %s
  simdb serve %s
  simdb import my.simdb DIR
`, next, kept, kept)
	return err
}

// shellWord quotes a name for a Unix shell if necessary.
func shellWord(name string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:@%/\\"
	if strings.Trim(name, plain) == "" {
		return name
	}
	return "'" + strings.ReplaceAll(output.EscapeControls(name), "'", `'\''`) + "'"
}
