package query

// SOURCES OF over several stores. Here the rows of the stores cannot be merged: their passages
// compete for the characters of the text, all together.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Sources is Snapshot.Sources over all stores. Of the sources it returns Store is the place of
// the store.
func (s *Shards) Sources(ctx context.Context, t api.Target, q api.Sources) (api.Cover, error) {
	asks, err := s.asks("", t, engine.Search{In: q.In})
	if err != nil {
		return api.Cover{}, err
	}
	home := 0
	places := make([]engine.Place, len(asks))
	for i, a := range asks {
		of := s.of[a.store]
		places[i] = engine.Place{Snapshot: of.snap, In: a.search.In, Store: a.store, Name: of.name}
		if !a.target.ByText && !a.target.ByTokens {
			home = i // only the one that has the document is asked for it by its id
		}
	}
	return engine.SourcesAmong(ctx, places, home, t, q)
}
