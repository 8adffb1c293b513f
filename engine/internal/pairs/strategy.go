package pairs

// What a strategy is, and what all have.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
)

// strategy is a way to make one of the joins of an answer. What is made of the edges does
// not depend on which it was.
type strategy interface {
	plan() *api.Plan // to begin with, as EXPLAIN shows it
	cost() float64   // predicted nanoseconds of one core; 0 where no one knows
	run(ctx context.Context, out *found, plan *api.Plan) error
}

// chosen is what a choice says of a strategy.
type chosen struct {
	*question
	access api.Access
	why    string
	nanos  float64
}

func (c chosen) plan() *api.Plan { return search.NewPlan(c.Search, c.access, c.why) }
func (c chosen) cost() float64   { return c.nanos }

// explained puts a reason before that of a strategy.
type explained struct {
	strategy
	why string
}

func (x explained) plan() *api.Plan {
	p := x.strategy.plan()
	p.Why = x.why + p.Why
	return p
}
