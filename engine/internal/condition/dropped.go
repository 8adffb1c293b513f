package condition

// What callers are told of puts that did not take effect.

import (
	"fmt"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/internal/measure"
)

// Dropped is a put of a batch that did not take effect, because of a similar document.
type Dropped struct {
	Op      int             // which operation of the batch, counted from 0
	ID      string          // of the document that was to be put
	Match   search.Match    // what was there when its turn came, or was put by the same batch
	Measure measure.Measure // of the match: that of the condition, or Jaccard for unique_sim
}

// SimilarError refuses a put into a collection with unique_sim: another document is
// too similar. errors.Is(err, ErrSimilar) holds for it.
type SimilarError struct {
	Collection, ID string       // of the document that was to be put
	UniqueSim      string       // the setting
	Match          search.Match // what is there
}

func (e *SimilarError) Error() string {
	return fmt.Sprintf("document %q is %v: %q, sim %.6g (shared %d, union %d); collection %q has unique_sim = %s",
		e.ID, fault.ErrSimilar, e.Match.ID, e.Match.Sim, e.Match.Shared, e.Match.Union, e.Collection, e.UniqueSim)
}

// Is makes it an ErrSimilar.
func (e *SimilarError) Is(target error) bool { return target == fault.ErrSimilar }
