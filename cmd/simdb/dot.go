package main

// The dot commands of the shell, such as .mode and .read.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simdb/simdb/query"
)

// maxRead is how deep files that are read by .read may read other files.
const maxRead = 16

// dotCommand is a command to the shell itself.
type dotCommand struct {
	name, args, help string
	least, most      int // arguments; most < 0 means any number
	run              func(sh *shell, ctx context.Context, args []string) error
}

// dotCommands returns the dot commands in the order of .help.
func dotCommands() []dotCommand {
	return []dotCommand{
		{".backup", "DIR", "write a copy of the database to a new directory", 1, 1, (*shell).dotBackup},
		{".bail", "on|off", "end the script at the first error", 1, 1, toggle(func(sh *shell) *bool { return &sh.bail })},
		{".check", "", "recompute all derived data and compare it with what is stored", 0, 0, (*shell).dotCheck},
		{".collections", "", "list the collections", 0, 0, (*shell).dotCollections},
		{".dump", "FILE", "write everything to a new file, for simdb restore to read", 1, 1, (*shell).dotDump},
		{".exit", "", "leave; so does Ctrl-D", 0, 0, (*shell).dotExit},
		{".explain", "on|off", "show how each search was answered", 1, 1, toggle(func(sh *shell) *bool { return &sh.explain })},
		{".export", "[FILE]", "write all documents as NDJSON, for import to read", 0, 1, (*shell).dotExport},
		{".help", "", "show this list", 0, 0, (*shell).dotHelp},
		{".import", "[--into NAME] PATH…", "import files, with the flags of simdb import", 1, -1, (*shell).dotImport},
		{".mode", "[FORMAT]", "show or set the format: " + strings.Join(formats, " "), 0, 1, (*shell).dotMode},
		{".open", "DB", "close this database and open another", 1, 1, (*shell).dotOpen},
		{".output", "[FILE]", "write answers to a file; without FILE, to the screen again", 0, 1, (*shell).dotOutput},
		{".pager", "on|off", "show answers longer than the terminal in less, or what PAGER names", 1, 1, (*shell).dotPager},
		{".quit", "", "leave", 0, 0, (*shell).dotExit},
		{".read", "FILE", "run the statements of a file", 1, 1, (*shell).dotRead},
		{".refresh", "", "read anew what another process has written since", 0, 0, (*shell).dotRefresh},
		{".schema", "[NAME]", "show the statements that make the collections", 0, 1, (*shell).dotSchema},
		{".stats", "", "show counts and sizes", 0, 0, (*shell).dotStats},
		{".timer", "on|off", "show how long each statement took", 1, 1, toggle(func(sh *shell) *bool { return &sh.timer })},
	}
}

// dot runs a line that begins with a dot.
func (sh *shell) dot(ctx context.Context, line string) error {
	sh.restyle()
	words, err := splitWords(strings.TrimSuffix(line, ";"))
	if err != nil {
		return err
	}
	all := dotCommands()
	i := slices.IndexFunc(all, func(d dotCommand) bool { return d.name == words[0] })
	if i < 0 {
		return failf(exitRejected, "there is no command %s; .help lists them", escapeControls(words[0]))
	}
	d, args := all[i], words[1:]
	if len(args) < d.least || d.most >= 0 && len(args) > d.most {
		return failf(exitRejected, "want %s %s", d.name, d.args)
	}
	return d.run(sh, ctx, args)
}

// toggle makes the command that turns a switch on or off.
func toggle(which func(*shell) *bool) func(*shell, context.Context, []string) error {
	return func(sh *shell, _ context.Context, args []string) error {
		if args[0] != "on" && args[0] != "off" {
			return failf(exitRejected, "want on or off, found %q", args[0])
		}
		*which(sh) = args[0] == "on"
		return nil
	}
}

func (sh *shell) dotPager(ctx context.Context, args []string) error {
	on := true
	if err := toggle(func(*shell) *bool { return &on })(sh, ctx, args); err != nil {
		return err
	}
	if sh.pager != nil {
		sh.pager.off = !on
	} else if on {
		return failf(exitRejected, "there is no pager: the output is no terminal, PAGER turns it off, or less is not installed")
	}
	return nil
}

// plainWords are what people type who know other shells. They are no statements.
var plainWords = map[string]string{"help": ".help", "exit": ".exit", "quit": ".quit", "?": ".help"}

// asDot returns the dot command that a line is, if it is one.
func asDot(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if dot, ok := plainWords[strings.ToLower(strings.TrimRight(line, "; "))]; ok {
		return dot, true
	}
	return line, strings.HasPrefix(line, ".")
}

func (sh *shell) dotHelp(context.Context, []string) error {
	for _, d := range dotCommands() {
		fmt.Fprintf(sh.out, "%-30s %s\n", d.name+" "+d.args, d.help)
	}
	return sh.out.Flush()
}

func (sh *shell) dotExit(context.Context, []string) error { return errLeave }

func (sh *shell) dotBackup(ctx context.Context, args []string) error {
	return sh.backup(ctx, args[0], false)
}

func (sh *shell) dotCheck(ctx context.Context, _ []string) error { return sh.check(ctx) }

func (sh *shell) dotStats(ctx context.Context, _ []string) error { return sh.stats(ctx) }

func (sh *shell) dotMode(_ context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprintln(sh.out, sh.format)
		return sh.out.Flush()
	}
	if err := validFormat(args[0]); err != nil {
		return failf(exitRejected, "%v", err)
	}
	sh.format = args[0]
	return nil
}

func (sh *shell) dotOpen(ctx context.Context, args []string) error {
	db, reads, err := openShell(ctx, args[0], sh.readOnly, false, sh.memory)
	if err != nil {
		return err
	}
	err = sh.db.Close()
	sh.db, sh.path, sh.reads = db, args[0], reads
	return err
}

// dotRefresh opens the database once more if this shell only reads it. One that writes has
// it for itself.
func (sh *shell) dotRefresh(ctx context.Context, _ []string) error {
	if !sh.reads {
		return nil
	}
	db, err := openExisting(ctx, sh.path, true, sh.memory)
	if err != nil {
		return err
	}
	err = sh.db.Close()
	sh.db = db
	return err
}

func (sh *shell) dotCollections(ctx context.Context, _ []string) error {
	all, err := sh.db.Collections(ctx)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, c := range all {
		rows = append(rows, collectionRow(c))
	}
	return sh.table(collectionColumns, rows...)
}

func (sh *shell) dotSchema(ctx context.Context, args []string) error {
	all, err := sh.db.Collections(ctx)
	if err != nil {
		return err
	}
	found := len(args) == 0
	for _, c := range all {
		if len(args) > 0 && c.Name != args[0] {
			continue
		}
		found = true
		fmt.Fprintf(sh.out, "CREATE COLLECTION %s WITH (%s);\n", quoteName(c.Name), query.FormatSettings(c.Settings))
	}
	if !found {
		return failf(exitRejected, "there is no collection %q; .collections lists them", args[0])
	}
	return sh.out.Flush()
}

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func (sh *shell) dotDump(ctx context.Context, args []string) error {
	return interrupted(dumpToFile(ctx, sh.db, args[0]), "nothing is left of the dump")
}

func (sh *shell) dotExport(ctx context.Context, args []string) (err error) {
	if len(args) == 0 {
		return export(ctx, sh.db, nil, sh.out, sh.stderr)
	}
	f, err := os.Create(args[0])
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	return export(ctx, sh.db, nil, f, sh.stderr)
}

func (sh *shell) dotOutput(_ context.Context, args []string) error {
	if len(args) == 0 {
		return sh.redirect("")
	}
	return sh.redirect(args[0])
}

// redirect sends answers to a file, or to standard output if path is "".
func (sh *shell) redirect(path string) error {
	err := sh.out.Flush()
	if sh.output != nil {
		if closeErr := sh.output.Close(); err == nil {
			err = closeErr
		}
		sh.output = nil
	}
	var w io.Writer = sh.stdout
	if path != "" {
		f, openErr := os.Create(path)
		if openErr != nil {
			return openErr
		}
		sh.output, w = f, f
	}
	sh.out.Reset(sh.answersTo(w))
	return err
}

func (sh *shell) dotRead(ctx context.Context, args []string) error {
	if sh.depth >= maxRead {
		return failf(exitRejected, "files that .read each other, more than %d deep", maxRead)
	}
	sh.depth++
	defer func() { sh.depth-- }()
	return sh.file(ctx, args[0])
}

func (sh *shell) dotImport(ctx context.Context, args []string) error {
	im := importer{stderr: sh.stderr}
	cmd := &cobra.Command{Use: ".import"} // for its flags only
	im.flags(cmd)
	flags := cmd.Flags()
	flags.Usage = func() {}
	switch err := flags.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		_, err := fmt.Fprintf(sh.stderr, "usage: .import [flags] PATH…\n\n%s", flags.FlagUsages())
		return err
	case err != nil:
		return failf(exitRejected, "%v", err)
	}
	if err := im.check(); err != nil {
		return failf(exitRejected, "%v", err)
	}
	if flags.NArg() == 0 {
		return failf(exitRejected, "want .import [flags] PATH…")
	}
	if slices.Contains(flags.Args(), "-") {
		return failf(exitRejected, "standard input holds the statements; use simdb import DB -")
	}
	return im.into(ctx, sh.db, flags.Args())
}
