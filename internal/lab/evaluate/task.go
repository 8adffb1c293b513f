package evaluate

// This file makes a task of a truth: pairs of documents to score, and groups of
// documents that belong together.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// A pair is a query and a document, by their places among the ids of a task.
type pair struct {
	q, d  int32
	group int32
	right bool
}

// A task is pairs that settings are judged on, ordered by query, and then by the
// id of the document, as equal rows of an answer are.
type task struct {
	ids     []string
	pairs   []pair
	groups  int // pairs of one group stand or fall together
	queries int // with a right answer
	pooled  bool
	left    int // queries of the truth that were left out
}

// A store is the collection whose documents a truth names.
type store struct {
	snap *simdb.Snapshot
	in   string
}

func (s store) has(id string) bool {
	_, err := s.snap.Info(s.in, id)
	return err == nil
}

func (s store) text(id string) (string, error) {
	d, err := s.snap.Get(s.in, id)
	return d.Text, err
}

// mostUnknown is how many ids that no document has are named.
const mostUnknown = 5

// check refuses a truth with ids that no document has, and names some.
func (s store) check(ctx context.Context, t truth) error {
	known := map[string]bool{"": true}
	var unknown []string
	count := 0
	for _, r := range t.rows {
		for _, id := range []string{r.a, r.b} {
			if _, seen := known[id]; seen {
				continue
			}
			_, err := s.snap.Info(s.in, id)
			known[id] = err == nil
			switch {
			case err == nil:
			case !errors.Is(err, api.ErrNotFound):
				return err
			default:
				if count++; count <= mostUnknown {
					hint, err := s.near(ctx, id)
					if err != nil {
						return err
					}
					unknown = append(unknown, fmt.Sprintf("line %d: %q%s", r.line, id, hint))
				}
			}
		}
	}
	if count == 0 {
		return nil
	}
	more := ""
	if count > mostUnknown {
		more = fmt.Sprintf(", and %d more", count-mostUnknown)
	}
	return bad("%d of the ids are of no document of the collection %s: %s%s; correct them, or import the documents", count, s.in, strings.Join(unknown, ", "), more)
}

// near suggests an id that a document has for one that none has: the first that
// ends as it does or holds it, of those that begin with its first letters if
// there are any.
func (s store) near(ctx context.Context, id string) (string, error) {
	const most = 20_000
	asked := strings.ToLower(id)
	last := asked[strings.LastIndexByte(asked, '/')+1:]
	best, far := "", 4
	for _, prefix := range []string{id[:min(len(id), 3)], ""} {
		n := 0
		for have, err := range s.snap.IDs(ctx, s.in, prefix) {
			if err != nil {
				return "", err
			}
			h := strings.ToLower(have)
			now := far
			switch {
			case h == asked:
				now = 0
			case strings.HasPrefix(h, asked), strings.HasSuffix(h, asked), strings.HasPrefix(asked, h):
				now = 1
			case strings.HasSuffix(h, last):
				now = 2
			case oneEdit(h, asked):
				now = 1
			case strings.Contains(h, asked):
				now = 3
			}
			if now < far {
				best, far = have, now
			}
			if n++; n == most {
				break
			}
		}
		if best != "" {
			return fmt.Sprintf(" (did you mean %q?)", best), nil
		}
	}
	return "", nil
}

// oneEdit reports whether two ids differ in one place: by a letter more, less,
// or another one.
func oneEdit(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	switch len(a) - len(b) {
	case 0:
		return a != "" && a[1:] == b[1:]
	case 1:
		return a[1:] == b
	case -1:
		return a == b[1:]
	}
	return false
}

// newTask numbers the documents of pairs, given by their ids, and groups them:
// queries that are right answers to each other, directly or through others, are one
// group. An answer that is no query itself does not join those it answers.
func newTask(rows []row) *task {
	t := &task{}
	number := map[string]int32{}
	place := func(id string) int32 {
		n, ok := number[id]
		if !ok {
			n = int32(len(t.ids))
			number[id], t.ids = n, append(t.ids, id)
		}
		return n
	}
	for _, r := range rows {
		t.pairs = append(t.pairs, pair{q: place(r.a), d: place(r.b), right: r.right})
	}
	slices.SortFunc(t.pairs, func(a, b pair) int {
		return cmp.Or(strings.Compare(t.ids[a.q], t.ids[b.q]), strings.Compare(t.ids[a.d], t.ids[b.d]))
	})
	parent := make([]int32, len(t.ids))
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	asks := make([]bool, len(t.ids))
	for _, p := range t.pairs {
		asks[p.q] = true
	}
	for _, p := range t.pairs {
		if p.right && asks[p.d] {
			parent[root(p.q)] = root(p.d)
		}
	}
	groups := map[int32]int32{}
	asked := map[int32]bool{}
	for i, p := range t.pairs {
		g, ok := groups[root(p.q)]
		if !ok {
			g = int32(len(groups))
			groups[root(p.q)] = g
		}
		t.pairs[i].group = g
		if p.right {
			asked[p.q] = true
		}
	}
	t.groups, t.queries = len(groups), len(asked)
	return t
}
