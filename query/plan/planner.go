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
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// Options are what a caller lets a statement do, and the values of its parameters.
type Options struct {
	Files   bool      // FILE '…' reads files
	Input   io.Reader // what FILE '-' reads; nil: nothing
	MaxRows int64     // 0: any number
	Hints   bool      // an empty answer notes what a lower threshold would give
	Args    []any
	Named   map[string]any
}

// Planner plans one statement. It reads the statement in the order in which a person reads it,
// and keeps the first mistake, as the parser does: so its functions return without asking.
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
	read   reads // by the fields since it was set to none
	err    error // the first mistake; what is planned after it means nothing
}

// New plans a statement for one store. Without a store it plans what needs none.
func New(ctx context.Context, one Store, opts Options) *Planner {
	return &Planner{ctx: ctx, all: one, one: one, opts: opts, args: newArguments(opts.Args, opts.Named)}
}

// Over plans a statement that several stores may answer.
func Over(ctx context.Context, all Reader, opts Options) *Planner {
	return &Planner{ctx: ctx, all: all, opts: opts, args: newArguments(opts.Args, opts.Named)}
}

// Done checks that every argument was taken. It returns the first mistake.
func (pl *Planner) Done(at syntax.Pos) error {
	pl.fail(pl.args.check(at))
	return pl.err
}

// fail keeps the first mistake.
func (pl *Planner) fail(err error) {
	if pl.err == nil {
		pl.err = err
	}
}

// constant is the value of a literal or a parameter.
func (pl *Planner) constant(x syntax.Operand) any {
	v, err := pl.args.constant(x)
	pl.fail(err)
	return v
}

// begin makes a plan of NEAREST, IN, SINCE and USING.
func (pl *Planner) begin(stmt syntax.Statement, s *syntax.Search) *Plan {
	p := &Plan{stmt: stmt, Limit: -1, hints: pl.opts.Hints}
	if s.Nearest != nil {
		pl.nearest(p, s)
	}
	p.Search.In = pl.Collections(s.In, stmt.Place())
	if s.Since != nil {
		var err error
		if p.Search.Since, err = pl.args.string(s.Since, "a mark"); err == nil && p.Search.Since == "" { // to the engine it would mean all
			err = ErrorAt(s.Since.Place(), "a mark", "the string ''", "SHOW MARK tells the one of this moment")
		}
		pl.fail(err)
	}
	pl.setMethod(p, s.Using, p.Search.In)
	p.Search.Ignoring = pl.ignoring(s.Ignoring)
	return p
}

// ignoring reads IGNORING; nil ignores nothing.
func (pl *Planner) ignoring(x *syntax.Ignoring) (out api.Ignoring) {
	if x == nil {
		return out
	}
	if x.In != nil {
		out.In = x.In.Text
		pl.Collections([]syntax.Name{*x.In}, x.Pos)
	}
	if x.MoreThan != nil {
		if out.MoreThan = pl.rowCount(x.MoreThan, 0); out.MoreThan == 0 {
			pl.fail(ErrorAt(x.MoreThan.Place(), "a whole number above 0", "0", "every shingle is in some document"))
		}
	}
	return out
}

// Collections checks that the collections exist. No names mean docs.
func (pl *Planner) Collections(names []syntax.Name, at syntax.Pos) (out []string) {
	if len(names) == 0 {
		names = []syntax.Name{{Pos: at, Text: "docs"}}
	}
	for _, n := range names {
		if pl.err != nil {
			return nil
		}
		if _, err := pl.all.Collection(n.Text); errors.Is(err, api.ErrNotFound) {
			pl.fail(pl.noCollection(n, err))
		} else {
			pl.fail(err)
		}
		out = append(out, n.Text)
	}
	return out
}

// noCollection says which collections there are instead of one that is not.
func (pl *Planner) noCollection(n syntax.Name, err error) error {
	var have []string
	for _, c := range pl.all.Collections() {
		have = append(have, syntax.QuoteCollection(c.Name))
	}
	if !slices.Contains(have, api.DefaultCollection) {
		have = append(have, api.DefaultCollection) // always there
	}
	hint := syntax.DidYouMean(n.Text, have)
	if hint == "" {
		hint = "there are " + strings.Join(have[:min(len(have), 10)], ", ")
	}
	e := ErrorAt(n.Pos, "the name of a collection", syntax.Quote(n.Text)+", which does not exist", hint)
	e.Err = err
	return e
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
func (pl *Planner) nearest(p *Plan, s *syntax.Search) {
	x := s.Nearest
	n := pl.rowCount(x, 0)
	if n == 0 {
		pl.fail(ErrorAt(x.Place(), "a whole number above 0", value.Show(new(big.Rat)), ""))
	}
	p.Cut = measure.Cut{Nearest: int(min(n, math.MaxInt32)), Ties: s.Ties}
}

// rowCount reads a number of rows; none is that of no operand.
func (pl *Planner) rowCount(x syntax.Operand, none int64) int64 {
	if x == nil {
		return none
	}
	v := pl.constant(x)
	n, ok := value.Whole(value.Number(v))
	if !ok || n < 0 {
		pl.fail(ErrorAt(x.Place(), "a whole number of rows", value.Show(v), ""))
	}
	return n
}
