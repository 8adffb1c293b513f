// Package session runs statements on an open database and writes their answers, for the commands
// and the shell.
//
// Rows go to Out, notes and errors to Stderr, so that output in formats for programs contains
// rows only. Begin reading at Session.Statement.
package session

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/query/syntax"
)

// Session runs statements on a database and writes their answers. It is not safe for concurrent
// use.
type Session struct {
	DB     *simdb.DB
	Shards *simdb.Shards // replaces DB unless nil
	Out    *bufio.Writer
	target io.Writer // destination of Out
	shown  io.Writer // final destination of answers: a terminal or a file
	Style  output.Style
	Color  output.Color
	Width  int // --max-width; 0 means the width of the terminal
	Stderr io.Writer
	Format string

	Pager *output.Pager // shows long answers; nil for none

	answered bool // an answer was written in a format with one answer per file
	empty    int  // answers to SIMILAR TO without rows so far

	Timer   bool // report how long each statement took
	Explain bool // report how each search was answered

	Input   io.Reader       // input of FILE '-'; nil for none
	Waiting *output.Waiting // shows the progress of the statement; nil for none
}

// New returns a session that writes answers in a format to the output of cmd.
func New(cmd *cobra.Command, db *simdb.DB, format string) *Session {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	s := &Session{DB: db, Stderr: stderr, Format: format, Color: output.ColorOf(cmd)}
	s.Pager = output.NewPager(stdout, stderr)
	s.Out = bufio.NewWriterSize(s.AnswersTo(stdout), 64<<10)
	return s
}

// Restyle updates the session to the current width of the terminal.
func (s *Session) Restyle() {
	s.Style = output.StyleOf(s.shown, s.Color)
	if s.Width > 0 {
		s.Style.Width = s.Width
	}
}

// mostHints limits the hints for empty answers without a terminal. A hint takes longer than its
// search, in a large store by a factor of 100, and a program may run a million searches.
const mostHints = 10

// manyPairs is the least number of pairs for which a warning precedes the answer.
const manyPairs = 10_000_000

// Remedy is the advice for problems that CHECK finds.
const Remedy = "go back to a backup, or run simdb salvage --replace: it rebuilds all derived data and names what is lost"

// MaxWidthFlag adds --max-width to a command that writes tables.
func MaxWidthFlag(cmd *cobra.Command, to *int) {
	cmd.Flags().IntVar(to, "max-width", 0, "width of tables, `N` columns; 0 is the width of the terminal, if any")
}

// Statement runs one statement and writes its rows. It flushes the output even if the statement
// fails.
func (s *Session) Statement(ctx context.Context, text string) (err error) {
	s.Restyle()
	begin, took := time.Now(), time.Duration(0)
	s.Pager.Begin()
	defer func() {
		err = s.Pager.End(cmp.Or(err, s.Out.Flush()))
		s.Out.Reset(s.target) // an early exit of the pager must not fail the next answer
		if err == nil && s.Timer {
			fmt.Fprintln(s.Stderr, output.Elapsed(took))
		}
	}()
	parsed, err := query.Parse(text)
	if err != nil {
		return err
	}
	ctx, s.Waiting = output.WaitFor(ctx, s.Stderr)
	defer s.Waiting.Stop()
	hints := s.empty < mostHints || output.IsTerminal(s.shown)
	rows, err := s.ask(ctx, simdb.QueryOptions{Files: true, Hints: hints, Input: s.Input}, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := int64(0)
	if s.wantsPlan(parsed) {
		err = s.planObject(rows)
	} else {
		n, err = s.rows(rows)
	}
	if _, ok := parsed.(*syntax.Similar); ok && n == 0 {
		s.empty++
	}
	took = time.Since(begin)
	if _, ok := parsed.(*syntax.Check); ok && err == nil && n > 0 {
		return exit.Failf(exit.Incomplete, "%s found; %s", output.Count(n, "problem"), Remedy)
	}
	return err
}

// ask runs a query on the database, or on all shards.
func (s *Session) ask(ctx context.Context, opts simdb.QueryOptions, text string) (*simdb.Rows, error) {
	if s.Shards != nil {
		return s.Shards.QueryWith(ctx, opts, text)
	}
	return s.DB.QueryWith(ctx, opts, text)
}

// rows writes an answer and returns the number of rows.
func (s *Session) rows(rows *simdb.Rows) (n int64, err error) {
	if output.Binary(s.Format) && len(rows.Columns) > 0 {
		if s.answered || output.IsTerminal(s.shown) {
			return 0, exit.Failf(exit.Rejected, "%s is a binary format for the rows of one statement; send each answer to its own file or pipe", s.Format)
		}
		s.answered = true
	}
	if plan := rows.Plan(); plan != nil && plan.Pairs >= manyPairs {
		s.Waiting.Print(s.Stderr, output.Thousands(plan.Pairs)+" pairs follow; LIMIT n returns only the first n, RETURNING count(*) only their number, and IGNORING MORE THAN n DOCUMENTS disregards common templates")
	}
	n, err = output.WriteAll(output.NewPrinter(s.Format, s.Out, rows.ColumnTypes(), s.Style), rows.All())
	if err != nil {
		return n, err
	}
	s.Waiting.Stop()
	s.footer(n, rows.Notes())
	if s.Explain {
		return n, s.planText(rows.Plan())
	}
	return n, nil
}

// footer writes the number of rows and the notes below a table. For other formats it writes only the
// notes, to standard error.
func (s *Session) footer(n int64, notes []string) {
	w := s.Stderr
	if output.HasFooter(s.Format) {
		w = s.Out
		fmt.Fprintf(w, "(%s)\n", output.Count(n, "row"))
	} else if err := s.Out.Flush(); err != nil {
		return // the next flush reports the error
	}
	for _, note := range notes {
		fmt.Fprintln(w, output.EscapeControls(note))
	}
}

// wantsPlan reports whether the answer is the plan as one JSON object.
func (s *Session) wantsPlan(parsed syntax.Statement) bool {
	_, ok := parsed.(*syntax.Explain)
	return ok && (s.Format == "json" || s.Format == "ndjson")
}

// planObject writes the plan of EXPLAIN as one JSON object.
func (s *Session) planObject(rows *simdb.Rows) error {
	for _, err := range rows.All() {
		if err != nil {
			return err
		}
	}
	s.Waiting.Stop()
	b, err := output.JSON(rows.Plan())
	if err != nil {
		return err
	}
	_, err = s.Out.Write(append(b, '\n'))
	return err
}

// planText writes the plan of a search to standard error. plan is nil for statements without a
// search.
func (s *Session) planText(plan *api.Plan) error {
	if plan == nil {
		return nil
	}
	if err := s.Out.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(s.Stderr, "plan: %s by %s (%s)\n", plan.Measure, plan.Access, output.EscapeControls(plan.Why))
	for _, f := range plan.Filters {
		fmt.Fprintf(s.Stderr, "  %s: %s in, %s out\n", f.Name, output.Thousands(f.In), output.Thousands(f.Out))
	}
	fmt.Fprintf(s.Stderr, "  %s, %s verified, %s in %s µs\n", output.Count(plan.Candidates, "candidate"),
		output.Thousands(plan.Verified), output.Count(plan.Matches, "row"), output.Thousands(plan.Micros))
	return nil
}

// Table writes rows of a command other than a statement.
func (s *Session) Table(columns []string, rows ...[]any) error {
	if err := output.WriteRows(output.NewPrinter(s.Format, s.Out, query.Columns(columns...), s.Style), rows); err != nil {
		return err
	}
	return s.Out.Flush()
}

// screen is a terminal for answers. It removes the progress line before each write.
type screen struct {
	io.Writer
	s *Session
}

func (x screen) Write(b []byte) (int, error) {
	x.s.Waiting.Stop()
	return x.Writer.Write(b)
}

// AnswersTo returns the writer for answers with the final destination w.
func (s *Session) AnswersTo(w io.Writer) io.Writer {
	s.target, s.shown = w, w
	s.Restyle()
	if output.IsTerminal(w) {
		s.target = screen{s.Pager.On(w), s}
	}
	return s.target
}
