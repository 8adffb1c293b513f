// Package command provides the frame of every command: argument checks, Ctrl-C, opening and
// closing of databases, and the memory budget.
//
// It guarantees that an interrupted or failing command closes its database. Begin reading at On.
package command

// Arguments, Ctrl-C and the final message of a command.

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// Args returns a check of the number of arguments. A negative most means any number.
func Args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return exit.Usagef("want %s, found %s; see %s --help", cmd.UseLine(), output.Count(int64(len(args)), "argument"), cmd.CommandPath())
		}
		return nil
	}
}

// Interruptible returns a context that the first Ctrl-C cancels, or the end of the terminal. The
// second Ctrl-C ends the process, in case the cancellation takes too long.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, append(Ends(), os.Interrupt)...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Ends returns the signals other than Ctrl-C that end a process.
func Ends() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) { // as nohup does
		return []os.Signal{syscall.SIGTERM}
	}
	return []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
}

// Run adapts work to cobra, with a context that the first Ctrl-C cancels.
func Run(work func(ctx context.Context, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, stop := Interruptible(cmd.Context())
		defer stop()
		return work(ctx, cmd, args)
	}
}

// Complain writes the message of a failed command or statement to stderr, with a prefix.
func Complain(stderr io.Writer, c output.Color, message string) {
	prefix := "simdb:"
	if output.StyleOf(stderr, c).Color {
		prefix = output.Red(prefix)
	}
	fmt.Fprintln(stderr, prefix, message)
}
