package engine

// SOURCES OF on a snapshot.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// Sources covers the target by passages of the documents. The passages of a document are
// those that Coverage counts, if one of them has more than 2 Min characters, or more than a
// tenth of the target. Of all passages the longest is taken first; of equals the one of the
// document that has most of the target in all, then the one that begins first in the target,
// then the one of the first id and collection. No character is counted twice. The target is no
// source of itself. ErrNotFound if the target's id is in none of the collections.
func (s *Snapshot) Sources(ctx context.Context, t api.Target, q api.Sources) (api.Cover, error) {
	return called(s, func(m *view.Moment) (api.Cover, error) { return search.FindSources(ctx, m, t, q) })
}

// Place is one of several snapshots that are asked for sources together.
type Place struct {
	Snapshot *Snapshot
	In       []string // the collections that are looked in; empty means docs
	Store    int      // stands in Source
	Name     string   // of the store: it stands in errors
}

// SourcesAmong is Snapshot.Sources among the documents of several stores. home is the place of
// the one that has the target, if it is stored. The passages of all stores compete with each
// other, so the cover is that of one store with all documents. Of two documents with one id and
// collection the one with the lower Store comes first.
func SourcesAmong(ctx context.Context, places []Place, home int, t api.Target, q api.Sources) (api.Cover, error) {
	among := make([]search.Place, len(places))
	for i, p := range places {
		leave, err := p.Snapshot.enter()
		if err != nil {
			return api.Cover{}, fmt.Errorf("store %s: %w", p.Name, err)
		}
		defer leave()
		among[i] = search.Place{Moment: p.Snapshot.moment, In: p.In, Store: p.Store, Name: p.Name}
	}
	return search.FindSourcesAmong(ctx, among, home, t, q)
}
