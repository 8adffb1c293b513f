package pairs

// Large groups that chains of similar pairs connect although their members are not similar,
// as pages of one template are.

import (
	"context"
	"math"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/internal/measure"
)

const (
	chainSets   = 100 // least sets of a group to examine; a person can read a smaller group
	chainGroups = 5   // most groups to examine, the largest
	chainSample = 64  // sets of a group to compare with one set
)

// chains returns the examined groups with two documents below the threshold. It compares a
// sample, so it may miss such a group, but each chain that it returns is exact.
func (c *grouped) chains(ctx context.Context, groups []group) (out []api.Chain, err error) {
	if !c.Method().Symmetric() {
		return nil, nil
	}
	examined := 0
	for _, g := range groups {
		if len(g.ranks) < chainSets {
			continue
		}
		if examined++; examined > chainGroups {
			break
		}
		// The second sweep starts at the set that is least similar to the first set.
		from, least := g.ranks[0], api.Chain{Cluster: c.sets[g.ranks[0]].place, Size: g.size, Sim: 2}
		for range 2 {
			if from, err = c.sweep(ctx, g, from, &least); err != nil {
				return nil, err
			}
		}
		if least.A == "" || (measure.Score{Shared: least.Shared, Of: least.Of, Unit: c.formula.Unit()}).Reaches(c.Min) {
			continue
		}
		if least.Steps = 2; c.Measure == api.Jaccard { // 1 − sim is a metric, and each similar pair spans 1 − Min of it at most
			least.Steps = max(2, int(math.Ceil((1-least.Sim)/(1-c.Min.Float64())-1e-9)))
		}
		out = append(out, least)
	}
	return out, nil
}

// sweep compares a set with a sample of its group, puts the least similar pair into least if
// it is less similar than that pair, and returns the set least similar to the set.
func (c *grouped) sweep(ctx context.Context, g group, from uint32, least *api.Chain) (far uint32, err error) {
	far, worst := from, 2.0
	a := &c.sets[from]
	for i := range chainSample {
		rank := g.ranks[(len(g.ranks)-1)*i/(chainSample-1)]
		b := &c.sets[rank]
		if rank == from || a.documents == 0 || b.documents == 0 {
			continue
		}
		in := []string{c.weights(int(a.side), int(b.side)).Name}
		found, err := search.Compare(ctx, c.m, api.ByID(a.place).Of(c.views[a.side].Name), api.ByID(b.place).Of(c.views[b.side].Name), in, []api.Method{c.Method()}, c.Ignoring)
		if err != nil {
			return from, err
		}
		s := found[0]
		if s.None || s.Of == 0 || s.Sim >= worst {
			continue
		}
		if far, worst = rank, s.Sim; worst < least.Sim {
			least.CollectionA, least.A, least.CollectionB, least.B = c.views[a.side].Name, a.place, c.views[b.side].Name, b.place
			least.Sim, least.Shared, least.Union, least.Of = s.Sim, s.Shared, s.Union, s.Of
		}
	}
	return far, nil
}
