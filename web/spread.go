package web

// GET /api/v1/spread: the distributions of similarity and length in a collection, from a sample
// that is bounded in number and time.

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const (
	defaultSample = 200
	maxSample     = 1000
	spreadTime    = 10 * time.Second
	spreadPairs   = 100 // maximum number of counted pairs per document
	sizeBins      = 32  // powers of two up to 4 GiB, the maximum size of a text
	percentOfBin  = 5
)

type spreadAnswer struct {
	Collection string   `json:"collection"`
	Documents  int64    `json:"documents"`
	Sampled    int      `json:"sampled"`
	MinSim     float64  `json:"min_sim"`
	Nearest    []bin    `json:"nearest"`
	Pairs      []bin    `json:"pairs"`
	PairsExact bool     `json:"pairs_exact"`
	Sizes      []bin    `json:"sizes"`
	Notes      []string `json:"notes"`
	Elapsed    float64  `json:"elapsed_ms"`
}

type bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int     `json:"count"`
}

// someOf reads the collection and a number from the URL, and opens a snapshot.
func (c *call) someOf(count string, usual, most int) (snap *simdb.Snapshot, info api.CollectionInfo, n int, err error) {
	req, err := c.parameters("collection", count)
	if err == nil {
		n, err = whole(count, req[count], usual, most)
	}
	if err == nil {
		snap, err = c.snapshot()
	}
	if err != nil {
		return nil, info, 0, err
	}
	info, err = snap.Collection(collectionOf(req["collection"]))
	return snap, info, n, err
}

// spread answers with histograms of a sample.
func spread(c *call) error {
	snap, info, most, err := c.someOf("sample", defaultSample, maxSample)
	if err != nil {
		return err
	}
	least := api.Ratio(1, 2)
	ctx := c.ctx // without progress: each document is one step of its own
	c.stream()
	a := spreadAnswer{Collection: info.Name, Documents: info.Documents, MinSim: least.Float64(), PairsExact: true,
		Nearest: simBins(least.Float64(), true), Pairs: simBins(least.Float64(), false), Sizes: newSizeBins(), Notes: []string{}}
	ids, err := snap.Spread(c.ctx, info.Name, most)
	if err != nil {
		return err
	}
	if int64(len(ids)) < info.Documents {
		a.Notes = append(a.Notes, "documents with equal shingles count once, and those without any do not")
	}
	for _, id := range ids {
		if time.Since(c.start) > spreadTime {
			a.Notes = append(a.Notes, fmt.Sprintf("a sample of %d documents: no more were looked for in %v", a.Sampled, spreadTime))
			break
		}
		if err := a.look(ctx, snap, id, lookup{In: []string{info.Name}, Min: least, Limit: spreadPairs}); err != nil {
			return err
		}
		a.Sampled++
		if c.out != nil {
			if err := c.out.writeEvent("progress", pair{"what", "documents of the sample"}, pair{"done", a.Sampled}, pair{"total", len(ids)}); err != nil {
				return err
			}
		}
	}
	if len(ids) == most {
		a.Notes = append(a.Notes, fmt.Sprintf("a sample of %d documents, from early to late ones", a.Sampled))
	}
	if !a.PairsExact {
		a.Notes = append(a.Notes, fmt.Sprintf("of each document the %d most similar ones are counted", spreadPairs))
	}
	a.Sizes = filled(a.Sizes)
	a.Elapsed = c.elapsed()
	return c.respond(a)
}

// look adds one document of the sample to the histograms.
func (a *spreadAnswer) look(ctx context.Context, snap *simdb.Snapshot, id string, q lookup) error {
	info, err := snap.Info(ctx, a.Collection, id)
	if err != nil {
		return err
	}
	nearest, n := 0.0, 0
	for m, err := range snap.Similar(ctx, api.ByID(id), q.options()...) {
		if err != nil {
			return err
		}
		nearest = max(nearest, m.Sim)
		count(a.Pairs, m.Sim)
		n++
	}
	a.PairsExact = a.PairsExact && n < q.Limit
	count(a.Nearest, nearest)
	count(a.Sizes, float64(info.TextBytes))
	return nil
}

// simBins returns bins of five percent from a similarity on, and with rest one bin below them.
func simBins(least float64, rest bool) (bins []bin) {
	if rest {
		bins = append(bins, bin{From: 0, To: least})
	}
	from := least
	for percent := percentOfBin; percent <= 100; percent += percentOfBin {
		if to := float64(percent) / 100; to > from {
			bins = append(bins, bin{From: from, To: to})
			from = to
		}
	}
	return bins
}

// newSizeBins returns one bin per power of two.
func newSizeBins() (bins []bin) {
	bins = append(bins, bin{From: 0, To: 1})
	for i := range sizeBins {
		bins = append(bins, bin{From: math.Exp2(float64(i)), To: math.Exp2(float64(i + 1))})
	}
	return bins
}

// count increments the bin of a value; the last bin has no upper bound.
func count(bins []bin, v float64) {
	for i := range bins {
		if v < bins[i].To || i == len(bins)-1 {
			bins[i].Count++
			return
		}
	}
}

// filled removes the empty bins at both ends.
func filled(bins []bin) []bin {
	for len(bins) > 1 && bins[0].Count == 0 {
		bins = bins[1:]
	}
	for len(bins) > 1 && bins[len(bins)-1].Count == 0 {
		bins = bins[:len(bins)-1]
	}
	return bins
}
