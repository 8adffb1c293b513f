package verify

// The audit: what the other tool missed, estimated by an exact search for each document of a sample.

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/overview"
)

const (
	worstCases  = 20      // of each kind, on the page
	mostMatches = 2 << 20 // of all sampled documents; a document beyond ends the sample
	matchBytes  = 512     // memory of a match, roughly
)

// audit compares the claims of a tool with the exact matches of sampled documents.
type audit struct {
	question  overview.Question
	documents int64
	sample    map[string]*sampled
	groups    map[string][]string // of the sampled documents and their matches, by id
	sizes     map[string]int      // of the groups of sampled documents, in texts
	group     string              // of the last claim
	sampled   bool                // group has a sampled document
	wrong     []api.PairMatch     // claims that are not similar, the worst first
	rows      int64               // claims about documents with texts
	right     int64
}

// sampled is a document of the sample.
type sampled struct {
	matches map[string]api.Match // exact
	claimed map[string]bool      // partners in pairs of the tool
}

// newAudit draws the sample and searches for the matches of each document.
func newAudit(ctx context.Context, snap *simdb.Snapshot, run *verifier, v *verifying) (*audit, error) {
	m, _ := api.ParseMeasure(v.using)
	if !m.Symmetric(api.Args{}) {
		return nil, exit.Usagef("--audit is for a symmetric measure, and %s is none", v.using)
	}
	if v.sample < 1 {
		return nil, exit.Usagef("--sample is %d; give a number from 1 on", v.sample)
	}
	a := &audit{sample: map[string]*sampled{}, groups: map[string][]string{}, sizes: map[string]int{}}
	a.question = overview.Question{Collection: v.in, Measure: m, Least: run.min, Ignoring: run.ignoring}
	ids, err := a.draw(ctx, snap, v.in, v.sample)
	if err != nil {
		return nil, err
	}
	begin, all, most := time.Now(), int64(0), min(mostMatches, 8*run.memory/matchBytes)
	for i, id := range ids {
		s := &sampled{matches: map[string]api.Match{}, claimed: map[string]bool{}}
		for match, err := range snap.Similar(ctx, api.ByID(id), slices.Concat(run.options, []simdb.SearchOption{simdb.Min(run.min)})...) {
			if err != nil {
				return nil, err
			}
			if all++; all > most {
				break
			}
			s.matches[match.ID] = match
			a.groups[match.ID] = nil
		}
		if all > most && i == 0 {
			return nil, exit.Failf(exit.Rejected, "more than %s documents are similar to %s; audit with a larger --sim or --memory", output.Thousands(most), output.EscapeControls(id))
		}
		if all > most {
			break
		}
		a.sample[id], a.groups[id] = s, nil
		run.bar.Draw(int64(i), int64(len(ids)), output.Count(int64(i), "document")+" of the sample", time.Since(begin))
	}
	return a, nil
}

// draw returns n ids with the smallest hashes, in the order of the hashes: a random sample, the same
// each time.
func (a *audit) draw(ctx context.Context, snap *simdb.Snapshot, collection string, n int) (ids []string, err error) {
	type hashed struct {
		hash uint64
		id   string
	}
	var drawn []hashed
	cut := func() {
		slices.SortFunc(drawn, func(x, y hashed) int { return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.id, y.id)) })
		drawn = drawn[:min(n, len(drawn))]
	}
	for id, err := range snap.IDs(ctx, collection, "") {
		if err != nil {
			return nil, err
		}
		a.documents++
		if drawn = append(drawn, hashed{xxhash.Sum64String(id), id}); len(drawn)/2 > n {
			cut()
		}
	}
	cut()
	for _, h := range drawn {
		ids = append(ids, h.id)
	}
	return ids, nil
}

// claimed takes note of a verified claim.
func (a *audit) claimed(c claim, s api.Scored, similar bool) {
	if c.group != "" {
		if c.group != a.group {
			if !a.sampled {
				delete(a.sizes, a.group)
			}
			a.group, a.sampled = c.group, false
		}
		in, ok := a.groups[c.b]
		if ok && !slices.Contains(in, c.group) {
			a.groups[c.b] = append(in, c.group)
		}
		if !s.MissingB && !slices.Contains(in, c.group) {
			a.sizes[c.group]++
		}
		a.sampled = a.sampled || a.sample[c.b] != nil
	} else {
		for _, p := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if of := a.sample[p[0]]; of != nil {
				of.claimed[p[1]] = true
			}
		}
	}
	if s.MissingA || s.MissingB || c.a == c.b {
		return
	}
	if a.rows++; similar {
		a.right++
		return
	}
	a.wrong = append(a.wrong, api.PairMatch{CollectionA: a.question.Collection, A: min(c.a, c.b), CollectionB: a.question.Collection, B: max(c.a, c.b),
		Sim: s.Sim, Shared: s.Shared, Union: s.Union, Of: s.Of, Unit: s.Unit, Ignored: s.Ignored})
	if len(a.wrong) >= 2*worstCases {
		a.wrong = worst(a.wrong, 1)
	}
}

// worst returns the first cases in the order of sim, ascending with sign 1 and descending with -1, each once.
func worst(pairs []api.PairMatch, sign int) []api.PairMatch {
	slices.SortStableFunc(pairs, func(x, y api.PairMatch) int {
		return cmp.Or(sign*cmp.Compare(x.Sim, y.Sim), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	pairs = slices.CompactFunc(pairs, func(x, y api.PairMatch) bool { return x.A == y.A && x.B == y.B })
	return pairs[:min(len(pairs), worstCases)]
}

// write estimates recall and precision, and writes the page.
func (a *audit) write(ctx context.Context, snap *simdb.Snapshot, run *verifier, path string) error {
	page := overview.Audit{Answers: run.name(), Question: a.question, Made: time.Now(), Documents: a.documents, Sampled: int64(len(a.sample)),
		Rows: a.rows, Right: a.right, Groups: run.groups, Largest: run.largest.group, LargestOthers: run.largest.others, LargestSimilar: run.largest.similar}
	var recall, precision ratio
	var missed []api.PairMatch
	for id, s := range a.sample {
		found := 0
		for other, m := range s.matches {
			if s.claimed[other] || a.together(id, other) {
				found++
				continue
			}
			if a.sample[other] != nil && other < id {
				continue // listed with the other document
			}
			missed = append(missed, api.PairMatch{CollectionA: m.Collection, A: id, CollectionB: m.Collection, B: other,
				Sim: m.Sim, Shared: m.Shared, Union: m.Union, Of: m.Of, Unit: m.Unit, Ignored: m.Ignored})
			if len(missed) >= 1024 {
				missed = worst(missed, -1)
			}
		}
		recall.add(found, len(s.matches))
		right, claimed := 0, 0
		for _, group := range a.groups[id] {
			claimed += a.sizes[group] - 1
			for other := range s.matches {
				if slices.Contains(a.groups[other], group) {
					right++
				}
			}
		}
		precision.add(right, claimed)
	}
	whole := int64(len(a.sample)) == a.documents
	page.Recall, page.Precision = recall.estimate(whole), precision.estimate(whole)
	for _, of := range []struct {
		pairs []api.PairMatch
		to    *[]overview.Compared
	}{{worst(missed, -1), &page.Missed}, {worst(a.wrong, 1), &page.Wrong}} {
		for _, p := range of.pairs {
			c, err := overview.Compare(ctx, snap, a.question, p)
			if err != nil {
				return err
			}
			*of.to = append(*of.to, c)
		}
	}
	return command.WriteFile(path, func(w io.Writer) error { return page.WriteHTML(w) })
}

// together reports whether two documents are in one group.
func (a *audit) together(id, other string) bool {
	return slices.ContainsFunc(a.groups[id], func(group string) bool { return slices.Contains(a.groups[other], group) })
}

// ratio estimates a share of pairs from a sample of documents.
type ratio struct {
	part, whole float64
	squares     float64 // of the pairs of each document
}

// add adds the pairs of a document.
func (r *ratio) add(part, whole int) {
	r.part, r.whole = r.part+float64(part), r.whole+float64(whole)
	r.squares += float64(whole) * float64(whole)
}

// estimate returns the share with bounds of 95 % confidence, by Wilson's interval. The pairs of a
// document depend on each other, so the interval counts documents, not pairs: as many of equal weight
// as are worth the sample (Kish). A sample of all documents has no error.
func (r *ratio) estimate(all bool) overview.Estimate {
	if r.whole == 0 {
		return overview.Estimate{}
	}
	p := r.part / r.whole
	if all {
		return overview.Estimate{Pairs: int64(r.whole), Share: p, Least: p, Most: p}
	}
	const z = 1.959964
	n := r.whole * r.whole / r.squares
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return overview.Estimate{Pairs: int64(r.whole), Share: p, Least: max(middle-half, 0), Most: min(middle+half, 1)}
}
