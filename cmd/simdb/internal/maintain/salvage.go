package maintain

// The salvage command: for the day when a database does not open and there is no backup.

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

func newSalvage() *cobra.Command {
	return &cobra.Command{
		Use:   "salvage [flags] DB NEWDB",
		Short: "Copy what can be read of a damaged database to a new one",
		Long: `Copy every document that can be read out of a database that does not open, with the
settings of its collections, to a new database. Each file of DB is read by itself, so it
does not matter which others are missing. DB is never written.

What is lost is named on standard error, one thing a line, and the exit code is 3 then.
What was stored last may be among it: then an earlier state of a document may come back,
or one that was deleted. The positions of interrupted imports come along only if nothing
is lost.

NEWDB is written as NEWDB.partial and gets its name when it is whole. Beside it there
must be room for the texts once more while the command runs.`,
		Args: command.Args(2, 2),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			return runSalvage(ctx, cmd, args[0], args[1])
		}),
	}
}

func runSalvage(ctx context.Context, cmd *cobra.Command, from, to string) error {
	if from == "" || to == "" {
		return command.ErrUnnamed
	}
	for _, path := range []string{to, to + ".partial"} {
		if _, err := os.Lstat(path); err == nil {
			return exit.Failf(exit.Rejected, "%s exists; name a directory that does not, or remove what an earlier salvage left", path)
		}
	}
	if err := command.OutsideDatabases("the new database", to); err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	ctx, x := output.WaitFor(ctx, stderr)
	done, err := simdb.Salvage(ctx, from, to, &simdb.Options{MemoryBytes: command.MemoryOf(cmd), Logger: command.Warnings()}, func(what string) {
		fmt.Fprintln(stderr, "lost:", what)
	})
	x.Stop()
	switch {
	case errors.Is(err, api.ErrLocked):
		return exit.Failf(exit.Unavailable, "the database %s is open in another process; end that one, then try again", from)
	case err != nil:
		return exit.Interrupted(err, "nothing is left of the new database")
	}
	what := fmt.Sprintf("salvaged %s in %s to %s", output.Count(done.Documents, "document"), output.Count(done.Collections, "collection"), to)
	if done.Lost > 0 {
		return exit.Failf(exit.Incomplete, "%s; %s lost", what, output.Count(done.Lost, "thing"))
	}
	fmt.Fprintf(stderr, "%s; nothing is lost\n", what)
	return nil
}
