package evaluate

// This file finds the documents that a query is judged on, where the truth
// names the right answers only. Every document of the collection is looked at;
// those that stay are the right ones and the best by several measures.

import (
	"context"
	"slices"
	"sync"

	"github.com/simdb/simdb/internal/lab"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

const (
	depth      = 20   // documents that stay of each query by each measure of each analysis
	maxQueries = 1000 // of a truth; of more these are taken at equal distances
)

// poolAnalyses are those by which documents stay.
var poolAnalyses = []shingle.Analysis{
	{Unit: text.Word, K: 1}, {Unit: text.Word, K: 2}, {Unit: text.Word, K: 3}, {Unit: text.Word, K: 5},
	{Unit: text.Char, K: 5}, {Unit: text.Char, K: 9},
}

// poolRules is how many measures a pooler ranks documents by.
const poolRules = 3

// A found is a document and how similar it is.
type found struct {
	id  string
	sim float64
}

// A best list keeps the documents with the highest similarity; of equal ones
// those that came first.
type best []found

func (b *best) add(f found) {
	l := *b
	if f.sim == 0 || len(l) == depth && f.sim <= l[depth-1].sim {
		return
	}
	at, _ := slices.BinarySearchFunc(l, f.sim, func(a found, sim float64) int {
		if a.sim >= sim {
			return -1
		}
		return 1
	})
	if len(l) == depth {
		l = l[:depth-1]
	}
	*b = slices.Insert(l, at, f)
}

// pool makes pairs of a truth of queries: each query with its right answers, and
// with the other documents that one of the measures finds.
func (s store) pool(ctx context.Context, t truth, o lab.Options) (*task, error) {
	queries, right := asked(t.rows)
	left := max(len(queries)-maxQueries, 0)
	if left > 0 {
		var some []string
		for i := range maxQueries {
			some = append(some, queries[i*len(queries)/maxQueries])
		}
		queries = some
	}
	texts := make([]string, len(queries))
	for i, id := range queries {
		var err error
		if texts[i], err = s.text(id); err != nil {
			return nil, err
		}
	}
	pooled := make([]map[string]bool, len(queries))
	for i, q := range queries {
		pooled[i] = map[string]bool{}
		for id := range right[q] {
			pooled[i][id] = true
		}
	}
	var mu sync.Mutex
	done := 0
	err := parallel(ctx, len(poolAnalyses), func(ctx context.Context, i int) error {
		p := newPooler(poolAnalyses[i], texts)
		for doc, err := range s.snap.Documents(ctx, s.in) {
			if err != nil {
				return err
			}
			p.look(doc.ID, doc.Text)
		}
		mu.Lock()
		defer mu.Unlock()
		for q, lists := range p.best {
			for _, list := range lists {
				for _, f := range list {
					if f.id != queries[q] {
						pooled[q][f.id] = true
					}
				}
			}
		}
		done++
		o.Progressf("candidates by %d of %d ways to read the texts", done, len(poolAnalyses))
		return nil
	})
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, q := range queries {
		for id := range pooled[i] {
			rows = append(rows, row{a: q, b: id, right: right[q][id]})
		}
	}
	if len(rows) > maxPairs {
		return nil, bad("the queries have more than %d answers and candidates; name fewer", maxPairs)
	}
	made := newTask(rows)
	made.pooled, made.left = true, left
	return made, nil
}

// asked returns the queries of a truth in their order, and the right answers to
// each.
func asked(rows []row) (queries []string, right map[string]map[string]bool) {
	right = map[string]map[string]bool{}
	for _, r := range rows {
		if right[r.a] == nil {
			right[r.a] = map[string]bool{}
			queries = append(queries, r.a)
		}
		if r.b != "" {
			right[r.a][r.b] = true
		}
	}
	return queries, right
}

// A pooler compares all queries with one document after another, by one
// analysis. It keeps the shingles of the queries only.
type pooler struct {
	analysis shingle.Analysis
	with     map[uint64][]int32 // by shingle: the queries that have it
	sizes    []int              // of the queries
	best     [][poolRules]best  // by query: by resemblance, containment of it, and of the document
	shared   []int
}

func newPooler(a shingle.Analysis, texts []string) *pooler {
	p := &pooler{analysis: a, with: map[uint64][]int32{}, best: make([][poolRules]best, len(texts)), shared: make([]int, len(texts))}
	for q, doc := range texts {
		set := a.Bag(doc).Set
		for _, hash := range set {
			p.with[hash] = append(p.with[hash], int32(q))
		}
		p.sizes = append(p.sizes, len(set))
	}
	return p
}

func (p *pooler) look(id, doc string) {
	set := p.analysis.Bag(doc).Set
	clear(p.shared)
	for _, hash := range set {
		for _, q := range p.with[hash] {
			p.shared[q]++
		}
	}
	for q, n := range p.shared {
		if n == 0 {
			continue
		}
		shared, size := float64(n), p.sizes[q]
		p.best[q][0].add(found{id, shared / float64(size+len(set)-n)})
		p.best[q][1].add(found{id, shared / float64(size)})
		p.best[q][2].add(found{id, shared / float64(len(set))})
	}
}
