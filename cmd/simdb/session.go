package main

// Runs one statement and writes its answer, for the commands query and shell.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/query/syntax"
)

// session runs statements on a database and writes their answers. The commands
// query and shell both use it.
type session struct {
	db     *simdb.DB
	shards *simdb.Shards // asked instead, unless nil
	out    *bufio.Writer
	target io.Writer // of out
	shown  io.Writer // what answers are meant for: a terminal, a file
	style  style
	width  int // --max-width; 0 is that of the terminal
	stderr io.Writer
	format string

	pager *pager // shows long answers; nil if nothing does

	timer   bool // report how long each statement took
	explain bool // report how each search was answered

	input   io.Reader // what FILE '-' reads; nil: nothing
	waiting *waiting  // shows how far the statement is; nil if nothing does
}

func newSession(db *simdb.DB, stdout, stderr io.Writer, format string) *session {
	s := &session{db: db, stderr: stderr, format: format}
	s.pager = newPager(stdout, stderr)
	s.out = bufio.NewWriterSize(s.answersTo(stdout), 64<<10)
	return s
}

// restyle looks how wide the terminal is now.
func (s *session) restyle() {
	s.style = styleOf(s.shown)
	if s.width > 0 {
		s.style.width = s.width
	}
}

// maxWidthFlag is of the commands that write tables.
func maxWidthFlag(cmd *cobra.Command, to *int) {
	cmd.Flags().IntVar(to, "max-width", 0, "fit tables to so many columns; 0 is the width of the terminal, if there is one")
}

// statement runs one statement and writes its rows. It flushes what it wrote,
// also if the statement fails.
func (s *session) statement(ctx context.Context, text string) (err error) {
	s.restyle()
	begin, took := time.Now(), time.Duration(0)
	s.pager.begin()
	defer func() {
		if flushErr := s.out.Flush(); err == nil {
			err = flushErr
		}
		err = s.pager.end(err)
		s.out.Reset(s.target) // an error of a pager that was left is no error of the next answer
		if err == nil && s.timer {
			fmt.Fprintln(s.stderr, formatElapsed(took))
		}
	}()
	parsed, err := query.Parse(text)
	if err != nil {
		return err
	}
	ctx, s.waiting = waitFor(ctx, s.stderr)
	defer s.waiting.stop()
	rows, err := s.ask(ctx, simdb.QueryOptions{Files: true, Input: s.input}, text)
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
	took = time.Since(begin)
	if _, ok := parsed.(*syntax.Check); ok && err == nil && n > 0 {
		return failf(exitIncomplete, "%s found; %s", count(n, "problem"), remedy)
	}
	return err
}

// ask asks the database, or all of several.
func (s *session) ask(ctx context.Context, opts simdb.QueryOptions, text string) (*simdb.Rows, error) {
	if s.shards != nil {
		return s.shards.QueryWith(ctx, opts, text)
	}
	return s.db.QueryWith(ctx, opts, text)
}

// rows writes an answer and returns how many rows it has.
func (s *session) rows(rows *simdb.Rows) (n int64, err error) {
	p := newPrinter(s.format, s.out, rows.Columns, s.style)
	for row, err := range rows.All() {
		if err != nil {
			return n, err
		}
		if err := p.row(row); err != nil {
			return n, err
		}
		n++
	}
	if err := p.end(); err != nil {
		return n, err
	}
	s.waiting.stop()
	s.footer(n, rows.Notes())
	if s.explain {
		return n, s.planText(rows.Plan())
	}
	return n, nil
}

// footer writes the number of rows and the notes. It writes them below a table,
// and to standard error beside an answer that a program will read.
func (s *session) footer(n int64, notes []string) {
	w := s.stderr
	if hasFooter(s.format) {
		w = s.out
		fmt.Fprintf(w, "(%s)\n", count(n, "row"))
	} else if err := s.out.Flush(); err != nil {
		return // the flush that follows reports it
	}
	for _, note := range notes {
		fmt.Fprintln(w, escapeControls(note))
	}
}

// wantsPlan reports whether the answer is the plan as one JSON object.
func (s *session) wantsPlan(parsed syntax.Statement) bool {
	_, ok := parsed.(*syntax.Explain)
	return ok && (s.format == "json" || s.format == "ndjson")
}

func (s *session) planObject(rows *simdb.Rows) error {
	for _, err := range rows.All() {
		if err != nil {
			return err
		}
	}
	s.waiting.stop()
	b, err := marshal(rows.Plan())
	if err != nil {
		return err
	}
	_, err = s.out.Write(append(b, '\n'))
	return err
}

// planText writes to standard error how a search went. Statements that search
// nothing have no plan.
func (s *session) planText(plan *api.Plan) error {
	if plan == nil {
		return nil
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "plan: %s by %s (%s)\n", plan.Measure, plan.Access, escapeControls(plan.Why))
	for _, f := range plan.Filters {
		fmt.Fprintf(s.stderr, "  %s: %s in, %s out\n", f.Name, thousands(f.In), thousands(f.Out))
	}
	fmt.Fprintf(s.stderr, "  %s, %s verified, %s in %s µs\n", count(plan.Candidates, "candidate"),
		thousands(plan.Verified), count(plan.Matches, "row"), thousands(plan.Micros))
	return nil
}

// complaint words the error of a statement: one line with its place in the
// script, and then the line of the statement that it points at.
func complaint(statement syntax.StatementText, err error) string {
	message := messageOf(err)
	var parse *simdb.ParseError
	if !errors.As(err, &parse) {
		if errors.Is(err, api.ErrNotFound) {
			message += "; SHOW COLLECTIONS and SELECT id FROM docs tell what there is"
		}
		return message
	}
	message = parse.Within(statement).Error()
	if caret := syntax.Caret(statement.Text, err); caret != "" {
		message += "\n  " + strings.ReplaceAll(caret, "\n", "\n  ")
	}
	return message
}
