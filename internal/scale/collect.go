package scale

// Results of a work directory: the rows of all tasks, merged.

import (
	"context"
	"fmt"
)

// Pair is a row of SIMILAR PAIRS. A < B, and A is the query.
type Pair struct {
	A, B          string
	Sim           float64
	Shared, Union uint64
}

// Member is a row of CLUSTERS.
type Member struct {
	Cluster, ID string
	Size        uint64
}

// Pairs yields all pairs, sorted by descending similarity, then A and B. It fails unless stage
// join is complete.
func (j *Job) Pairs(ctx context.Context, yield func(Pair) error) error {
	if err := j.complete(Join); err != nil {
		return err
	}
	return j.forgetBroken(j.merge(ctx, Join, j.rule.comparePairs, func(r row) error {
		s := j.rule.score(&r)
		return yield(Pair{r.a, r.b, s.Sim(), s.Shared, s.Union})
	}))
}

// Members yields the members of all groups, the largest group first. It fails unless stage
// clusters is complete.
func (j *Job) Members(ctx context.Context, yield func(Member) error) error {
	if err := j.complete(Clusters); err != nil {
		return err
	}
	return j.forgetBroken(j.merge(ctx, Clusters, compareMembers, func(r row) error {
		return yield(Member{r.a, r.b, uint64(r.shared)})
	}))
}

// complete returns an error that names an incomplete stage.
func (j *Job) complete(s Stage) error {
	for t := range max(j.Tasks(s), 1) {
		inputs, missing, err := j.reads(s, t)
		if err != nil {
			return err
		}
		r, err := j.record(s, t)
		if err != nil {
			return err
		}
		if missing != "" || r == nil || r.Inputs != inputs {
			return fmt.Errorf("task %d of %s has not been done; run it first", t, s)
		}
	}
	return nil
}
