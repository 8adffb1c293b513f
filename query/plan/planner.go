package plan

// The planner, and the clauses common to searches.

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

// Options holds the limits of a statement and the values of its parameters.
type Options struct {
	Files   bool      // FILE '…' reads files
	Input   io.Reader // content of FILE '-'; nil: none
	MaxRows int64     // 0: unlimited
	Hints   bool      // an empty answer notes the yield of a lower threshold
	Args    []any
	Named   map[string]any
}

// Planner plans one statement, in one goroutine. It reads the statement from left to right
// and, like the parser, keeps the first mistake, so its functions need not check for
// errors. Done returns the mistake.
type Planner struct {
	ctx      context.Context
	all      Reader
	one      Store // nil if several stores answer
	opts     Options
	args     *arguments
	scope    scope
	metas    []*syntax.Field    // fields taken for metadata, until checkMeta verifies them
	call     *syntax.Similarity // of the WHERE
	pairs    bool
	groups   *Groups // set once fields mean those of groups
	lists    listNotes
	patterns int   // bytes of all patterns
	read     reads // by the fields since its last reset
	err      error // first mistake; later results are meaningless
}

// New returns a planner of a statement for one store, or without a store if the statement
// needs none.
func New(ctx context.Context, one Store, opts Options) *Planner {
	return &Planner{ctx: ctx, all: one, one: one, opts: opts, args: newArguments(opts.Args, opts.Named)}
}

// Over returns a planner of a statement that several stores may answer.
func Over(ctx context.Context, all Reader, opts Options) *Planner {
	return &Planner{ctx: ctx, all: all, opts: opts, args: newArguments(opts.Args, opts.Named)}
}

// Done returns the first mistake, or an error for an unused argument. Call it after all
// planning of a statement.
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

// ended reports whether planning has failed, or its context has ended. A statement may have 100,000
// fields, and each is looked up among the fields of the groups.
func (pl *Planner) ended() bool {
	if pl.err == nil {
		pl.err = pl.ctx.Err()
	}
	return pl.err != nil
}

// constant returns the value of a literal or a parameter.
func (pl *Planner) constant(x syntax.Operand) any {
	v, err := pl.args.constant(x)
	pl.fail(err)
	return v
}

// begin starts a plan from NEAREST, IN, SINCE and USING.
func (pl *Planner) begin(stmt syntax.Statement, s *syntax.Search) *Plan {
	p := &Plan{stmt: stmt, Limit: -1, hints: pl.opts.Hints}
	if s.Nearest != nil {
		pl.nearest(p, s)
	}
	p.Search.In = pl.Collections(s.In, stmt.Place())
	if s.Since != nil {
		var err error
		if p.Search.Since, err = pl.args.string(s.Since, "a mark"); err == nil && p.Search.Since == "" { // the engine would take "" for no SINCE
			err = ErrorAt(s.Since.Place(), "a mark", "the string ''", "SHOW MARK returns the current mark")
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

// Collections returns the names of existing collections, docs if the list is empty. A
// missing one is a mistake.
func (pl *Planner) Collections(names []syntax.Name, at syntax.Pos) (out []string) {
	if len(names) == 0 {
		names = []syntax.Name{{Pos: at, Text: "docs"}}
	}
	for _, n := range names {
		// One missing collection is enough; the hint reads all names.
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

// noCollection returns an error with the existing collections as a hint.
func (pl *Planner) noCollection(n syntax.Name, err error) error {
	var have []string
	for _, c := range pl.all.Collections() {
		have = append(have, syntax.QuoteCollection(c.Name))
	}
	if !slices.Contains(have, api.DefaultCollection) {
		have = append(have, api.DefaultCollection) // always exists
	}
	hint := syntax.DidYouMean(n.Text, have)
	if hint == "" {
		// Ten names keep the message readable.
		hint = "there are " + strings.Join(have[:min(len(have), 10)], ", ")
	}
	e := ErrorAt(n.Pos, "the name of a collection", syntax.Quote(n.Text)+", which does not exist", hint)
	e.Err = err
	return e
}

// searched returns the distinct collections of a plan.
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

// rowCount reads a number of rows; none is the result without an operand.
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
