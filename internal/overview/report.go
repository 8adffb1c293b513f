package overview

// The content of a report: an overview with the passages of its first pairs, and its groups.

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const (
	pairPassages  = 12      // passages of a pair, the longest
	passageBytes  = 1500    // of a passage that is shown
	reportBytes   = 4 << 20 // of all passages
	reportGroups  = 50
	reportMembers = 50 // of a group
)

// A Report is an overview with its groups, and with the passages of its most similar pairs.
type Report struct {
	*Overview
	Title    string // name of the input, the collection by default
	Question Question
	Made     time.Time
	Compared []Compared // the first of Pairs
	Groups   []Group    // the largest
	Further  int        // groups that are not listed
}

// Compared is a pair with its common passages.
type Compared struct {
	api.PairMatch
	Passages []Passage // the longest, in the order of the first text
	Others   int       // further passages
}

// Passage is a common passage of two texts. Lines are those of its beginning and its end, from 1.
type Passage struct {
	A, B           string // as it stands in each text, cut
	ALines, BLines [2]int
	Chars          int
}

// Group is a group that similar pairs connect.
type Group struct {
	Size    int
	Members []string // the first by id
}

// Make computes the report of a question.
func Make(ctx context.Context, snap *simdb.Snapshot, q Question, passages int) (*Report, error) {
	o, err := Of(ctx, snap, q)
	if err != nil {
		return nil, err
	}
	return o.Report(ctx, snap, q, passages)
}

// Report adds to the overview of a question the groups, and the passages of so many pairs, as far as
// they fit.
func (o *Overview) Report(ctx context.Context, snap *simdb.Snapshot, q Question, passages int) (*Report, error) {
	r := &Report{Overview: o, Title: q.Collection, Question: q, Made: time.Now()}
	room := reportBytes
	for _, p := range o.Pairs[:min(passages, len(o.Pairs))] {
		c, err := compared(ctx, snap, q, p)
		if err != nil {
			return nil, err
		}
		for _, s := range c.Passages {
			room -= len(s.A) + len(s.B)
		}
		if room < 0 {
			break
		}
		r.Compared = append(r.Compared, c)
	}
	return r, r.group(ctx, snap)
}

// compared finds the passages of a pair.
func compared(ctx context.Context, snap *simdb.Snapshot, q Question, p api.PairMatch) (c Compared, err error) {
	c.PairMatch = p
	a, err := snap.Get(ctx, p.CollectionA, p.A)
	if err != nil {
		return c, err
	}
	b, err := snap.Get(ctx, p.CollectionB, p.B)
	if err != nil {
		return c, err
	}
	found, err := snap.Passages(ctx, api.ByID(p.A), api.ByID(p.B), q.options()...)
	if err != nil {
		return c, err
	}
	slices.SortStableFunc(found, func(x, y api.Passage) int { return cmp.Compare(y.Chars, x.Chars) })
	c.Others = max(len(found)-pairPassages, 0)
	found = found[:len(found)-c.Others]
	slices.SortFunc(found, func(x, y api.Passage) int {
		return cmp.Or(cmp.Compare(x.AStartByte, y.AStartByte), cmp.Compare(x.BStartByte, y.BStartByte))
	})
	for _, f := range found {
		c.Passages = append(c.Passages, Passage{A: cut(f.A), B: cut(f.B), Chars: f.Chars,
			ALines: lines(a.Text, f.AStartByte, f.AEndByte), BLines: lines(b.Text, f.BStartByte, f.BEndByte)})
	}
	return c, nil
}

// lines returns the lines in which bytes [begin, end) of a text begin and end.
func lines(text string, begin, end int) [2]int {
	first := 1 + strings.Count(text[:begin], "\n")
	return [2]int{first, first + strings.Count(text[begin:max(begin, end-1)], "\n")}
}

// cut shortens a passage.
func cut(s string) string {
	if len(s) <= passageBytes {
		return s
	}
	end := passageBytes
	for end > 0 && s[end]&0xc0 == 0x80 { // within a character
		end--
	}
	return s[:end] + " …"
}

// group finds the groups at Least.
func (r *Report) group(ctx context.Context, snap *simdb.Snapshot) error {
	q := r.Question
	opts := append(q.options(), simdb.Using(q.Measure, q.Args), simdb.Min(r.Least))
	group := ""
	for m, err := range snap.Clusters(ctx, opts...) {
		if err != nil {
			return err
		}
		if m.Cluster != group {
			if group = m.Cluster; len(r.Groups) == reportGroups {
				r.Further++
			} else if r.Further == 0 {
				r.Groups = append(r.Groups, Group{Size: m.Size})
			}
		}
		if last := len(r.Groups) - 1; r.Further == 0 && len(r.Groups[last].Members) < reportMembers {
			r.Groups[last].Members = append(r.Groups[last].Members, m.ID)
		}
	}
	return nil
}

// options returns the options of every call about the question.
func (q Question) options() []simdb.SearchOption {
	opts := []simdb.SearchOption{simdb.In(q.Collection)}
	if q.Ignoring != (api.Ignoring{}) {
		opts = append(opts, simdb.Ignoring(q.Ignoring))
	}
	return opts
}
