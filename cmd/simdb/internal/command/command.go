// Package command is what every command of simdb does around its work: it checks its
// arguments, ends with Ctrl-C, opens and closes databases, and keeps within its memory.
package command

// Arguments, Ctrl-C and the last word of a command.

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

// Args checks the number of arguments after a command. A negative most
// means any number.
func Args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return exit.Usagef("want %s, found %s; see %s --help", cmd.UseLine(), output.Count(int64(len(args)), "argument"), cmd.CommandPath())
		}
		return nil
	}
}

// Interruptible returns a context that ends with the first Ctrl-C. The second
// one ends the process, in case the first takes too long.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Run is a command that ends with the first Ctrl-C.
func Run(work func(ctx context.Context, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, stop := Interruptible(cmd.Context())
		defer stop()
		return work(ctx, cmd, args)
	}
}

// Complain writes the message with which a command, or a statement, fails.
func Complain(stderr io.Writer, c output.Color, message string) {
	prefix := "simdb:"
	if output.StyleOf(stderr, c).Color {
		prefix = output.Red(prefix)
	}
	fmt.Fprintln(stderr, prefix, message)
}
