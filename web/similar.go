package web

// POST /api/v1/similar: pages of the documents similar to a document or a text, with the plan of
// the search.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/simdb/simdb/api"
)

const (
	maxCount = 11_000 // rows after which counting stops

	lowerTime = time.Second // for finding a lower threshold with matches
)

type similarRequest struct {
	ID    string  `json:"id"`
	Store string  `json:"store"`
	Text  *string `json:"text"`
	searched
	Nearest int   `json:"nearest"`
	Limit   *int  `json:"limit"`
	Offset  int   `json:"offset"`
	Lower   *bool `json:"lower"`
}

type similarAnswer struct {
	Target     targetInfo        `json:"target"`
	Measure    string            `json:"measure"`
	Threshold  float64           `json:"threshold"`
	Matches    []json.RawMessage `json:"matches"`
	Total      int               `json:"total"`
	TotalExact bool              `json:"total_exact"`
	More       bool              `json:"more"`
	Lower      *lower            `json:"lower"`
	Notes      []string          `json:"notes"`
	Plan       *api.Plan         `json:"plan"`
	Elapsed    float64           `json:"elapsed_ms"`
}

// lower is a lower threshold with at least one match, and that match.
type lower struct {
	Threshold  float64 `json:"threshold"`
	Sim        float64 `json:"sim"`
	ID         string  `json:"id"`
	Collection string  `json:"collection"`
	Store      string  `json:"store,omitempty"`
}

type match struct {
	Store      string   `json:"store,omitempty"` // of several
	Collection string   `json:"collection"`
	ID         string   `json:"id"`
	Sim        float64  `json:"sim"`
	Shared     *uint64  `json:"shared"`
	Union      *uint64  `json:"union"`
	Dist       *int     `json:"dist"`
	SI         *int64   `json:"si"`
	SimHash    *string  `json:"simhash"`
	Size       int64    `json:"size"`
	Path       *string  `json:"path"`
	Metadata   api.Meta `json:"metadata"`
}

// similar answers with a page of matches, and suggests a lower threshold if there are none.
func similar(c *call, req similarRequest) error {
	q, err := req.search()
	if err != nil {
		return err
	}
	limit, err := page(req.Limit, 20, req.Offset)
	if err != nil {
		return err
	}
	bounded := len(req.Threshold) > 0
	if err := within("nearest", req.Nearest, 0, maxOffset); err != nil {
		return err
	}
	switch {
	case req.Nearest > 0:
		q.Limit = req.Nearest
		if !bounded {
			q.Min = leastSim(q.Measure)
		}
	case q.Min.Cmp(leastSim(q.Measure)) <= 0: // nearly all documents may have something in common
		q.Limit = req.Offset + limit + 1
		q.Min = leastSim(q.Measure)
	}
	snap, err := c.snapshots()
	if err != nil {
		return err
	}
	if len(q.In) == 0 {
		q.In = []string{api.DefaultCollection}
	}
	target, info, err := targetOf(c.ctx, snap, req.Store, req.ID, req.Text, q.In)
	if err != nil {
		return err
	}
	a := similarAnswer{Target: info.targetInfo, Measure: q.Measure.Describe(q.Args), Threshold: q.Min.Float64(), Notes: info.notes}
	c.stream()
	found, plan := snap.similar(c.ctx, info.Store, target, q)
	list := c.rows()
	a.TotalExact = true
	for m, err := range found {
		if err != nil {
			return err
		}
		if a.Total == maxCount {
			a.TotalExact = false
			break
		}
		if at := a.Total - req.Offset; at >= 0 && at < limit {
			row, err := matchOf(c.ctx, snap, q.Measure, m)
			if err != nil {
				return err
			}
			switch err := list.add(row); {
			case errors.Is(err, errFull):
				limit, a.Notes = at, append(a.Notes, fullNote)
			case err != nil:
				return err
			}
		}
		a.Total++
	}
	if req.Nearest == 0 && q.Limit > 0 && a.Total == q.Limit {
		a.TotalExact = false
	}
	a.More = a.Total > req.Offset+limit
	if a.Total == 0 && info.Content && (req.Lower == nil || *req.Lower) {
		a.lower(c, snap, info.Store, target, q)
	}
	a.Matches, a.Plan, a.Elapsed = list.list, plan, c.elapsed()
	return c.respond(a)
}

// matchOf adds the stored data of the document to a match.
func matchOf(ctx context.Context, all snapshots, by api.Measure, m api.Match) (match, error) {
	snap, err := all.store(m.Store)
	if err != nil {
		return match{}, err
	}
	info, err := snap.Info(ctx, m.Collection, m.ID)
	row := match{Store: m.Store, Collection: m.Collection, ID: m.ID, Sim: m.Sim, Size: info.TextBytes, Metadata: info.Meta, Path: pathOf(info.Meta),
		Shared: of(by.Counts(), m.Shared), Union: of(by.Counts(), m.Union), Dist: of(by.OfFingerprints(), m.Dist),
		SimHash: of(info.Shingles > 0, api.Fingerprint(info.SimHash).String())}
	switch {
	case by.OfIndexes():
		row.SI = of(m.SI.Valid, m.SI.Value)
	case len(info.SI) > 0:
		row.SI = of(info.SI[0].Valid, info.SI[0].Value)
	}
	return row, err
}

// lower searches for the most similar document, within lowerTime.
func (a *similarAnswer) lower(c *call, snap snapshots, store string, target api.Target, q lookup) {
	if q.Min = leastSim(q.Measure); a.Threshold <= q.Min.Float64() {
		return
	}
	ctx, cancel := context.WithTimeout(c.ctx, lowerTime)
	defer cancel()
	q.Limit = 1
	found, _ := snap.similar(ctx, store, target, q)
	var err error
	for m, rowErr := range found {
		if err = rowErr; err == nil {
			a.Lower = &lower{Threshold: roundDown(m.Sim), Sim: m.Sim, ID: m.ID, Collection: m.Collection, Store: m.Store}
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		a.Notes = append(a.Notes, fmt.Sprintf("no lower threshold with matches was found within %v", lowerTime))
	case err != nil:
		a.Notes = append(a.Notes, "the search for a lower threshold with matches failed: "+oneLine(err))
	case a.Lower == nil:
		a.Notes = append(a.Notes, "no other document has anything in common with it, by this measure")
	}
}

// roundDown rounds the similarity down to whole percent, or to as many further digits as a positive
// result needs.
func roundDown(sim float64) float64 {
	for scale := 100.0; scale <= 1e9; scale *= 10 {
		if t := math.Floor(sim*scale) / scale; t > 0 && t <= sim {
			return min(t, 1)
		}
	}
	return 0
}
