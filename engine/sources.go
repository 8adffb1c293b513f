package engine

// SOURCES OF on a snapshot.

import (
	"context"

	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// Sources covers the target by passages of the documents. The passages of a document are
// those that Coverage counts, if one of them has more than 2 Min characters, or more than a
// tenth of the target. Of all passages the longest is taken first; of equals the one of the
// document that has most of the target in all, then the one that begins first in the target,
// then the one of the first id and collection. No character is counted twice. The target is no
// source of itself. ErrNotFound if the target's id is in none of the collections.
func (s *Snapshot) Sources(ctx context.Context, t Target, q Sources) (Cover, error) {
	return called(s, func(m *view.Moment) (Cover, error) { return search.FindSources(ctx, m, t, q) })
}
