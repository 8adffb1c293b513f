package plan

// What every statement is planned with, and the clauses that searches share.

import (
	"context"
	"errors"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// Options are what a caller lets a statement do, and the values of its parameters.
type Options struct {
	Files   bool      // FILE '…' reads files
	Input   io.Reader // what FILE '-' reads; nil: nothing
	MaxRows int64     // 0: any number
	Args    []any
	Named   map[string]any
}

// Planner plans one statement.
type Planner struct {
	ctx    context.Context
	all    Reader
	one    Store // nil if several stores answer
	opts   Options
	args   *arguments
	scope  scope
	metas  []*syntax.Field    // fields taken for metadata, until checkMeta finds them
	call   *syntax.Similarity // of the WHERE
	pairs  bool
	groups *Groups // fields are those of groups, once this is set
	lists  listNotes
}

// New plans a statement for one store. Without a store it plans what needs none.
func New(ctx context.Context, one Store, opts Options) *Planner {
	return &Planner{ctx: ctx, all: one, one: one, opts: opts, args: newArguments(opts.Args, opts.Named)}
}

// Over plans a statement that several stores may answer.
func Over(ctx context.Context, all Reader, opts Options) *Planner {
	return &Planner{ctx: ctx, all: all, opts: opts, args: newArguments(opts.Args, opts.Named)}
}

// Done checks that every argument was taken.
func (pl *Planner) Done(at syntax.Pos) error { return pl.args.check(at) }

// setSearch reads NEAREST, IN, SINCE and USING.
func (pl *Planner) setSearch(p *Plan, at syntax.Pos, s *syntax.Search) (err error) {
	if err := pl.nearest(p, s.Nearest); err != nil {
		return err
	}
	if p.Search.In, err = pl.Collections(s.In, at); err != nil {
		return err
	}
	if s.Since != nil {
		if p.Search.Since, err = pl.args.string(s.Since, "a mark"); err != nil {
			return err
		}
		if p.Search.Since == "" { // to the engine it would mean all
			return ErrorAt(s.Since.Place(), "a mark", "the string ''", "SHOW MARK tells the one of this moment")
		}
	}
	setMethod(p, s.Using)
	return pl.checkIndex(s.Using, p.Search.In)
}

func setMethod(p *Plan, m *syntax.Method) {
	method := methodOf(m)
	p.Search.Measure, p.Search.Args, p.Search.Access = method.Measure, method.Args, accessOf(m)
}

// Collections checks that the collections exist. No names mean docs.
func (pl *Planner) Collections(names []syntax.Name, at syntax.Pos) ([]string, error) {
	if len(names) == 0 {
		names = []syntax.Name{{Pos: at, Text: "docs"}}
	}
	var out []string
	for _, n := range names {
		if _, err := pl.all.Collection(n.Text); errors.Is(err, api.ErrNotFound) {
			var have []string
			for _, c := range pl.all.Collections() {
				have = append(have, syntax.QuoteCollection(c.Name))
			}
			if !slices.Contains(have, api.DefaultCollection) {
				have = append(have, api.DefaultCollection) // always there
			}
			hint := syntax.DidYouMean(n.Text, have)
			if hint == "" && len(have) > 0 {
				hint = "there are " + strings.Join(have[:min(len(have), 10)], ", ")
			}
			e := ErrorAt(n.Pos, "the name of a collection", syntax.Quote(n.Text)+", which does not exist", hint)
			e.Err = err
			return nil, e
		} else if err != nil {
			return nil, err
		}
		out = append(out, n.Text)
	}
	return out, nil
}

// searched returns all collections of a plan, each once.
func (pl *Planner) searched(p *Plan) []string {
	all := slices.Clone(p.Search.In)
	for _, c := range p.Search.Against {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// nearest reads NEAREST.
func (pl *Planner) nearest(p *Plan, x syntax.Operand) error {
	if x == nil {
		return nil
	}
	n, err := pl.rowCount(x, 0)
	if err == nil && n == 0 {
		err = ErrorAt(x.Place(), "a whole number above 0", value.Show(new(big.Rat)), "")
	}
	p.nearest = int(min(n, math.MaxInt32))
	return err
}
