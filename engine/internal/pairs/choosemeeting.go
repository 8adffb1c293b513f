package pairs

// How the sets of one collection meet, by predicted cost.

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
)

// What joins cost beside what package join predicts, in nanoseconds. A pair that is
// no match is compared in a microsecond if its bags are at hand; where there are
// many such pairs, bags do not stay.
const (
	nanosPerPass   = 4000.0 // a candidate
	nanosPerMember = 100.0  // to read a text again, for each of its shingles, and post or sign it
)

// slowJoin is what a join by stored data costs from which it is worth reading a
// sample of the texts.
const slowJoin = 200e6

// meetCosts are what the ways cost to join a collection with itself; infinite if they do
// not serve.
type meetCosts struct {
	postings, signatures, wide float64
	matches                    float64 // of that, to compare matches, as a sample tells; 0 without one
}

func (c meetCosts) least() float64 { return min(c.postings, c.signatures, c.wide) }

// String names the ways that serve.
func (c meetCosts) String() string {
	var out []string
	for _, x := range []struct {
		name  string
		nanos float64
	}{{"postings", c.postings}, {"signatures", c.signatures}, {"wide ones", c.wide}} {
		if !math.IsInf(x.nanos, 1) {
			out = append(out, fmt.Sprintf("%s ≈ %.0f ms", x.name, x.nanos/1e6))
		}
	}
	return strings.Join(out, ", ")
}

// chooseMeeting chooses how the sets of one collection meet: by the postings, if
// w says that they serve; by the signatures in memory; or, where those are too
// narrow for the threshold and would leave most of the work to the comparison of
// texts, by wide ones that are made for the join.
func (e *edges) chooseMeeting(ctx context.Context, v *view.View, w way) (way, error) {
	served := w.access == search.AccessPrefix
	c, err := e.meetCosts(ctx, v, w.ranks, served)
	if err != nil {
		return w, err
	}
	if served && c.postings <= c.least() {
		nanos, err := join.PostingsCost(ctx, w.ranks, e.m.ReadThrough(ctx, v), v.Layout(v.Postings.Order), index.Prefix, host.Workers(), e.budget())
		if err != nil {
			return w, e.joinError(err)
		}
		c.postings += nanos
	}
	if served {
		w.why = ""
	} else {
		w.why += "; "
	}
	w.why += "join: " + c.String()
	w.matches = c.matches
	if w.nanos = c.least(); w.nanos != c.postings {
		w.access, w.wide = search.AccessSignature, w.nanos == c.wide
	}
	return w, nil
}

// meetCosts predicts the costs, those of postings without reading them.
func (e *edges) meetCosts(ctx context.Context, v *view.View, ranks *join.Ranks, served bool) (c meetCosts, err error) {
	members, tail := float64(ranks.Members()), 0.0
	for set := v.Postings.Built; set < v.Table.Len(); set++ {
		tail += float64(v.Table.Size(set).Distinct)
	}
	own, passes := join.SignaturesCost(ranks), ranks.SignaturePasses()*nanosPerPass
	c = meetCosts{postings: math.Inf(1), signatures: own + passes, wide: math.Inf(1)}
	if served {
		c.postings = tail*nanosPerMember + passes
	}
	if wideFit(e.m, v, ranks) {
		c.wide = 1.5*own + members*nanosPerMember
	}
	if c.least() < slowJoin {
		return c, nil
	}
	s, err := e.sample(ctx, v, ranks)
	window := float64(ranks.Window())
	c.wide += window * s.wide * nanosPerPass
	c.matches = window * s.matches * nanosPerPass
	return c, err
}
