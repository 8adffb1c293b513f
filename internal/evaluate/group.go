package evaluate

// Construction of a task from a truth: numbers for queries and documents, groups of queries, and
// pairs without a label.

import (
	"cmp"
	"context"
	"slices"
)

const maxQueries = 1000 // queries of a truth; of more, a sample at equal distances

// task builds the task of a truth about documents of the store.
func (s store) task(ctx context.Context, known truth) (*task, error) {
	var docs []string
	for id, err := range s.snap.IDs(ctx, s.searched, "") {
		if err != nil {
			return nil, err
		}
		docs = append(docs, id)
	}
	return newTask(known, docs, s.in == s.searched), nil
}

// newTask numbers queries and documents. same means that queries are documents of the same
// collection.
func newTask(known truth, docs []string, same bool) *task {
	t := &task{docs: docs, open: known.queries}
	number := make(map[string]int32, len(docs))
	for i, id := range docs {
		number[id] = int32(i)
	}
	queryOf := map[string]int32{}
	for _, r := range known.rows {
		if _, ok := queryOf[r.a]; !ok {
			queryOf[r.a] = int32(len(t.queries))
			t.queries = append(t.queries, r.a)
		}
	}
	if t.open && len(t.queries) > maxQueries {
		t.left = len(t.queries) - maxQueries
		all := t.queries
		t.queries, queryOf = nil, map[string]int32{}
		for i := range maxQueries {
			id := all[i*len(all)/maxQueries]
			queryOf[id] = int32(i)
			t.queries = append(t.queries, id)
		}
	}
	for _, id := range t.queries {
		self, ok := number[id]
		if !ok || !same {
			self = -1
		}
		t.self = append(t.self, self)
	}
	for _, r := range known.rows {
		q, ok := queryOf[r.a]
		d, stored := number[r.b]
		if !ok || !stored {
			continue
		}
		t.pairs = append(t.pairs, pair{q, d, r.right})
	}
	t.index()
	if t.open && same {
		t.leaveOpen(known.rows, queryOf, number)
	}
	t.join()
	return t
}

// leaveOpen marks pairs without a label as unjudged if the truth suggests that they may be right:
// documents that share an answer, and the reverse of a pair of query and answer. Counting them as
// wrong would punish good settings.
func (t *task) leaveOpen(rows []row, queryOf, number map[string]int32) {
	with := map[string][]string{} // by answer: the queries
	for _, r := range rows {
		with[r.b] = append(with[r.b], r.a)
	}
	open := func(a, b string) {
		q, ok := queryOf[a]
		d, stored := number[b]
		if !ok || !stored || a == b {
			return
		}
		if _, judged := t.known[q][d]; !judged {
			t.known[q][d] = unjudged
		}
	}
	for _, r := range rows {
		if r.b == "" {
			continue
		}
		open(r.b, r.a)
		for _, other := range with[r.b] {
			open(r.a, other)
		}
	}
}

// index sorts the pairs and indexes them by query.
func (t *task) index() {
	slices.SortFunc(t.pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.q, b.q), cmp.Compare(a.d, b.d)) })
	t.known = make([]map[int32]int32, len(t.queries))
	for i := range t.known {
		t.known[i] = map[int32]int32{}
	}
	for i, p := range t.pairs {
		t.known[p.q][p.d] = int32(i)
	}
	last := int32(-1)
	for _, p := range t.pairs {
		if p.right && p.q != last {
			t.answers++
			last = p.q
		}
	}
}

// join groups queries that are answers to each other, directly or transitively, because splitting
// them would leak between halves. A shared answer that is not itself a query joins no groups.
func (t *task) join() {
	asks := map[int32]int32{}
	parent := make([]int32, len(t.queries))
	for q := range parent {
		parent[q] = int32(q)
		if t.self[q] >= 0 {
			asks[t.self[q]] = int32(q)
		}
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, p := range t.pairs {
		if other, ok := asks[p.d]; ok && p.right {
			parent[root(p.q)] = root(other)
		}
	}
	groups := map[int32]int32{}
	t.group = make([]int32, len(t.queries))
	for q := range t.group {
		r := root(int32(q))
		g, ok := groups[r]
		if !ok {
			g = int32(len(groups))
			groups[r] = g
		}
		t.group[q] = g
	}
	t.groups = len(groups)
}
