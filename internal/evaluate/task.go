package evaluate

// Task: pairs of documents to score, and groups of documents that must stay on one side of a
// split.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// A pair is a query and a document with a label.
type pair struct {
	q, d  int32
	right bool
}

// unjudged marks a document without a label that counts neither as right nor as wrong.
const unjudged = -1

// A task is the basis of all judgements: queries and the labels of their answers. docs lists all
// documents of the searched collection by id, which is also the order of equal rows in an answer.
type task struct {
	queries []string
	docs    []string
	self    []int32           // by query: its own document, or -1
	pairs   []pair            // by query, then document
	known   []map[int32]int32 // by query: index of the pair by document, or unjudged
	group   []int32           // by query: queries of a group share a half and a resample
	groups  int
	answers int  // queries with a right answer
	open    bool // documents without a pair count as wrong
	left    int  // queries of the truth beyond maxQueries
}

// A store locates the documents of a truth: queries in one collection, answers in the searched
// one, which may be the same.
type store struct {
	snap     *simdb.Snapshot
	in       string
	searched string
}

// has reports whether one of the collections has a document.
func (s store) has(id string) bool {
	for _, in := range []string{s.in, s.searched} {
		if _, err := s.snap.Info(context.Background(), in, id); err == nil {
			return true
		}
	}
	return false
}

// text returns the text of a document.
func (s store) text(ctx context.Context, in, id string) (string, error) {
	d, err := s.snap.Get(ctx, in, id)
	return d.Text, err
}

// mostUnknown is the number of unknown ids in an error message.
const mostUnknown = 5

// check returns an error with examples if ids of the truth have no document.
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
	return bad("%d ids have no document in the collection%s: %s%s; correct them, or import the documents", count, where, strings.Join(unknown, ", "), more)
}

// near suggests an existing id for an unknown one: the first that has it as a suffix or contains
// it, among the ids with the same first letters if there are any.
func (s store) near(ctx context.Context, in, id string) (string, error) {
	const most = 20_000
	wanted := strings.ToLower(id)
	last := wanted[strings.LastIndexByte(wanted, '/')+1:]
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
			case h == wanted:
				now = 0
			case strings.HasPrefix(h, wanted), strings.HasSuffix(h, wanted), strings.HasPrefix(wanted, h):
				now = 1
			case strings.HasSuffix(h, last):
				now = 2
			case oneEdit(h, wanted):
				now = 1
			case strings.Contains(h, wanted):
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

// oneEdit reports whether two ids differ by one insertion, deletion or substitution.
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
