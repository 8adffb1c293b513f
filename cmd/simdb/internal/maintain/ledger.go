package maintain

// The ledger command lists the texts rejected or removed as duplicates, and verifies the record.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/cmd/simdb/internal/session"
	"github.com/simdb/simdb/internal/ingest"
	"github.com/simdb/simdb/query"
)

// newLedger returns the ledger command.
func newLedger() *cobra.Command {
	var of, since string
	format := "table"
	var in []string
	cmd := &cobra.Command{
		Use:   "ledger [flags] DB",
		Short: "List texts removed as duplicates, with the similar text kept",
		Long: `List the ledgers of collections created WITH (ledger = on), oldest row first. A row
records a text that was rejected because of a similar stored text, replaced by a
similar text, or deleted as a duplicate: its id and SHA-256, the keeper, their overlap,
the measure and threshold, the operation and the time. The row and the change that it
records are written atomically.

--format ndjson or csv exports the ledger.`,
		Example: `  simdb ledger --of page-17 my.simdb
  simdb ledger --since 2026-01-31 --format ndjson my.simdb >ledger.ndjson
  simdb ledger verify my.simdb crawl.jsonl.gz`,
		Args: command.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.OnDBToRead(cmd, args[0], false, func(ctx context.Context, db *simdb.DB) error {
				names, err := ledgers(ctx, db, in)
				if err != nil {
					return err
				}
				return session.New(cmd, db, format).Statement(ctx, ledgerStatement(names, of, since))
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&of, "of", "", "only rows with this `ID`, as the removed text or the keeper")
	f.StringVar(&since, "since", "", "only since this `TIME|MARK`: a time like 2026-01-31, or a mark of simdb mark")
	output.FormatFlag(cmd, &format, output.Formats, "")
	ledgerInFlag(cmd, &in)
	cmd.AddCommand(newLedgerVerify())
	return cmd
}

// ledgerInFlag adds --in.
func ledgerInFlag(cmd *cobra.Command, in *[]string) {
	cmd.Flags().StringArrayVar(in, "in", nil, "`COLLECTION` with a ledger; may be repeated (default all of them)")
}

// ledgers returns the collections to read: in, or all with a ledger.
func ledgers(ctx context.Context, db *simdb.DB, in []string) (names []string, err error) {
	if len(in) > 0 {
		return in, nil
	}
	all, err := db.Collections(ctx)
	for _, c := range all {
		if c.Settings.Ledger {
			names = append(names, c.Name)
		}
	}
	if err == nil && names == nil {
		err = exit.Failf(exit.Rejected, "no collection keeps a ledger; one is created WITH (ledger = on)")
	}
	return names, err
}

// ledgerStatement returns the LEDGER statement for the flags.
func ledgerStatement(in []string, of, since string) string {
	quoted := func(s, q string) string { return q + strings.ReplaceAll(s, q, q+q) + q }
	s := "LEDGER"
	if of != "" {
		s += " OF " + quoted(of, "'")
	}
	for i, name := range in {
		s += []string{" IN ", ", "}[min(i, 1)] + quoted(name, `"`)
	}
	if since != "" {
		s += " SINCE " + quoted(since, "'")
	}
	return s
}

// newLedgerVerify returns the verify subcommand.
func newLedgerVerify() *cobra.Command {
	format := "table"
	var in []string
	cmd := &cobra.Command{
		Use:                   "verify [flags] DB [PATH…]",
		DisableFlagsInUseLine: true,
		Short:                 "Recompute the rows of the ledger from their texts",
		Long: `Recompute each row of the ledger whose texts exist: the keeper, unchanged since the row
was written, and the removed text, found by id and SHA-256. A removed text is usually
not stored; name the files of the import, or a folder, as PATHs, which are read as by
simdb import. The removed texts are held in memory.

Wrong rows are listed, and end the command with code 3. With a --format other than
table, every row is written with its verdict, and the summary goes to standard error.`,
		Args: command.Args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.OnDBToRead(cmd, args[0], false, func(ctx context.Context, db *simdb.DB) error {
				return verifyLedger(ctx, db, in, args[1:], cmd, format)
			})
		},
	}
	output.FormatFlag(cmd, &format, output.Formats, "")
	ledgerInFlag(cmd, &in)
	return cmd
}

// verifyLedger recomputes the rows and prints the verdicts. It returns an error of code
// exit.Incomplete if a row is wrong.
func verifyLedger(ctx context.Context, db *simdb.DB, in, paths []string, cmd *cobra.Command, format string) (err error) {
	snapshot, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	q := api.LedgerQuery{}
	if q.In, err = ledgers(ctx, db, in); err != nil {
		return err
	}
	of, err := fallenTexts(ctx, snapshot, q, paths)
	if err != nil {
		return err
	}
	n := map[api.LedgerVerdict]int64{}
	rows := int64(0)
	out := cmd.OutOrStdout()
	var printer output.Printer // nil: list only wrong rows
	if format != "table" {
		s := session.New(cmd, db, format)
		defer func() { err = errors.Join(err, s.Out.Flush()) }()
		printer = output.NewPrinter(format, s.Out, query.Columns(verifiedColumns...), s.Style)
		out = cmd.ErrOrStderr()
	}
	for r, err := range snapshot.VerifyLedger(ctx, q, of) {
		if err != nil {
			return err
		}
		rows++
		n[r.Verdict]++
		switch {
		case printer != nil:
			err = printer.Row(verifiedRow(&r))
		case r.Verdict == api.LedgerWrong:
			_, err = fmt.Fprintf(out, "wrong: %s in %s fell to %s by %s, %d of %d; the texts have %d of %d\n", output.EscapeControls(r.ID), r.Collection,
				output.EscapeControls(r.Keeper.ID), r.Measure.Describe(r.Args), r.Keeper.Shared, r.Keeper.Union, r.Now.Shared, r.Now.Union)
		}
		if err != nil {
			return err
		}
	}
	if printer != nil {
		if err := printer.End(); err != nil {
			return err
		}
	}
	sum := fmt.Sprintf("%s: %s right, %s wrong, %s whose texts are gone, %s whose keeper changed", output.Count(rows, "row"), output.Thousands(n[api.LedgerRight]),
		output.Thousands(n[api.LedgerWrong]), output.Thousands(n[api.LedgerGone]), output.Thousands(n[api.LedgerChanged]))
	if open := n[api.LedgerOpen]; open > 0 {
		sum += fmt.Sprintf(", %s that hang on other texts too", output.Thousands(open))
	}
	if _, err := fmt.Fprintln(out, sum); err != nil {
		return err
	}
	if wrong := n[api.LedgerWrong]; wrong > 0 {
		return exit.Failf(exit.Incomplete, "%s of the ledger wrong", output.Count(wrong, "row"))
	}
	return nil
}

var verifiedColumns = []string{"id", "collection", "keeper", "measure", "verdict", "shared", "union", "shared_now", "union_now"}

// verifiedRow returns the cells of a row. The recomputed numbers are NULL if the texts were not
// compared.
func verifiedRow(r *api.VerifiedRow) []any {
	row := []any{r.ID, r.Collection, r.Keeper.ID, r.Measure.Describe(r.Args), string(r.Verdict), int64(r.Keeper.Shared), int64(r.Keeper.Union), nil, nil}
	if r.Verdict == api.LedgerRight || r.Verdict == api.LedgerWrong {
		row[7], row[8] = int64(r.Now.Shared), int64(r.Now.Union)
	}
	return row
}

// fallenTexts reads paths and returns a lookup, by SHA-256, of the removed texts that the rows
// refer to. It holds these texts in memory.
func fallenTexts(ctx context.Context, s *simdb.Snapshot, q api.LedgerQuery, paths []string) (of func([32]byte) (api.Document, bool), err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	texts := map[[32]byte]*string{}
	for r, err := range s.Ledger(ctx, q) {
		if err != nil {
			return nil, err
		}
		texts[r.Hash] = nil
	}
	for batch, err := range ingest.Read(ctx, paths, ingest.Options{MaxDocBytes: command.MaxDoc}) {
		if err != nil {
			return nil, err
		}
		for _, d := range batch.Docs {
			hash := sha256.Sum256([]byte(d.Text))
			if have, fell := texts[hash]; fell && have == nil {
				texts[hash] = &d.Text
			}
		}
	}
	return func(hash [32]byte) (api.Document, bool) {
		text := texts[hash]
		if text == nil {
			return api.Document{}, false
		}
		return api.Document{Text: *text}, true
	}, nil
}
