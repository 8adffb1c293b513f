package shell

// Dot commands of the shell, such as .mode and .read. Arguments are quoted as in a Unix shell.

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/maintain"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
	"github.com/simdb/simdb/query"
)

// maxRead limits the nesting of .read.
const maxRead = 16

// dotCommand is a command of the shell itself.
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
		{".check", "", "recompute all derived data and compare it with what is stored", 0, 0, onSession(maintain.Check)},
		{".collections", "", "list the collections", 0, 0, onSession(maintain.Collections)},
		{".dump", "FILE", "write everything to a new file for simdb restore", 1, 1, (*shell).dotDump},
		{".exit", "", "leave; so does Ctrl-D", 0, 0, (*shell).dotExit},
		{".explain", "on|off", "show how each search was answered", 1, 1, toggle(func(sh *shell) *bool { return &sh.Explain })},
		{".export", "[FILE]", "write all documents as NDJSON for simdb import", 0, 1, (*shell).dotExport},
		{".help", "", "show this list", 0, 0, (*shell).dotHelp},
		{".import", "[--in COLLECTION] PATH…", "import files, with the flags of simdb import", 1, -1, (*shell).dotImport},
		{".mode", "[FORMAT]", "show or set the format: " + strings.Join(output.Formats, " "), 0, 1, (*shell).dotMode},
		{".open", "DB", "close this database and open another", 1, 1, (*shell).dotOpen},
		{".output", "[FILE]", "write answers to a file; without FILE, to the screen again", 0, 1, (*shell).dotOutput},
		{".pager", "on|off", "show answers longer than the terminal in less, or in the program PAGER", 1, 1, (*shell).dotPager},
		{".quit", "", "leave", 0, 0, (*shell).dotExit},
		{".read", "FILE", "run the statements of a file", 1, 1, (*shell).dotRead},
		{".refresh", "", "see what other processes have written, if opened read-only", 0, 0, (*shell).dotRefresh},
		{".schema", "[NAME]", "show the statements that create the collections", 0, 1, (*shell).dotSchema},
		{".stats", "", "show counts and sizes", 0, 0, onSession(maintain.Stats)},
		{".timer", "on|off", "show how long each statement took", 1, 1, toggle(func(sh *shell) *bool { return &sh.Timer })},
	}
}

// dot runs a dot command.
func (sh *shell) dot(ctx context.Context, line string) error {
	sh.Restyle()
	words, err := splitWords(strings.TrimSuffix(line, ";"))
	if err != nil {
		return err
	}
	all := dotCommands()
	i := slices.IndexFunc(all, func(d dotCommand) bool { return d.name == words[0] })
	if i < 0 {
		return exit.Failf(exit.Rejected, "there is no command %s; .help lists them", output.EscapeControls(words[0]))
	}
	d, args := all[i], words[1:]
	if len(args) < d.least || d.most >= 0 && len(args) > d.most {
		return exit.Failf(exit.Rejected, "want %s %s", d.name, d.args)
	}
	return d.run(sh, ctx, args)
}

// onSession adapts a function on a session to a dot command without arguments.
func onSession(do func(context.Context, *session.Session) error) func(*shell, context.Context, []string) error {
	return func(sh *shell, ctx context.Context, _ []string) error { return do(ctx, sh.Session) }
}

// toggle returns a command that turns a switch on or off.
func toggle(which func(*shell) *bool) func(*shell, context.Context, []string) error {
	return func(sh *shell, _ context.Context, args []string) error {
		if args[0] != "on" && args[0] != "off" {
			return exit.Failf(exit.Rejected, "want on or off, found %q", args[0])
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
	if sh.Pager != nil {
		sh.Pager.Off = !on
	} else if on {
		return exit.Failf(exit.Rejected, "there is no pager: the output is not a terminal, PAGER turns it off, or less is not installed")
	}
	return nil
}

// plainWords maps commands of other database shells to dot commands. None of them is a statement.
var plainWords = map[string]string{"help": ".help", "exit": ".exit", "quit": ".quit", "?": ".help"}

// asDot returns the dot command of a line, and whether the line is one.
func asDot(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if dot, ok := plainWords[strings.ToLower(strings.TrimRight(line, "; "))]; ok {
		return dot, true
	}
	return line, strings.HasPrefix(line, ".")
}

func (sh *shell) dotHelp(context.Context, []string) error {
	for _, d := range dotCommands() {
		fmt.Fprintf(sh.Out, "%-30s %s\n", d.name+" "+d.args, d.help)
	}
	return sh.Out.Flush()
}

func (sh *shell) dotExit(context.Context, []string) error { return errLeave }

func (sh *shell) dotBackup(ctx context.Context, args []string) error {
	return maintain.Backup(ctx, sh.DB, sh.Stderr, args[0], false)
}

func (sh *shell) dotMode(_ context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprintln(sh.Out, sh.Format)
		return sh.Out.Flush()
	}
	if err := output.SetFormat(&sh.Format, args[0], output.Formats); err != nil {
		return exit.Failf(exit.Rejected, "%v", err)
	}
	return nil
}

// dotOpen opens another database before it closes the current one, which stays open on failure.
func (sh *shell) dotOpen(ctx context.Context, args []string) error {
	db, reads, err := openShell(ctx, args[0], sh.readOnly, false, sh.memory)
	if err != nil {
		return err
	}
	err = sh.DB.Close()
	sh.DB, sh.path, sh.reads = db, args[0], reads
	return err
}

// dotRefresh reopens a read-only database. It does nothing for a writable one, since no other
// process can write to it.
func (sh *shell) dotRefresh(ctx context.Context, _ []string) error {
	if !sh.reads {
		return nil
	}
	db, err := command.OpenExisting(ctx, sh.path, true, sh.memory)
	if err != nil {
		return err
	}
	err = sh.DB.Close()
	sh.DB = db
	return err
}

func (sh *shell) dotSchema(ctx context.Context, args []string) error {
	all, err := sh.DB.Collections(ctx)
	if err != nil {
		return err
	}
	found := len(args) == 0
	for _, c := range all {
		if len(args) > 0 && c.Name != args[0] {
			continue
		}
		found = true
		fmt.Fprintf(sh.Out, "CREATE COLLECTION %s WITH (%s);\n", output.QuoteName(c.Name), query.FormatSettings(c.Settings))
	}
	if !found {
		return exit.Failf(exit.Rejected, "there is no collection %q; .collections lists them", args[0])
	}
	return sh.Out.Flush()
}

func (sh *shell) dotDump(ctx context.Context, args []string) error {
	return exit.Interrupted(maintain.DumpToFile(ctx, sh.DB, args[0]), "nothing is left of the dump")
}

func (sh *shell) dotExport(ctx context.Context, args []string) (err error) {
	if len(args) == 0 {
		return maintain.Export(ctx, sh.DB, nil, "ndjson", sh.Out, sh.Stderr)
	}
	f, err := os.Create(args[0])
	if err != nil {
		return err
	}
	defer command.CloseInto(f, &err)
	return maintain.Export(ctx, sh.DB, nil, "ndjson", f, sh.Stderr)
}

func (sh *shell) dotOutput(_ context.Context, args []string) error {
	if len(args) == 0 {
		return sh.redirect("")
	}
	return sh.redirect(args[0])
}

// redirect sends answers to a file, or to standard output if path is "".
func (sh *shell) redirect(path string) error {
	err := sh.Out.Flush()
	if sh.output != nil {
		command.CloseInto(sh.output, &err)
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
	sh.Out.Reset(sh.AnswersTo(w))
	return err
}

// dotRead runs the statements of a file, with a limit on nesting, because a file may read itself.
func (sh *shell) dotRead(ctx context.Context, args []string) error {
	if sh.depth >= maxRead {
		return exit.Failf(exit.Rejected, ".read is nested more than %d deep", maxRead)
	}
	sh.depth++
	defer func() { sh.depth-- }()
	return sh.file(ctx, args[0])
}

func (sh *shell) dotImport(ctx context.Context, args []string) error {
	return load.Import(ctx, sh.DB, args, sh.Stderr)
}

// splitWords cuts a dot command at white space that is not between quotes.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == ' ' || r == '\t':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if quote != 0 {
		return nil, exit.Failf(exit.Rejected, "a quote (%c) is not closed", quote)
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}
