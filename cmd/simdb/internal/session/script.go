package session

// Scripts: their statements one after the other, and what is said where one fails.

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/query"
	"github.com/simdb/simdb/query/syntax"
)

// Once is standard input as FILE '-' reads it: once.
func Once(r io.Reader) io.Reader { return &onceReader{r: r} }

type onceReader struct {
	r    io.Reader
	done bool
}

func (o *onceReader) Read(b []byte) (int, error) {
	if o.done {
		return 0, errors.New("standard input, which an earlier FILE '-' has read; write the text to a file to use it twice")
	}
	n, err := o.r.Read(b)
	o.done = err == io.EOF
	return n, err
}

// RunScript runs the statements of a script up to the first that fails.
func RunScript(ctx context.Context, s *Session, script string) error {
	for _, one := range statementsOf(script) {
		if err := s.Statement(ctx, one.Text); err != nil {
			return &exit.Error{Code: exit.CodeOf(err), Message: Complaint(one, err), Err: err}
		}
	}
	return nil
}

// statementsOf cuts a script. An empty one is a missing statement.
func statementsOf(script string) []syntax.StatementText {
	var cut syntax.Splitter
	statements := cut.Feed(script)
	if rest, ok := cut.Rest(); ok || len(statements) == 0 {
		statements = append(statements, rest)
	}
	return statements
}

// Writes says whether a script may change what is stored. That goes by its statements up to
// the first that is none, for which broken answers.
func Writes(script string, broken bool) bool {
	for _, one := range statementsOf(script) {
		s, err := query.Parse(one.Text)
		if err != nil {
			return broken
		}
		if syntax.Writes(s) {
			return true
		}
	}
	return false
}

// Complaint words the error of a statement: one line with its place in the
// script, and then the line of the statement that it points at.
func Complaint(statement syntax.StatementText, err error) string {
	message := exit.MessageOf(err)
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
