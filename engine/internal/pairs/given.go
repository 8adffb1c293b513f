package pairs

// Scores of given pairs, such as the answer of another tool.

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// givenPairs is the number of pairs in a batch. A batch reads the text of a set once, so a larger
// one reads fewer texts, and holds 150 bytes for each pair.
const givenPairs = 1 << 18

// Scores yields the score of each given pair, in the order of the pairs, whatever its similarity.
func Scores(ctx context.Context, m *view.Snapshot, ask search.Search, pairs iter.Seq2[api.Given, error]) (iter.Seq2[api.Scored, error], error) {
	if err := ask.Check(); err != nil {
		return nil, err
	}
	if !ask.Measure.OfBags() {
		return nil, fault.Invalid("scores of given pairs are by measures of shingles, not by %s", ask.Measure)
	}
	views, err := m.ViewsOf(ask.In)
	if err != nil {
		return nil, err
	}
	if len(views) != 1 {
		return nil, fault.Invalid("given pairs are of one collection, not of %d", len(views))
	}
	formula, _, err := search.ExactFormula(ctx, m, views[0], ask)
	if err != nil {
		return nil, err
	}
	plain, sets := ask.Ignoring == (api.Ignoring{}), ask.Measure == api.Jaccard
	ask.Measure, ask.Args = api.ContainmentOfQuery, api.Args{}
	contained, _, err := search.ExactFormula(ctx, m, views[0], ask)
	if err != nil {
		return nil, err
	}
	g := given{m: m, view: views[0], formula: formula, contained: contained, plain: plain, sets: plain && sets}
	return func(yield func(api.Scored, error) bool) {
		batch := make([]api.Given, 0, 1<<10)
		flush := func() bool {
			rows, err := g.scores(ctx, batch)
			batch = batch[:0]
			if err != nil {
				yield(api.Scored{}, err)
				return false
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return false
				}
			}
			return true
		}
		for p, err := range pairs {
			if err != nil {
				yield(api.Scored{}, err)
				return
			}
			if batch = append(batch, p); len(batch) == givenPairs && !flush() {
				return
			}
		}
		flush()
	}, nil
}

// given scores batches of pairs of a view.
type given struct {
	m       *view.Snapshot
	view    *view.View
	formula measure.Formula

	contained measure.Formula // of the common shingles and sizes
	plain     bool            // nothing is ignored: sizes are those of the bags
	sets      bool            // the formula counts the common shingles, too
}

// pairScore is a score with the distinct shingles of a pair: those in both, and those of each side.
type pairScore struct {
	measure.Score
	common, a, b uint64
}

// score compares two bags.
func (g *given) score(a, b shingle.Bag) pairScore {
	s := pairScore{Score: g.formula.Score(a, b), a: uint64(len(a.Set)), b: uint64(len(b.Set))}
	if g.sets {
		s.common = s.Shared
		return s
	}
	ab := g.contained.Score(a, b)
	if s.common = ab.Shared; !g.plain {
		s.a, s.b = ab.Of, g.contained.Score(b, a).Of
	}
	return s
}

// scores scores a batch: first it finds the set of each id, then it reads the sets in parts that fit
// in memory, in the order of the store, and compares their pairs.
func (g *given) scores(ctx context.Context, batch []api.Given) ([]api.Scored, error) {
	rows := make([]api.Scored, len(batch))
	for i, p := range batch {
		rows[i].Given = p
	}
	asked, err := g.setsOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(asked, func(x, y askedPair) int { return comparePairs(x.Pair, y.Pair) })
	pairs := make([]join.Pair, len(asked))
	for i, x := range asked {
		pairs[i] = x.Pair
	}
	pairs = slices.Compact(pairs)
	for _, part := range bytesOf(g.view.BagBytes).batches(components(pairs), g.m.MemoryBytes/8) {
		if err := g.compare(ctx, part, func(p join.Pair, s pairScore) {
			at, _ := slices.BinarySearchFunc(asked, p, func(x askedPair, p join.Pair) int { return comparePairs(x.Pair, p) })
			for ; at < len(asked) && asked[at].Pair == p; at++ {
				i := asked[at].row
				rows[i].Sim, rows[i].Shared, rows[i].Union, rows[i].Of, rows[i].Unit, rows[i].Ignored = s.Sim(), s.Shared, s.Union, s.Of, s.Unit, s.Ignored
				rows[i].Common, rows[i].SizeA, rows[i].SizeB = s.common, s.a, s.b
			}
		}); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// askedPair is a pair of sets with the row that asks for its score.
type askedPair struct {
	join.Pair
	row int32
}

// comparePairs orders pairs of sets.
func comparePairs(x, y join.Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) }

// setsOf finds the sets of the documents that rows name, and marks those that are missing.
func (g *given) setsOf(ctx context.Context, rows []api.Scored) ([]askedPair, error) {
	type name struct {
		id   string
		side int32 // twice the row, plus 1 for B
	}
	names := make([]name, 0, 2*len(rows))
	for i := range rows {
		names = append(names, name{rows[i].A, int32(2 * i)}, name{rows[i].B, int32(2*i + 1)})
	}
	slices.SortFunc(names, func(x, y name) int { return strings.Compare(x.id, y.id) }) // the order of the store
	asked, set, missing := make([]askedPair, len(rows)), uint32(0), false
	for i, x := range names {
		if i == 0 || x.id != names[i-1].id {
			if err := g.m.Interrupted(ctx); err != nil {
				return nil, err
			}
			r, err := g.m.Record(g.view, x.id)
			if missing = errors.Is(err, api.ErrNotFound); err != nil && !missing {
				return nil, err
			}
			set = r.Set
		}
		row := x.side / 2
		if asked[row].row = row; x.side%2 == 0 {
			asked[row].A, rows[row].MissingA = set, missing
		} else {
			asked[row].B, rows[row].MissingB = set, missing
		}
	}
	return slices.DeleteFunc(asked, func(x askedPair) bool { return rows[x.row].MissingA || rows[x.row].MissingB }), nil
}

// compare reads the sets of groups of pairs and calls yield, from one goroutine, with the score of
// each pair.
func (g *given) compare(ctx context.Context, groups batch, yield func(join.Pair, pairScore)) error {
	var sets []uint32
	for _, pairs := range groups {
		sets = append(sets, setsOf(pairs)...)
	}
	slices.Sort(sets)
	sets = slices.Compact(sets)
	bags := make(map[uint32]shingle.Bag, len(sets))
	err := view.EachSet(ctx, g.m, g.view, sets, (*view.Reader).Bag, func(set uint32, bag shingle.Bag) error {
		bags[set] = bag
		return nil
	})
	if err != nil {
		return err
	}
	parts := cut(groups, 4096)
	scores := make([][]pairScore, len(parts))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(host.Workers())
	for i, pairs := range parts {
		work.Go(func() (err error) {
			defer segment.CatchUnreadable(&err)()
			scores[i] = make([]pairScore, len(pairs))
			for j, p := range pairs {
				if err := g.m.Interrupted(ctx); err != nil {
					return err
				}
				scores[i][j] = g.score(bags[p.A], bags[p.B])
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for i, pairs := range parts {
		for j, p := range pairs {
			yield(p, scores[i][j])
		}
	}
	return nil
}
