package pairs

// The memory of a join, and what is said where it is too little.

import (
	"errors"
	"fmt"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index/join"
)

// leastBudget lets small collections be joined by any setting.
const leastBudget = 4 << 20

// budget is the memory for the tables of a join.
func (e *edges) budget() int64 { return max(e.m.MemoryBytes/2, leastBudget) }

// joinError says what a join of sets wants that has too little memory.
func (e *edges) joinError(err error) error {
	var too *join.MemoryError
	if !errors.As(err, &too) {
		return segment.PageError(err)
	}
	const mib = 1 << 20
	return fmt.Errorf("%w: a join of %d sets with %d MiB of memory: it takes MemoryBytes (--memory) of %d MiB or more",
		api.ErrTooLarge, too.Sets, e.m.MemoryBytes/mib, 2*too.Bytes/mib+1)
}
