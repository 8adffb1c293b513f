package main

// This file measures searches whose pages are in memory.

import (
	"context"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// fewRows is the most rows of a search whose time counts for the median.
const fewRows = 2

// searched is what is noted of one search.
type searched struct {
	took time.Duration
	rows int
}

// timeSearches runs one search after the other through the public call.
func timeSearches(ctx context.Context, db *simdb.DB, targets []api.Target, opts ...simdb.SearchOption) ([]searched, error) {
	done := make([]searched, 0, len(targets))
	for _, target := range targets {
		start, rows := time.Now(), 0
		for _, err := range db.Similar(ctx, target, opts...) {
			if err != nil {
				return nil, err
			}
			rows++
		}
		done = append(done, searched{time.Since(start), rows})
	}
	return done, nil
}

func byIDs(ids []string) []api.Target {
	var targets []api.Target
	for _, id := range ids {
		targets = append(targets, api.ByID(id))
	}
	return targets
}

// addSearches notes the median and the 99th of 100 of searches with few rows,
// and what each further row takes beyond the median of those.
func (e *env) addSearches(name string, done []searched) {
	var few, further []time.Duration
	for _, s := range done {
		if s.rows <= fewRows {
			few = append(few, s.took)
		}
	}
	if len(few) == 0 {
		return
	}
	slices.Sort(few)
	for _, s := range done {
		if s.rows > fewRows {
			further = append(further, (s.took-at(few, 50))/time.Duration(s.rows-fewRows))
		}
	}
	e.add(name+", up to 2 rows, median", micros(at(few, 50)), "µs")
	e.add(name+", up to 2 rows, 99 of 100", micros(at(few, 99)), "µs")
	if len(further) > 0 {
		e.add(name+", each further row", micros(median(further)), "µs")
	}
}

// measureSearch times warm searches of a durable store: by stored ids and by
// texts. Every one runs once before it counts.
func measureSearch(ctx context.Context, e *env) (err error) {
	db, err := e.open(ctx, byWord)
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	ids := e.ids(e.queries)
	texts := make([]api.Target, len(ids))
	for i, id := range ids {
		d, err := db.Get(ctx, "", id)
		if err != nil {
			return err
		}
		texts[i] = api.ByText(d.Text)
	}
	for round := range e.rounds() + 1 {
		for _, by := range []struct {
			name    string
			targets []api.Target
		}{{"SIMILAR TO an id", byIDs(ids)}, {"SIMILAR TO a text", texts}} {
			done, err := timeSearches(ctx, db, by.targets, simdb.MinSim(0.8))
			if err != nil {
				return err
			}
			if round > 0 || e.small {
				e.addSearches(by.name, done)
			}
		}
	}
	return e.addCandidates(ctx, db, ids)
}

// addCandidates notes how many sets the index let through to be verified.
func (e *env) addCandidates(ctx context.Context, db *simdb.DB, ids []string) (err error) {
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer func() { err = closing(s, err) }()
	var candidates []int64
	var sum int64
	access := map[string]int{}
	for _, id := range ids {
		var plan api.Plan
		for _, err := range s.Similar(ctx, api.ByID(id), simdb.WithPlan(&plan)) {
			if err != nil {
				return err
			}
		}
		candidates = append(candidates, plan.Candidates)
		sum += plan.Candidates
		access[plan.Access]++
	}
	slices.Sort(candidates)
	e.add("candidates of a search, mean", float64(sum)/float64(len(ids)), "", access)
	e.add("candidates of a search, 99 of 100", float64(at(candidates, 99)), "")
	return nil
}
