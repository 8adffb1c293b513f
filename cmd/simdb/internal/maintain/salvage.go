package maintain

// The salvage command: for the day when a database is damaged and there is no backup.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

func newSalvage() *cobra.Command {
	var s salvaging
	cmd := &cobra.Command{
		Use:   "salvage [flags] DB {NEWDB | --replace}",
		Short: "Make a sound database of what can be read of a damaged one",
		Long: `Copy all that can be read out of a damaged database to a new one: documents, settings of
collections, ledgers, groups with their numbers, and the history. Each file of DB is read by
itself, so it does not matter which others are missing. Everything else is derived anew. DB is
never written. Marks of DB hold for the new database.

What is lost is named on standard error, one thing a line, and the exit code is 3 then.
What was stored last may be among it: then an earlier state of a document may come back,
or one that was deleted. The positions of interrupted imports come along only if nothing
is lost.

The new database is written as NEWDB.partial, is checked, and then gets its name. Beside it
there must be room for the texts once more while the command runs.

With --replace it takes the place of DB, which then stands beside as DB.damaged. A command
that is killed leaves the one or the other under the name; run it again. --discard removes
DB.damaged in the end, unless something is lost.`,
		Args: command.Args(1, 2),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			return s.run(ctx, cmd, args)
		}),
	}
	cmd.Flags().BoolVar(&s.replace, "replace", false, "put the new database in the place of DB")
	cmd.Flags().BoolVar(&s.discard, "discard", false, "with --replace: remove the damaged database, unless something is lost")
	return cmd
}

type salvaging struct{ replace, discard bool }

func (s *salvaging) run(ctx context.Context, cmd *cobra.Command, args []string) error {
	switch {
	case s.replace != (len(args) == 1):
		return exit.Usagef("give DB and NEWDB, or --replace and DB alone")
	case s.discard && !s.replace:
		return exit.Usagef("--discard goes with --replace")
	}
	from, to := args[0], args[len(args)-1]
	if from == "" || to == "" {
		return command.ErrUnnamed
	}
	if !s.replace {
		if _, err := os.Lstat(to); err == nil {
			return exit.Failf(exit.Rejected, "%s exists; name a directory that does not", to)
		}
		if err := command.OutsideDatabases("the new database", to); err != nil {
			return err
		}
	}
	stderr := cmd.ErrOrStderr()
	ctx, x := output.WaitFor(ctx, stderr)
	o := &simdb.Options{MemoryBytes: command.MemoryOf(cmd), Logger: command.Warnings()}
	tell := func(what string) { fmt.Fprintln(stderr, "lost:", what) }
	var done api.Salvaged
	var err error
	if s.replace {
		done, err = simdb.SalvageInPlace(ctx, from, o, tell)
	} else {
		done, err = simdb.Salvage(ctx, from, to, o, tell)
	}
	x.Stop()
	switch {
	case errors.Is(err, api.ErrLocked):
		return exit.Failf(exit.Unavailable, "the database %s is open in another process; end that one, then try again", from)
	case errors.Is(err, fs.ErrNotExist) && !errors.Is(err, api.ErrCorrupt):
		return command.Missing(from)
	case err != nil:
		return exit.Interrupted(err, "the damaged database is as it was, and nothing is left of the new one")
	}
	what := fmt.Sprintf("salvaged %s in %s to %s", output.Count(done.Documents, "document"), output.Count(done.Collections, "collection"), to)
	if s.replace {
		what += "; the damaged database is " + done.Old
		if s.discard && done.Lost == 0 {
			if err := os.RemoveAll(done.Old); err != nil {
				return fmt.Errorf("%s, and cannot be removed: %w", what, err)
			}
			what += ", and is removed"
		}
	}
	if done.Lost > 0 {
		return exit.Failf(exit.Incomplete, "%s; %s lost", what, output.Count(done.Lost, "thing"))
	}
	fmt.Fprintf(stderr, "%s; nothing is lost\n", what)
	return nil
}
