package evaluate

// This file makes a task of a truth: pairs of documents to score, and groups of
// documents that belong together.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// A pair is a query and a document that the truth judges.
type pair struct {
	q, d  int32
	right bool
}

// unjudged stands for a document of which nobody has said whether it is right.
const unjudged = -1

// A task is what settings are judged on: queries, and what is known of their answers. The
// documents are all of the collection that is searched, by their ids: equal rows of an
// answer are in this order.
type task struct {
	queries []string
	docs    []string
	self    []int32           // by query: which of the documents it is, -1 if none
	pairs   []pair            // by query, then by document
	known   []map[int32]int32 // by query: the pairs of documents, or unjudged
	group   []int32           // by query: those of one group stand or fall together
	groups  int
	answers int  // queries with a right answer
	open    bool // what is not among the pairs is wrong
	left    int  // queries of the truth that were left out
}

// A store has the documents that a truth names: queries in one collection, and answers in
// that which is searched, the same or another.
type store struct {
	snap     *simdb.Snapshot
	in       string
	searched string
}

func (s store) has(id string) bool {
	for _, in := range []string{s.in, s.searched} {
		if _, err := s.snap.Info(context.Background(), in, id); err == nil {
			return true
		}
	}
	return false
}

func (s store) text(ctx context.Context, in, id string) (string, error) {
	d, err := s.snap.Get(ctx, in, id)
	return d.Text, err
}

// mostUnknown is how many ids that no document has are named.
const mostUnknown = 5

// check refuses a truth with ids that no document has, and names some.
func (s store) check(ctx context.Context, t truth) error {
	known := map[[2]string]bool{}
	var unknown []string
	count := 0
	for _, r := range t.rows {
		for _, at := range [][2]string{{s.in, r.a}, {s.searched, r.b}} {
			in, id := at[0], at[1]
			if id == "" || known[at] {
				continue
			}
			known[at] = true
			_, err := s.snap.Info(ctx, in, id)
			switch {
			case err == nil:
			case !errors.Is(err, api.ErrNotFound):
				return err
			default:
				if count++; count <= mostUnknown {
					hint, err := s.near(ctx, in, id)
					if err != nil {
						return err
					}
					if s.in != s.searched {
						hint = " of " + in + hint
					}
					unknown = append(unknown, fmt.Sprintf("line %d: %q%s", r.line, id, hint))
				}
			}
		}
	}
	if count == 0 {
		return nil
	}
	more, where := "", " "+s.in
	if s.in != s.searched {
		where = " that they are looked for in"
	}
	if count > mostUnknown {
		more = fmt.Sprintf(", and %d more", count-mostUnknown)
	}
	return bad("%d of the ids are of no document of the collection%s: %s%s; correct them, or import the documents", count, where, strings.Join(unknown, ", "), more)
}

// near suggests an id that a document has for one that none has: the first that
// ends as it does or holds it, of those that begin with its first letters if
// there are any.
func (s store) near(ctx context.Context, in, id string) (string, error) {
	const most = 20_000
	asked := strings.ToLower(id)
	last := asked[strings.LastIndexByte(asked, '/')+1:]
	best, far := "", 4
	for _, prefix := range []string{id[:min(len(id), 3)], ""} {
		n := 0
		for have, err := range s.snap.IDs(ctx, in, prefix) {
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
