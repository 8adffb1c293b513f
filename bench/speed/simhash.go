package main

import (
	"context"

	"github.com/simdb/simdb"
)

// measureSimHash times searches by fingerprints.
func measureSimHash(ctx context.Context, e *env) (err error) {
	store, err := e.store(ctx, byWord)
	if err != nil {
		return err
	}
	db, err := simdb.Open(store, &simdb.Options{MustExist: true})
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	targets := byIDs(e.ids(min(e.queries, 200)))
	for _, by := range []struct {
		name string
		opts []simdb.SearchOption
	}{
		{"SIMILAR TO USING simhash, 3 bits", []simdb.SearchOption{simdb.Using(simdb.SimHash), simdb.Min(simdb.Ratio(61, 64))}},
		{"SIMILAR TO USING simhash, 12 bits", []simdb.SearchOption{simdb.Using(simdb.SimHash), simdb.Min(simdb.Ratio(52, 64))}},
	} {
		for round := range e.rounds() + 1 {
			done, err := timeSearches(ctx, db, targets, by.opts...)
			if err != nil {
				return err
			}
			if round > 0 || e.small {
				e.addSearches(by.name, done)
			}
		}
	}
	return nil
}
