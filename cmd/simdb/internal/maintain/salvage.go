package maintain

// The salvage command recovers the readable part of a damaged database without a backup.

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

// newSalvage returns the salvage command.
func newSalvage() *cobra.Command {
	var s salvaging
	cmd := &cobra.Command{
		Use:   "salvage [flags] DB {NEWDB | --replace}",
		Short: "Recover the readable part of a damaged database",
		Long: `Copy the readable part of a damaged database to a new one: documents, settings of
collections, ledgers, groups with their numbers, and the history. Each file of DB is
read independently, so other files may be missing. Everything else is derived again. DB
is never written. Marks of DB remain valid in the new database.

Losses are listed on standard error, one per line, and end the command with code 3. If
recent changes are lost, an earlier state of a document, or a deleted document, may
return. Positions of interrupted imports are copied only if nothing is lost.

The new database is written as NEWDB.partial, checked and renamed. In the meantime, the
disk also needs space for another copy of the texts.

With --replace, the new database replaces DB, which is renamed to DB.damaged. After a
kill, one of the two has the name DB; run the command again. --discard then removes
DB.damaged, unless something is lost.`,
		Args: command.Args(1, 2),
		RunE: command.Run(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			return s.run(ctx, cmd, args)
		}),
	}
	cmd.Flags().BoolVar(&s.replace, "replace", false, "replace DB by the new database")
	cmd.Flags().BoolVar(&s.discard, "discard", false, "with --replace: remove the damaged database, unless something is lost")
	return cmd
}

type salvaging struct{ replace, discard bool }

// run salvages the database and reports losses.
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
