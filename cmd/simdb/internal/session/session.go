// Package session runs statements on a database that is open, and writes their answers, for
// the commands and for the shell.
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

// Session runs statements on a database and writes their answers. The commands
// query and shell both use it.
type Session struct {
	DB     *simdb.DB
	Shards *simdb.Shards // asked instead, unless nil
	Out    *bufio.Writer
	target io.Writer // of Out
	shown  io.Writer // what answers are meant for: a terminal, a file
	Style  output.Style
	Color  output.Color
	Width  int // --max-width; 0 is that of the terminal
	Stderr io.Writer
	Format string

	Pager *output.Pager // shows long answers; nil if nothing does

	answered bool // in a format of which a file holds one answer
	empty    int  // answers to SIMILAR TO without rows so far

	Timer   bool // report how long each statement took
	Explain bool // report how each search was answered

	Input   io.Reader       // what FILE '-' reads; nil: nothing
	Waiting *output.Waiting // shows how far the statement is; nil if nothing does
}

// New returns a session that writes answers in a format to where a command writes.
func New(cmd *cobra.Command, db *simdb.DB, format string) *Session {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	s := &Session{DB: db, Stderr: stderr, Format: format, Color: output.ColorOf(cmd)}
	s.Pager = output.NewPager(stdout, stderr)
	s.Out = bufio.NewWriterSize(s.AnswersTo(stdout), 64<<10)
	return s
}

// Restyle looks how wide the terminal is now.
func (s *Session) Restyle() {
	s.Style = output.StyleOf(s.shown, s.Color)
	if s.Width > 0 {
		s.Style.Width = s.Width
	}
}

// mostHints is how many empty answers that no terminal shows are looked into. A program that asks of a million
// texts whether they are there already wants no more: a look takes longer than the search, in a large store 100 times.
const mostHints = 10

// manyPairs are announced before they are written.
const manyPairs = 10_000_000

// Remedy is what to do about problems that CHECK finds.
const Remedy = "go back to a backup, or run simdb salvage --replace: it derives all anew and names what is lost"

// MaxWidthFlag is of the commands that write tables.
func MaxWidthFlag(cmd *cobra.Command, to *int) {
	cmd.Flags().IntVar(to, "max-width", 0, "fit tables to so many columns; 0 is the width of the terminal, if there is one")
}

// Statement runs one statement and writes its rows. It flushes what it wrote,
// also if the statement fails.
func (s *Session) Statement(ctx context.Context, text string) (err error) {
	s.Restyle()
	begin, took := time.Now(), time.Duration(0)
	s.Pager.Begin()
	defer func() {
		err = s.Pager.End(cmp.Or(err, s.Out.Flush()))
		s.Out.Reset(s.target) // an error of a pager that was left is no error of the next answer
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

// ask asks the database, or all of several.
func (s *Session) ask(ctx context.Context, opts simdb.QueryOptions, text string) (*simdb.Rows, error) {
	if s.Shards != nil {
		return s.Shards.QueryWith(ctx, opts, text)
	}
	return s.DB.QueryWith(ctx, opts, text)
}

// rows writes an answer and returns how many rows it has.
func (s *Session) rows(rows *simdb.Rows) (n int64, err error) {
	if output.Binary(s.Format) && len(rows.Columns) > 0 {
		if s.answered || output.IsTerminal(s.shown) {
			return 0, exit.Failf(exit.Rejected, "%s is no text, and holds the rows of one statement; send each answer to a file or a pipe of its own", s.Format)
		}
		s.answered = true
	}
	if plan := rows.Plan(); plan != nil && plan.Pairs >= manyPairs {
		s.Waiting.Say(s.Stderr, output.Thousands(plan.Pairs)+" pairs follow; LIMIT n shows the first of them, RETURNING count(*) their number")
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

// footer writes the number of rows and the notes. It writes them below a table,
// and to standard error beside an answer that a program will read.
func (s *Session) footer(n int64, notes []string) {
	w := s.Stderr
	if output.HasFooter(s.Format) {
		w = s.Out
		fmt.Fprintf(w, "(%s)\n", output.Count(n, "row"))
	} else if err := s.Out.Flush(); err != nil {
		return // the flush that follows reports it
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

// planText writes to standard error how a search went. Statements that search
// nothing have no plan.
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

// Table writes rows that do not answer a statement.
func (s *Session) Table(columns []string, rows ...[]any) error {
	if err := output.WriteRows(output.NewPrinter(s.Format, s.Out, query.Columns(columns...), s.Style), rows); err != nil {
		return err
	}
	return s.Out.Flush()
}

// screen is a terminal that answers go to: the line is removed before they do.
type screen struct {
	io.Writer
	s *Session
}

func (x screen) Write(b []byte) (int, error) {
	x.s.Waiting.Stop()
	return x.Writer.Write(b)
}

// AnswersTo returns where the session writes answers that are meant for w.
func (s *Session) AnswersTo(w io.Writer) io.Writer {
	s.target, s.shown = w, w
	s.Restyle()
	if output.IsTerminal(w) {
		s.target = screen{s.Pager.On(w), s}
	}
	return s.target
}
