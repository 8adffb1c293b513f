// Command simdb imports texts into a database, and asks it which texts are
// similar.
//
// In come a command line, files and statements. Out come rows, messages and an
// exit code. The commands know nothing of similarity: they call the root
// package as any other program would.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/internal/slack"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main without the process around it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// If a reader of the output leaves, this must be an error here, so that the
	// store is closed. Otherwise the write to a closed pipe would end the
	// process.
	signal.Ignore(syscall.SIGPIPE)
	root := newRoot()
	var restore func()
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) { restore = slack.Bound(softLimit(cmd)) }
	defer func() {
		if restore != nil {
			restore()
		}
	}()
	root.SetArgs(asTyped(args))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if message := messageOf(err); message != "" {
		complain(stderr, message)
	}
	return codeOf(err)
}

// asTyped makes sure that a statement which begins with a comment is not taken
// for a flag. No flag begins with "--" and white space.
func asTyped(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if rest, ok := strings.CutPrefix(a, "--"); ok && strings.TrimLeft(rest, " \t\r\n") != rest {
			args[i] = " " + a
		}
	}
	return args
}

func complain(stderr io.Writer, message string) {
	prefix := "simdb:"
	if styleOf(stderr).color {
		prefix = red(prefix)
	}
	fmt.Fprintln(stderr, prefix, message)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "simdb",
		Short: "An embedded exact similarity database",
		Long: `simdb stores texts and answers which of them are similar, exactly.

  simdb import my.simdb docs/
  simdb query my.simdb "SIMILAR TO 'readme.txt' WHERE sim >= 0.5"`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args:          knownCommand,

		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprint(cmd.ErrOrStderr(), cmd.UsageString())
			return usagef("say which command; see simdb --help")
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v; see %s --help", err, cmd.CommandPath())
	})
	onStores := []*cobra.Command{
		newImport(), newQuery(), newShell(), newGet(),
		newCheck(), newCompact(), newStats(), newSync(), newExport(), newDump(), newRestore(), newDedupe(), newMark(), newBackup(), newSalvage(), newTail(), newKeepLog(), newServe(), newDemo(),
	}
	for _, c := range onStores {
		memoryFlag(c)
	}
	root.AddCommand(onStores...)
	root.AddCommand(newCompare(), newRender(), newReadPDF(), newScale(), newLab(), newCompletion(), newMan(), newVersion())
	for _, c := range root.Commands() {
		c.DisableFlagsInUseLine = true // Use says so where there are any
	}
	root.SetHelpCommand(newHelp())
	root.SetVersionTemplate("{{.Version}}\n")
	return root
}

// knownCommand rejects a command that does not exist.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see simdb --help"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usagef("there is no command %q; %s", args[0], hint)
}

// positional checks the number of arguments after a command. A negative most
// means any number.
func positional(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return usagef("want %s, found %s; see %s --help", cmd.UseLine(), count(int64(len(args)), "argument"), cmd.CommandPath())
		}
		return nil
	}
}

// interruptible returns a context that ends with the first Ctrl-C. The second
// one ends the process, in case the first takes too long.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
