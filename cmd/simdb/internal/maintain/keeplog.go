package maintain

// The keep-log command shows or sets how much of its log a database retains as history.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// newKeepLog returns the keep-log command.
func newKeepLog() *cobra.Command {
	var keep api.KeepLog
	var off bool
	cmd := &cobra.Command{
		Use:   "keep-log [flags] DB",
		Short: "Show or set how much log history a database retains",
		Long: `Show or set how much of its log a database retains as history, for tail, backup
--incremental and restore --to. A new database retains none. The setting is stored in
the database, applies to every program that opens it for writing, and covers changes
from then on. Beyond the size or the age, whole log segments are deleted, oldest first.

Without flags, show the retained history; this takes no lock.`,
		Args: command.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch some := keep != (api.KeepLog{}); {
			case off && some:
				return exit.Usagef("--off keeps none; leave out --size and --age")
			case !off && !some:
				return printHistory(cmd.OutOrStdout(), args[0])
			}
			return setHistory(cmd, args[0], keep)
		},
	}
	command.SizeFlag(cmd, &keep.Bytes, "size", 1, command.AnySize, "retain at most this size, like 1GiB")
	command.DurationFlag(cmd, &keep.Age, "age", "retain changes up to this age, like 30d or 12h")
	cmd.Flags().BoolVar(&off, "off", false, "retain none, and delete the retained history")
	return cmd
}

// setHistory opens the database with the setting, which the database then stores.
func setHistory(cmd *cobra.Command, path string, keep api.KeepLog) error {
	open := func(ctx context.Context) (*simdb.DB, error) {
		db, err := command.OpenExisting(ctx, path, false, command.MemoryOf(cmd)) // for its error messages
		if err != nil {
			return nil, err
		}
		if err := db.Close(); err != nil {
			return nil, err
		}
		return command.OpenOrCreate(ctx, path, &simdb.Options{MustExist: true, MemoryBytes: command.MemoryOf(cmd), KeepLog: &keep})
	}
	if err := command.On(cmd, open, func(context.Context, *simdb.DB) error { return nil }); err != nil {
		return err
	}
	return printHistory(cmd.OutOrStdout(), path)
}

// printHistory prints the retained history. It reads only the files, without a lock.
func printHistory(w io.Writer, path string) error {
	if path == "" {
		return command.ErrUnnamed
	}
	h, err := simdb.History(path)
	if errors.Is(err, api.ErrNotKept) {
		_, err = fmt.Fprintln(w, "no history is kept")
		return err
	}
	if err != nil {
		return err
	}
	var limits []string
	if h.Keep.Bytes > 0 {
		limits = append(limits, "up to "+output.Bytes(h.Keep.Bytes))
	}
	if h.Keep.Age > 0 {
		limits = append(limits, "for at most "+output.Duration(h.Keep.Age))
	}
	_, err = fmt.Fprintf(w, "history is kept %s\nit covers the changes after seq %d, up to seq %d, in %s and the log\n",
		strings.Join(limits, " and "), h.Oldest, h.Newest, output.Bytes(h.Bytes))
	return err
}
