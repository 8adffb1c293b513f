package query

// A statement that searches becomes a plan: the search of the engine, and what
// is done with its rows. Other files have the pieces of a plan: target.go,
// where.go, selection.go, fields.go, columns.go, method.go and view.go.

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// plan is a search that is ready to run: where its records come from, which of
// them are kept, and what is shown of them.
type plan struct {
	stmt          Statement
	source        source
	search        engine.Search
	keep          test // nil keeps all
	columns       []string
	cells         []ref
	count         bool
	groups        *groups // nil: none
	order         []sortKey
	limit, offset int64 // limit −1 is all
	nearest       int   // NEAREST; 0 means all
	want          int   // records of SIMILAR TO after the WHERE; 0 means all
	notes         []string
	assumed       bool       // the first note is of the threshold
	lists         *listNotes // that the tests add to
}

// sortKey is one key of an order.
type sortKey struct {
	ref  ref
	desc bool
}

// planner makes plans against a snapshot.
type planner struct {
	ctx    context.Context
	snap   reader
	opts   Options
	args   *arguments
	scope  scope
	metas  []*Field    // fields taken for metadata, until checkMeta finds them
	call   *Similarity // of the WHERE
	pairs  bool
	groups *groups // fields are those of groups, once this is set
	lists  listNotes
}

// plan makes a search ready. It reads the statement in the order in which a
// person reads it, so that the first mistake is reported.
func (pl *planner) plan(stmt Statement) (*plan, error) {
	switch s := stmt.(type) {
	case *Similar:
		return pl.similar(s)
	case *Related:
		return pl.related(s)
	case *Pairs:
		return pl.pairsPlan(s)
	case *Clusters:
		return pl.clusters(s)
	case *Select:
		return pl.selects(s)
	case *Duplicates:
		return pl.duplicates(s)
	default:
		return pl.viewPlan(s.(*View))
	}
}

func (pl *planner) similar(s *Similar) (*plan, error) {
	p := &plan{stmt: s}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	t, err := pl.target(s.Target, p.search.In)
	if err != nil {
		return nil, err
	}
	if err := checkFingerprint(s.Target, p.search.Measure); err != nil {
		return nil, err
	}
	p.source = similarSource{t}
	pl.scope = pl.similarScope(p.search.Measure)
	if err := pl.where(p, s.Where, nil); err != nil {
		return nil, err
	}
	columns := slices.Concat([]string{"id"}, scoreColumns(p.search.Measure, false))
	if len(p.search.In) > 1 {
		columns = append(columns, "collection")
	}
	if pl.overShards() {
		columns = append(columns, "store")
	}
	return p, pl.finish(p, &s.Search, columns)
}

// similarScope says what fields mean in SIMILAR TO.
func (pl *planner) similarScope(m api.Measure) scope {
	names := mergeRefs(documentRefs, scoreRefs(m, false))
	if pl.overShards() {
		names["store"] = refStore
	}
	return scope{names: names, missing: missingScores(m)}
}

// overShards says whether several stores answer.
func (pl *planner) overShards() bool {
	_, ok := pl.snap.(*Shards)
	return ok
}

// oneWay is the note of pairs by a measure that the sides matter to.
const oneWay = "the measure is not symmetric, and only a is the query, whose id is less: SIMILAR PAIRS NEAREST and SIMILAR TO ask both ways"

func (pl *planner) pairsPlan(s *Pairs) (*plan, error) {
	p := &plan{stmt: s, source: pairsSource{}}
	pl.pairs = true
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	if len(s.Against) > 0 {
		var err error
		if p.search.Against, err = pl.collections(s.Against, s.Pos); err != nil {
			return nil, err
		}
		for _, n := range s.Against {
			if slices.Contains(p.search.In, n.Text) {
				return nil, errorAt(n.Pos, "a collection that is not searched already", quote(n.Text),
					"without AGAINST the pairs within a collection are found")
			}
		}
		if err := pl.checkIndex(s.Using, pl.searched(p)); err != nil {
			return nil, err
		}
	}
	pl.scope = scope{names: scoreRefs(p.search.Measure, true), doc: documentRefs, missing: missingScores(p.search.Measure)}
	if err := pl.where(p, s.Where, nil); err != nil {
		return nil, err
	}
	if p.nearest > 0 {
		pl.pairsNearest(p, s)
	} else if len(s.Against) == 0 && !p.search.Method().Symmetric() {
		p.notes = append(p.notes, oneWay)
	}
	columns := slices.Concat([]string{"a", "b"}, scoreColumns(p.search.Measure, true))
	if len(pl.searched(p)) > 1 {
		columns = append(columns, "a_collection", "b_collection")
	}
	return p, pl.finish(p, &s.Search, columns)
}

func (pl *planner) clusters(s *Clusters) (*plan, error) {
	p := &plan{stmt: s, source: clustersSource{}}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	if err := pl.members(p, s.Where); err != nil {
		return nil, err
	}
	pl.scope = scope{names: clusterRefs, missing: map[string]string{"sim": "a row of CLUSTERS has no sim of its own",
		"dist": "a row of CLUSTERS has no dist of its own"}}
	var err error
	if s.Having != nil {
		if p.keep, err = pl.compiler().compile(s.Having); err != nil {
			return nil, err
		}
	}
	columns := []string{"cluster", "id", "size"}
	if len(p.search.In) > 1 {
		columns = append(columns, "collection")
	}
	return p, pl.finish(p, &s.Search, columns)
}

// memberScope is that of the WHERE of CLUSTERS, apart from the similarity.
var memberScope = scope{names: documentRefs, missing: map[string]string{
	"sim": clustersHint, "shared": clustersHint, "union": clustersHint, "dist": clustersHint}}

const clustersHint = "CLUSTERS joins what is at or above one similarity; for single rows there is HAVING"

// members reads the WHERE of CLUSTERS: one threshold, and a test of the documents that are
// put into groups.
func (pl *planner) members(p *plan, where Expr) error {
	pl.scope = scope{names: scoreRefs(p.search.Measure, true), missing: missingScores(p.search.Measure)}
	var rest []Expr
	if err := pl.where(p, where, func(list []Expr) error {
		for _, e := range list {
			if b, err := pl.bounds(p, e); err != nil || b.mentioned {
				return cmp.Or(err, error(errorAt(e.Place(), "sim >= and a number as the only test of sim", "", clustersHint)))
			}
		}
		rest = list
		return nil
	}); err != nil || rest == nil {
		return err
	}
	pl.scope = memberScope
	keep, err := pl.predicate(joined(rest))
	if err != nil {
		return err
	}
	p.search.Where, p.lists = pl.fields(joined(rest), 0), &pl.lists
	p.search.Keep = (&Filter{pl.ctx, pl.snap, keep}).keeps
	return nil
}

func (pl *planner) selects(s *Select) (*plan, error) {
	p := &plan{stmt: s}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	where, err := pl.withSimilarity(p, s)
	if err != nil {
		return nil, err
	}
	if err := pl.selection(p, where); err != nil {
		return nil, err
	}
	return p, pl.finish(p, &s.Search, []string{"id", "size", "shingles"})
}

// setSearch reads NEAREST, IN, SINCE and USING.
func (pl *planner) setSearch(p *plan, at Pos, s *Search) (err error) {
	if err := pl.nearest(p, s.Nearest); err != nil {
		return err
	}
	if p.search.In, err = pl.collections(s.In, at); err != nil {
		return err
	}
	if s.Since != nil {
		if p.search.Since, err = pl.args.string(s.Since, "a mark"); err != nil {
			return err
		}
		if p.search.Since == "" { // to the engine it would mean all
			return errorAt(s.Since.Place(), "a mark", "the string ''", "SHOW MARK tells the one of this moment")
		}
	}
	setMethod(p, s.Using)
	return pl.checkIndex(s.Using, p.search.In)
}

func setMethod(p *plan, m *Method) {
	method := methodOf(m)
	p.search.Measure, p.search.Args, p.search.Access = method.Measure, method.Args, accessOf(m)
}

// collections checks that the collections exist. No names mean docs.
func (pl *planner) collections(names []Name, at Pos) ([]string, error) {
	if len(names) == 0 {
		names = []Name{{at, "docs"}}
	}
	var out []string
	for _, n := range names {
		if _, err := pl.snap.Collection(n.Text); errors.Is(err, api.ErrNotFound) {
			var have []string
			for _, c := range pl.snap.Collections() {
				have = append(have, quoteCollection(c.Name))
			}
			if !slices.Contains(have, api.DefaultCollection) {
				have = append(have, api.DefaultCollection) // always there
			}
			hint := didYouMean(n.Text, have)
			if hint == "" && len(have) > 0 {
				hint = "there are " + strings.Join(have[:min(len(have), 10)], ", ")
			}
			e := errorAt(n.Pos, "the name of a collection", quote(n.Text)+", which does not exist", hint)
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
func (pl *planner) searched(p *plan) []string {
	all := slices.Clone(p.search.In)
	for _, c := range p.search.Against {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}
