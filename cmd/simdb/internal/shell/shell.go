// Package shell implements the shell command: an interactive session on a terminal, or a script.
//
// In a session, a failing statement and Ctrl-C end only the statement. Begin reading at shell.run;
// lineEditor reads the terminal, and dotCommands lists the dot commands.
package shell

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
	"github.com/simdb/simdb/query/syntax"
)

// maxPending limits an incomplete statement, in bytes. The language allows 1 MB.
const maxPending = 2 << 20

// New returns the shell command.
func New() *cobra.Command {
	var statements, files []string
	format := "table"
	var readOnly bool
	var width int
	var from load.Source
	cmd := &cobra.Command{
		Use:   "shell [flags] DB|FILE…",
		Short: "Open an interactive shell, or run a script",
		Long: `Run statements interactively on a terminal, with history and completion, or from a script
on standard input. Statements end with a semicolon; .help lists the dot commands. A
failing statement does not end a script unless .bail is on, but sets the exit code.

A missing database is created, unless --read-only is given or all statements of -c only
read. FILEs and folders are imported into a temporary database, which only answers.
simdb DB and simdb FILE open the shell too.`,
		Example: `  simdb shell my.simdb
  simdb shell -c "SHOW COLLECTIONS" my.simdb
  simdb shell pages.parquet
  simdb shell my.simdb < statements.txt`,
		Args: command.Args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if slices.Contains(args, "-") {
				return exit.Usagef("standard input holds the statements of the shell, so it cannot be a file too; simdb query - STATEMENT reads texts from it")
			}
			stores, remove, err := from.Stores(cmd, args)
			if err != nil {
				return err
			}
			defer func() { remove(&err) }()
			defer from.RemoveOnSignal()()
			if len(stores) > 1 {
				return command.Args(1, 1)(cmd, args)
			}
			args, readOnly := stores, readOnly || from.Temporary
			only := len(statements) > 0 && len(files) == 0 && !slices.ContainsFunc(statements, func(s string) bool { return session.Writes(s, true) })
			if len(statements) > 0 && !readOnly {
				if err := ready(cmd.Context(), args[0], statements[0], only); err != nil {
					return err
				}
			}
			db, reads, err := openShell(cmd.Context(), args[0], readOnly, only, command.MemoryOf(cmd))
			if err != nil {
				return err
			}
			sh := &shell{Session: session.New(cmd, db, format), path: args[0], reads: reads, readOnly: readOnly, memory: command.MemoryOf(cmd), stdout: cmd.OutOrStdout()}
			sh.Width = width
			if len(statements)+len(files) > 0 {
				sh.Input = session.Once(cmd.InOrStdin())
			}
			return sh.end(sh.run(cmd.Context(), statements, files, cmd.InOrStdin()))
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&statements, "command", "c", nil, "run this `STATEMENT` instead of standard input; may be repeated")
	f.StringArrayVarP(&files, "file", "f", nil, "run the statements of this `FILE` instead of standard input; may be repeated")
	from.Flags(cmd)
	output.FormatFlag(cmd, &format, output.Formats, "; as .mode")
	command.ReadOnlyFlag(cmd, &readOnly)
	session.MaxWidthFlag(cmd, &width)
	return cmd
}

// ready returns an error for a missing database if all statements only read (only), or if the first
// one, which would create the database, is wrong.
func ready(ctx context.Context, path, first string, only bool) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if only {
		return command.Missing(path)
	}
	_, err := session.Makes(ctx, first)
	return err
}

// openShell opens a database and creates a missing one, unless readOnly or only is set. The
// database is read-only (reads) if all statements only read, if its directory is not writable, if
// the disk is full, or if another process has the write lock.
func openShell(ctx context.Context, path string, readOnly, only bool, memory int64) (db *simdb.DB, reads bool, err error) {
	if readOnly || only {
		db, err = command.OpenToRead(ctx, path, readOnly, memory)
		return db, true, err
	}
	db, err = command.OpenOrCreate(ctx, path, &simdb.Options{MaxDocBytes: command.MaxDoc, MemoryBytes: memory})
	if command.MayBeRead(err) {
		if read, readErr := command.OpenExisting(ctx, path, true, memory); readErr == nil {
			if errors.Is(err, api.ErrLocked) {
				command.Warnings().Warn("another process has the database open; it is read as it is now, and .refresh reads it anew", "database", path)
			}
			return read, true, nil
		}
	}
	return db, false, err
}

// shell is a session with statements from scripts or from a terminal.
type shell struct {
	*session.Session
	path   string
	stdout io.Writer

	reads    bool     // the database is open read-only
	readOnly bool     // --read-only, also for .open
	memory   int64    // --memory
	output   *os.File // file of .output, nil for stdout
	bail     bool
	code     int // of the first failing statement
	depth    int // nesting of .read
}

// errLeave ends the shell at the request of the user.
var errLeave = errors.New("leave")

// run runs the statements and files of the flags, else standard input.
func (sh *shell) run(ctx context.Context, statements, files []string, stdin io.Reader) error {
	in, isFile := stdin.(*os.File)
	out, toFile := sh.stdout.(*os.File)
	if len(statements)+len(files) == 0 && isFile && toFile && output.IsTerminal(in) && output.IsTerminal(out) {
		return sh.interactive(ctx, newEditor(in, out, &completer{sh}))
	}
	ctx, stop := command.Interruptible(ctx)
	defer stop()
	for _, text := range statements {
		if err := sh.script(ctx, strings.NewReader(text)); err != nil {
			return err
		}
	}
	for _, name := range files {
		if err := sh.file(ctx, name); err != nil {
			return err
		}
	}
	if len(statements)+len(files) > 0 {
		return nil
	}
	return sh.script(ctx, stdin)
}

// end closes the database and the output, and returns the error with the exit code of the shell.
func (sh *shell) end(err error) error {
	if errors.Is(err, errLeave) {
		err = nil
	}
	for _, closing := range []error{sh.redirect(""), sh.DB.Close()} {
		if err == nil {
			err = closing
		}
	}
	if err == nil && sh.code != exit.OK {
		return exit.Reported(sh.code)
	}
	return err
}

// file runs the statements of a file.
func (sh *shell) file(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return sh.script(ctx, f)
}

// script runs the statements of r, each once it is complete. It reports the error of a statement and
// records its exit code. A returned error ends the shell.
func (sh *shell) script(ctx context.Context, r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var cut syntax.Splitter
	lineStart := true
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, readErr := in.ReadSlice('\n')
		text := string(line)
		dot, isDot := asDot(text)
		switch {
		case lineStart && !cut.Pending() && isDot:
			cut.Skip(text)
			if err := sh.try(sh.dot(ctx, dot), syntax.StatementText{}); err != nil {
				return err
			}
		default:
			for _, statement := range cut.Feed(text) {
				if err := sh.try(sh.Statement(ctx, statement.Text), statement); err != nil {
					return err
				}
			}
		}
		lineStart = strings.HasSuffix(text, "\n")
		switch {
		case cut.Size() > maxPending:
			return exit.Failf(exit.Rejected, "a statement of more than %s without an end (;), so what follows was not run", output.Bytes(maxPending))
		case readErr == nil || errors.Is(readErr, bufio.ErrBufferFull):
		case errors.Is(readErr, io.EOF):
			if rest, ok := cut.Rest(); ok {
				return sh.try(sh.Statement(ctx, rest.Text), rest)
			}
			return nil
		default:
			return readErr
		}
	}
}

// try reports an error and returns nil, unless the error ends the shell.
func (sh *shell) try(err error, statement syntax.StatementText) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errLeave), errors.Is(err, context.Canceled), exit.BrokenPipe(err):
		return err
	}
	command.Complain(sh.Stderr, sh.Color, session.Complaint(statement, err))
	if sh.code == exit.OK {
		sh.code = max(exit.CodeOf(err), exit.Rejected)
	}
	if sh.bail {
		return exit.Reported(sh.code)
	}
	return nil
}

// interactive runs an interactive session. Failing statements do not affect the exit code, and
// Ctrl-C ends only the running statement.
func (sh *shell) interactive(ctx context.Context, ed editor) error {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt)
	defer signal.Stop(ignored)
	fmt.Fprintf(sh.stdout, "simdb %s\nStatements end with ; and .help lists the other commands.\n", filepath.Base(sh.path))
	for {
		text, err := ed.read()
		switch {
		case errors.Is(err, errInterrupted):
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(sh.stdout)
			return nil
		case err != nil:
			return err
		}
		err = sh.answer(ctx, text)
		sh.code = exit.OK
		switch {
		case errors.Is(err, errLeave):
			return nil
		case errors.Is(err, context.Canceled):
			fmt.Fprintln(sh.stdout) // the terminal echoed ^C
			command.Complain(sh.Stderr, sh.Color, exit.MessageOf(err))
		case err != nil && !sh.bail:
			command.Complain(sh.Stderr, sh.Color, exit.MessageOf(err))
		case err != nil:
			return err
		}
	}
}

// answer runs one input until the first Ctrl-C.
func (sh *shell) answer(ctx context.Context, text string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	return sh.script(ctx, strings.NewReader(text))
}
