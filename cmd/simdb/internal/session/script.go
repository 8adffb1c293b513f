package session

// Scripts: sequences of statements, and the messages of failing ones.

import (
	"cmp"
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

// Once wraps standard input for FILE '-'. A second use returns an error, because the input can be
// read only once.
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

// RunScript runs the statements of a script up to the first failing one and returns its error.
func RunScript(ctx context.Context, s *Session, script string) error {
	for _, one := range statementsOf(script) {
		if err := s.Statement(ctx, one.Text); err != nil {
			return &exit.Error{Code: exit.CodeOf(err), Message: Complaint(one, err), Err: err}
		}
	}
	return nil
}

// statementsOf splits a script into statements. An empty script is one empty statement, which fails.
func statementsOf(script string) []syntax.StatementText {
	var cut syntax.Splitter
	statements := cut.Feed(script)
	if rest, ok := cut.Rest(); ok || len(statements) == 0 {
		statements = append(statements, rest)
	}
	return statements
}

// Writes reports whether a script may write. It examines the statements up to the first that does
// not parse, and returns broken for that one.
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

// Makes reports whether a script creates a missing database: its first statement is a CREATE or an
// INSERT. It returns an error if this statement is wrong, so that a mistake creates no database.
func Makes(ctx context.Context, script string) (bool, error) {
	first := statementsOf(script)[0]
	parsed, err := query.Parse(first.Text)
	switch parsed.(type) {
	case *syntax.Create, *syntax.CreateGroups, *syntax.Insert:
	case nil:
		if word, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(first.Text)), " "); word != "CREATE" && word != "INSERT" {
			return false, nil
		}
	default:
		return false, nil
	}
	if err == nil {
		err = rehearse(ctx, first.Text)
	}
	if err != nil {
		return false, &exit.Error{Code: exit.CodeOf(err), Message: Complaint(first, err), Err: err}
	}
	return true, nil
}

// rehearse runs a statement on an empty database in memory.
func rehearse(ctx context.Context, text string) (err error) {
	db, err := simdb.OpenContext(ctx, "", &simdb.Options{InMemory: true})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, db.Close()) }()
	rows, err := db.QueryWith(ctx, simdb.QueryOptions{Files: true}, text)
	if err != nil {
		return err
	}
	return rows.Close()
}

// Complaint formats the error of a statement: a line with its place in the script, followed by
// the offending line of the statement.
func Complaint(statement syntax.StatementText, err error) string {
	message := exit.MessageOf(err)
	var parse *api.ParseError
	if !errors.As(err, &parse) {
		if errors.Is(err, api.ErrNotFound) {
			message += "; SHOW COLLECTIONS and SELECT id FROM docs tell what there is"
		}
		return message
	}
	message = statement.InScript(parse).Error()
	if caret := syntax.Caret(statement.Text, err); caret != "" {
		message += "\n  " + strings.ReplaceAll(caret, "\n", "\n  ")
	}
	return message
}
