package plan

// Rows that are counted without being made. The engine knows how many pairs of documents have
// a score. Where a statement has only groups or a number of rows, and reads nothing of them but
// scores, this is enough; the WHERE may also test each document by itself.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// reads is what fields tell of: scores, the first document of a row, the second.
type reads uint8

const (
	ofScore reads = 1 << iota
	ofFirst
	ofSecond
)

func (r Ref) reads() reads {
	if r.col != nil && r.col.scored {
		return ofScore
	}
	return ofFirst << r.side
}

// conjunct is one of the tests that a WHERE joins by AND.
type conjunct struct {
	test
	reads reads
}

// every joins tests by AND; nil if there are none.
func every(tests []test) test {
	if len(tests) == 0 {
		return nil
	}
	return joinTests(tests, no)
}

// keeper is a test of documents.
type keeper = func(collection string, d api.DocInfo) (bool, error)

// counter is a search whose rows stand for many each.
type counter func(ctx context.Context, q engine.Search, keepA, keepB keeper) (iter.Seq2[*Record, error], *api.Plan, error)

// tally makes the source of a plan one of counts, if nothing else of the rows is read.
func (pl *Planner) tally(p *Plan) {
	count := p.source.counts
	if count == nil || !p.Count && p.Groups == nil || p.Search.OfEach() || pl.read&^ofScore != 0 {
		return
	}
	tests := map[reads][]test{}
	for _, c := range p.tests {
		tests[c.reads] = append(tests[c.reads], c.test)
	}
	scores, as, bs := append(tests[0], tests[ofScore]...), tests[ofFirst], tests[ofSecond]
	if len(scores)+len(as)+len(bs) < len(p.tests) {
		return // one compares what it reads
	}
	p.keep, p.tested = every(scores), p.keep != nil
	keepA, keepB := pl.documents(every(as)), pl.documents(every(bs))
	p.source.start = func(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
		return count(ctx, q, keepA, keepB)
	}
}

// documents makes a test of rows that reads one of their documents one of documents.
func (pl *Planner) documents(t test) keeper {
	if t == nil {
		return nil
	}
	f := &Filter{pl.ctx, pl.all, t}
	return func(collection string, info api.DocInfo) (bool, error) {
		rec := document(f.all, collection, info)
		rec.docs[1] = rec.docs[0]
		return f.test(rec)
	}
}

// count counts the rows of SIMILAR PAIRS.
func (s pairsSource) count(ctx context.Context, q engine.Search, keepA, keepB keeper) (iter.Seq2[*Record, error], *api.Plan, error) {
	res, err := s.one.CountPairs(ctx, q, keepA, keepB)
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(*Record, error) bool) {
		for c, err := range res.All {
			rec := pairRecord(s.one, c.PairMatch)
			rec.counted = &c
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}, res.Plan, nil
}

// count counts the rows of si_view, which has both directions of each pair.
func (s viewSource) count(ctx context.Context, q engine.Search, keepA, keepB keeper) (iter.Seq2[*Record, error], *api.Plan, error) {
	q.Directed = true
	return pairsSource{s.store}.count(ctx, q, keepA, keepB)
}
