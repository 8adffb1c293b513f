package plan

// Counting rows without making them. The engine can count the document pairs per score.
// That suffices for a statement that returns only groups or a number of rows and reads
// nothing but scores; its WHERE may also test each document by itself.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// reads is the set of row parts that a field depends on: score, first document, second
// document.
type reads uint8

// The parts; a field of neither reads no part, such as a constant.
const (
	ofScore reads = 1 << iota
	ofFirst
	ofSecond
)

// reads returns the parts of a row that the field depends on.
func (r Ref) reads() reads {
	if r.col != nil && r.col.scored {
		return ofScore
	}
	return ofFirst << r.side
}

// conjunct is one of the tests that AND joins to a WHERE.
type conjunct struct {
	test
	reads reads
}

// every joins tests by AND; nil for none.
func (pl *Planner) every(tests []test) test {
	if len(tests) == 0 {
		return nil
	}
	return joinTests(pl.ctx, tests, no)
}

// keeper is a test of documents.
type keeper = func(collection string, d api.DocInfo) (bool, error)

// counter is a search in which each row represents many.
type counter func(ctx context.Context, q engine.Search, keepA, keepB keeper) (iter.Seq2[*Record, error], *api.Plan, error)

// tally replaces the source of a plan by its counter, if the statement reads nothing else
// of the rows.
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
	// The engine tests each side alone, so a test of two parts needs the rows.
	if len(scores)+len(as)+len(bs) < len(p.tests) {
		return // a test compares several parts
	}
	p.keep, p.tested = pl.every(scores), p.keep != nil
	keepA, keepB := pl.documents(pl.every(as)), pl.documents(pl.every(bs))
	p.source.start = func(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
		return count(ctx, q, keepA, keepB)
	}
}

// documents turns a test of rows that reads only one document into a test of documents.
func (pl *Planner) documents(t test) keeper {
	if t == nil {
		return nil
	}
	f := &Filter{pl.ctx, pl.all, t}
	return func(collection string, info api.DocInfo) (bool, error) {
		rec := document(f.all, collection, info)
		// The test may read either side, and both are this document.
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
