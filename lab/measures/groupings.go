package measures

// This file compares two ways to make clusters: the paper names k-means, simdb's lab takes
// leaders.

import (
	"context"
	"math"
	"strconv"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/report"
)

// A grouping says which cluster each document is in, and what it took.
type grouping struct {
	name        string
	of          []int
	rounds      int
	comparisons int // of a document with a centre
}

// leaders goes through the documents once: each joins the cluster whose sum of vectors points
// nearest to its own, if the cosine is at least so much, or else founds one.
func leaders(vectors []measure.Vector, least api.Threshold) grouping {
	g := grouping{name: "leaders", of: make([]int, len(vectors)), rounds: 1}
	var centres []measure.Vector
	for i, v := range vectors {
		best, at := measure.Score{}, -1
		for c, centre := range centres {
			g.comparisons++
			if s := measure.Cosine(v, centre, nil); s.Shared > best.Shared && s.Reaches(least) {
				best, at = s, c
			}
		}
		if at < 0 {
			at = len(centres)
			centres = append(centres, nil)
		}
		centres[at] = sum(centres[at], v)
		g.of[i] = at
	}
	return g
}

// maxRounds ends k-means where it does not come to rest.
const maxRounds = 50

// kMeans makes k clusters by cosine. It begins with documents that are far from each other,
// the first of all and then always the one that is least like its nearest centre, so that
// nothing is left to chance.
func kMeans(ctx context.Context, vectors []measure.Vector, k int) (grouping, error) {
	g := grouping{name: "k-means", of: make([]int, len(vectors))}
	nearest, like := 0, make([]float64, len(vectors))
	centres := make([]measure.Vector, 0, k)
	for len(centres) < k {
		centres = append(centres, vectors[nearest])
		like[nearest] = 2 // is not taken again
		with := newCentres(centres[len(centres)-1:])
		for i, v := range vectors {
			like[i] = max(like[i], with.like(v)[0])
			g.comparisons++
			if like[i] < like[nearest] {
				nearest = i
			}
		}
	}
	for moved := true; moved && g.rounds < maxRounds; g.rounds++ {
		if err := ctx.Err(); err != nil {
			return g, err
		}
		moved = false
		all := newCentres(centres)
		centres = make([]measure.Vector, k)
		for i, v := range vectors {
			best, most := k+i, 0.0 // what names nothing is alone
			for c, s := range all.like(v) {
				if s > most {
					best, most = c, s
				}
			}
			g.comparisons += k
			moved = moved || best != g.of[i] || g.rounds == 0
			if g.of[i] = best; best < k {
				centres[best] = sum(centres[best], v)
			}
		}
	}
	return g, nil
}

// centresOf holds centres by term, so that a document is compared with all at once.
type centresOf struct {
	n  int
	at map[uint64][]weighted
}

type weighted struct {
	centre int
	weight float64
}

func newCentres(list []measure.Vector) centresOf {
	c := centresOf{len(list), map[uint64][]weighted{}}
	for i, v := range list {
		for _, t := range v {
			c.at[t.Hash] = append(c.at[t.Hash], weighted{i, float64(t.Count) / norm(v)})
		}
	}
	return c
}

// like returns the cosine of a document with each centre.
func (c centresOf) like(v measure.Vector) []float64 {
	out := make([]float64, c.n)
	for _, t := range v {
		for _, w := range c.at[t.Hash] {
			out[w.centre] += float64(t.Count) * w.weight / norm(v)
		}
	}
	return out
}

func norm(v measure.Vector) float64 {
	square := 0.0
	for _, t := range v {
		square += float64(t.Count) * float64(t.Count)
	}
	return math.Sqrt(square)
}

var groupingHead = []string{"collection", "clusters by", "asked for", "precision", "recall", "F", "rounds", "comparisons per document"}

// groupings judges clusters of entities: by leaders from two cosines on, and by k-means with as many as there are
// groups in truth, half as many and twice as many.
func groupings(ctx context.Context, c collection) (rows [][]string, err error) {
	vectors := each(c.docs, entityVector)
	groups := 0
	seen := map[string]bool{"": false}
	for _, g := range c.group {
		if !seen[g] { // a document that is related to none is a group
			groups++
			seen[g] = g != ""
		}
	}
	add := func(g grouping, asked string) {
		var t tally
		for i := range c.docs {
			for j := i + 1; j < len(c.docs); j++ {
				t.add(c.related(i, j), uint64(b2i(g.of[i] == g.of[j])), 1)
			}
		}
		r := t.from(50)
		rows = append(rows, []string{c.name, g.name, asked, three(r.precision()), three(r.recall()), three(r.f()),
			strconv.Itoa(g.rounds), strconv.Itoa(g.comparisons / len(c.docs))})
	}
	for _, least := range []api.Threshold{api.Ratio(1, 2), api.Ratio(4, 5)} {
		add(leaders(vectors, least), "cosine "+least.String())
	}
	for _, k := range []int{max(groups/2, 1), groups, min(2*groups, len(c.docs)-1)} {
		g, err := kMeans(ctx, vectors, k)
		if err != nil {
			return nil, err
		}
		add(g, strconv.Itoa(k)+" clusters")
	}
	return rows, nil
}

func writeGroupings(r *report.Report, rows [][]string) {
	r.Printf("## Clusters by leaders, and by k-means\n\nThe paper names k-means for its clusters of entities, which must be told how many there are. " +
		"Here it is told half of the true number, the true one, and twice that, which no user knows. Leaders need no number: a document joins the nearest cluster from a cosine on, of 0.5 in the comparison above, or founds one. " +
		"A pair is reported if both are in one cluster.")
	r.Table("clusters", groupingHead, rows)
}
