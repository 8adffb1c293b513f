package pairs

// The interface of strategies, and their common part.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
)

// strategy is a way to run a join of an answer. The result does not depend on the choice.
type strategy interface {
	plan() *api.Plan // the initial plan, as EXPLAIN shows it
	cost() float64   // predicted nanoseconds of one core; 0: unknown
	run(ctx context.Context, out *found, plan *api.Plan) error
}

// chosen describes the choice of a strategy.
type chosen struct {
	*question
	access api.Access
	why    string
	nanos  float64
}

func (c chosen) plan() *api.Plan { return search.NewPlan(c.Search, c.access, c.why) }
func (c chosen) cost() float64   { return c.nanos }

// withReason prepends a reason to that of a strategy.
type withReason struct {
	strategy
	why string
}

// plan prepends the reason to the plan of the strategy.
func (x withReason) plan() *api.Plan {
	p := x.strategy.plan()
	p.Why = x.why + p.Why
	return p
}
