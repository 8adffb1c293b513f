// Command simdb imports texts into a database, searches it for similar texts and maintains it.
//
// The command adds no behaviour of its own to searches and storage: it calls the root package
// like any other program. Every failure prints one message to standard error and ends with
// an exit code of package exit.
//
// Begin reading at newRoot, which lists the commands; each is a file of a package below internal.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/agent"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/evaluate"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/load"
	"github.com/simdb/simdb/cmd/simdb/internal/maintain"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/scale"
	"github.com/simdb/simdb/cmd/simdb/internal/search"
	"github.com/simdb/simdb/cmd/simdb/internal/serve"
	"github.com/simdb/simdb/cmd/simdb/internal/shell"
	"github.com/simdb/simdb/cmd/simdb/internal/verify"
	_ "github.com/simdb/simdb/code" // reads texts for unit = 'code'
	"github.com/simdb/simdb/internal/budget"
	"github.com/simdb/simdb/internal/slack"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run executes a command line and returns its exit code. Tests call it instead of main.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// A write to a closed pipe must return an error, so that the store is closed. By default
	// SIGPIPE would end the process.
	signal.Ignore(syscall.SIGPIPE)
	root := newRoot()
	var restore func()
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		command.CapMemory(cmd, budget.Most())
		restore = slack.Bound(command.SoftLimit(cmd))
	}
	defer func() {
		if restore != nil {
			restore()
		}
	}()
	root.SetArgs(orShell(root, asTyped(args)))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	refused := refuseHelp(root)
	cmd, err := root.ExecuteC()
	if err == nil {
		err = *refused
	}
	if message := ofLink(args, exit.MessageOf(err)); message != "" {
		command.Complain(stderr, output.ColorOf(cmd), message)
	}
	return exit.CodeOf(err)
}

// ofLink replaces a message about an argument that is a symbolic link to nothing: to every command
// such a path is missing, or in the way, and only the link explains why.
func ofLink(args []string, message string) string {
	for _, path := range args {
		to, err := os.Readlink(path)
		if err != nil || !strings.Contains(message, path) {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return output.EscapeControls(fmt.Sprintf("%s is a symbolic link to %s, which does not exist; mend or remove the link", path, to))
		}
	}
	return message
}

// asTyped keeps the flag parser from taking a statement that begins with a comment for a flag.
// No flag begins with "--" and white space.
func asTyped(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if rest, ok := strings.CutPrefix(a, "--"); ok && strings.TrimLeft(rest, " \t\r\n") != rest {
			args[i] = " " + a
		}
	}
	return args
}

// orShell returns the arguments for the shell if the first is no command but names something that
// exists: a database, a file or a folder.
func orShell(root *cobra.Command, args []string) []string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return args
	}
	if found, _, err := root.Find(args[:1]); err == nil && found != root {
		return args
	}
	if _, err := os.Stat(args[0]); err != nil {
		return args
	}
	return append([]string{"shell"}, args...)
}

// newRoot returns the root command with all commands of simdb.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "simdb COMMAND",
		Short: "An embedded exact similarity database",
		Long: `simdb stores texts and finds similar ones, exactly. Five commands are enough to begin:

  simdb report submissions/ --out report.html      report the similar texts of a folder
  simdb dedupe pages.jsonl > unique.jsonl          write a file without near-duplicates
  simdb serve docs/                                search and compare in a browser
  simdb import my.simdb docs/                      store the files of a folder
  simdb query my.simdb "SIMILAR TO 'readme.txt'"   find the texts similar to one

The first three and query take a database or files. simdb my.simdb and simdb pages.jsonl
open a shell for statements.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,

		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if show, _ := cmd.Flags().GetBool("version"); show {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
				return err
			}
			fmt.Fprint(cmd.ErrOrStderr(), cmd.UsageString())
			return exit.Usagef("a command is missing; see simdb --help")
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.Usagef("%v; see %s --help", err, cmd.CommandPath())
	})
	onStores := append(maintain.Commands(), load.NewImport(), load.NewSync(),
		search.NewQuery(), search.NewReport(), verify.New(), search.NewGet(), search.NewDemo(), shell.New(), serve.New(), agent.New())
	for _, c := range onStores {
		command.MemoryFlag(c)
	}
	root.AddCommand(onStores...)
	root.AddCommand(search.NewCompare(), load.NewRender(), load.NewReadPDF(), scale.New(), evaluate.New(), newCompletion(), newMan(), newVersion())
	for _, c := range root.Commands() {
		c.DisableFlagsInUseLine = true // Use names [flags] if the command has any
		if c.HasSubCommands() && c.Args == nil {
			c.Args = knownCommand
		}
	}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range root.Commands() {
			if slices.Contains(strings.Fields(g.names), c.Name()) {
				c.GroupID = g.title
			}
		}
	}
	root.DisableFlagsInUseLine = true
	root.SetUsageFunc(command.Usage)
	output.ColorFlag(root)
	offers(root)
	root.SetHelpCommand(newHelp())
	root.SetHelpCommandGroupID("More")
	// simdb adds the version flag itself: cobra's SetVersionTemplate links text/template, which
	// calls methods by name, so the linker would keep every exported method, 6 MB of the command.
	root.Flags().BoolP("version", "v", false, "print the version")
	return root
}

// groups lists the commands by purpose, for the help, the manual and docs/commands.md.
var groups = []struct{ title, names string }{
	{"Ask", "compare demo get mark query report shell"},
	{"Store", "dedupe import render sync"},
	{"Keep", "backup compact keep-log restore salvage stats"},
	{"Move", "dump export tail"},
	{"Serve", "mcp serve"},
	{"Verify", "check evaluate ledger verify"},
	{"More", "completion man scale version"},
}

// knownCommand rejects the arguments of a command that has only subcommands.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasParent() && strings.ContainsAny(args[0], `./\`) {
		return exit.Usagef("there is no file, folder or database at %s, and no command of that name; see simdb --help", output.EscapeControls(args[0]))
	}
	hint := "see " + cmd.CommandPath() + " --help"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return exit.Usagef("there is no command %q; %s", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "simdb "), hint)
}

// refuseHelp makes --help after a word that is no command fail, like the word alone, and a help that
// cannot be written. The error is set during the execution of root.
func refuseHelp(root *cobra.Command) *error {
	var refused error
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
			if refused = cmd.ValidateArgs(words); refused != nil {
				return
			}
		}
		var text bytes.Buffer // cobra ignores errors of writing
		out := cmd.OutOrStdout()
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(out)
		_, refused = text.WriteTo(out)
	})
	return &refused
}

// newHelp returns the help command.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show help for simdb or a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if err := knownCommand(about, rest); err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
