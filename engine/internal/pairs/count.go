package pairs

// Counts of pairs: the rows of an answer by score, without their documents.

import (
	"context"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// Counted is a number of rows with one score. Its PairMatch names no documents.
type Counted struct {
	api.PairMatch
	Rows int64
	Of   int64 // rows before keepA and keepB
}

// Count counts the rows of Find whose documents pass keepA and keepB; a nil test accepts all.
// It yields a Counted for each edge and each shared set, in no order.
func Count(ctx context.Context, m *view.Snapshot, ask search.Search, keepA, keepB Keeps) (*search.Result[Counted], error) {
	start := time.Now()
	if ask.OfEach() {
		return nil, fault.Invalid("Count takes no Nearest and no OfBest: read the rows and count them")
	}
	ask.Limit = 0
	q, err := newQuestion(ctx, m, ask)
	if err == nil {
		err = q.confine(ctx)
	}
	if err != nil {
		return nil, err
	}
	q.keepA, q.keepB = keepA, keepB
	f, err := findEdges(ctx, q)
	if err != nil || q.PlanOnly {
		return planned[Counted](f, err)
	}
	f.plan.Took(start)
	return &search.Result[Counted]{Plan: f.plan, All: disk.Rows(func(yield func(Counted) error) error {
		return f.tally(ctx, func(score measure.Score, n rows) error {
			f.plan.Matches += n.kept
			return yield(Counted{f.scored(score), n.kept, n.of})
		})
	})}, nil
}
