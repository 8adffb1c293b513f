package web

// POST /api/v1/sources: the stored documents that contain passages of a text, with the positions
// in both.

import (
	"context"
	"encoding/json"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

type sourcesRequest struct {
	ID         string          `json:"id"`
	Store      string          `json:"store"`
	Text       *string         `json:"text"`
	Collection string          `json:"collection"`
	Min        json.RawMessage `json:"min"`
	Ignoring   ignoring        `json:"ignoring"`
}

type sourcesAnswer struct {
	Target  sideText `json:"target"`
	Chars   int      `json:"chars"`
	Sources []source `json:"sources"`
	Notes   []string `json:"notes"`
	Elapsed float64  `json:"elapsed_ms"`
}

type source struct {
	Store      string  `json:"store,omitempty"` // of several
	Collection string  `json:"collection"`
	ID         string  `json:"id"`
	Share      float64 `json:"share"`
	Chars      int     `json:"chars"`
	Longest    int     `json:"longest"`
	Passages   []piece `json:"passages"`
	More       bool    `json:"more_passages"`
}

// sources answers with a cover of the target.
func sources(c *call, req sourcesRequest) error {
	args, err := arguments{"min": req.Min}.args(api.Coverage)
	if err != nil {
		return err
	}
	all, err := c.snapshots()
	if err != nil {
		return err
	}
	c.stream()
	a := sourcesAnswer{Sources: []source{}, Notes: []string{}}
	of := side{ID: req.ID, Store: req.Store, Text: req.Text, Collection: collectionOf(req.Collection)}
	target, _, err := of.find(c.ctx, all, &a.Target, &a.Notes)
	if err != nil {
		return err
	}
	target.Store = req.Store
	cover, err := all.Sources(c.ctx, target, req.Ignoring.with(simdb.In(of.Collection), simdb.Using(api.Coverage, args))...)
	if err != nil {
		return err
	}
	a.Chars = cover.Chars
	if err := a.place(c.ctx, all, cover); err != nil {
		return err
	}
	a.Elapsed = c.elapsed()
	return c.respond(a)
}

// place adds the positions of the first maxPieces passages.
func (a *sourcesAnswer) place(ctx context.Context, all snapshots, cover api.Cover) error {
	inTarget, left := newPlaces(a.Target.Text), maxPieces
	listed := make([][]api.Passage, len(cover.Sources))
	for i, s := range cover.Sources {
		listed[i] = s.Passages[:min(left, len(s.Passages))]
		left -= len(listed[i])
		for _, p := range listed[i] {
			inTarget.add(p.AStartByte, p.AEndByte)
		}
	}
	inTarget.measure()
	for i, s := range cover.Sources {
		row := source{Collection: s.Collection, ID: s.ID, Share: float64(s.Chars) / float64(cover.Chars), Chars: s.Chars,
			Passages: []piece{}, More: len(listed[i]) < len(s.Passages)}
		if all.all != nil {
			row.Store = all.all.Stores()[s.Store]
		}
		for _, p := range s.Passages {
			row.Longest = max(row.Longest, p.Chars)
		}
		if len(listed[i]) > 0 {
			snap, err := all.store(row.Store)
			if err != nil {
				return err
			}
			doc, err := snap.Get(ctx, s.Collection, s.ID)
			if err != nil {
				return err
			}
			inDoc := newPlaces(doc.Text)
			for _, p := range listed[i] {
				inDoc.add(p.BStartByte, p.BEndByte)
			}
			inDoc.measure()
			for _, p := range listed[i] {
				row.Passages = append(row.Passages, piece{inTarget.span(p.AStartByte, p.AEndByte), inDoc.span(p.BStartByte, p.BEndByte), p.Chars})
			}
		}
		a.Sources = append(a.Sources, row)
	}
	return nil
}
