package main

// This file measures how long a store takes from being closed to its first
// answer.

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/simdb/simdb"
)

// measureOpen times a store whose files are in the system's cache from being
// closed to its first answer, and notes the most memory this process held when
// it has answered many searches.
func measureOpen(ctx context.Context, e *env) error {
	store, err := e.store(ctx, byWord)
	if err != nil {
		return err
	}
	if err := eachFile(store, func(f *os.File) error {
		_, err := io.Copy(io.Discard, f)
		return err
	}); err != nil {
		return err
	}
	targets := byIDs(e.ids(e.queries))
	for round := range e.rounds() {
		start := time.Now()
		db, err := simdb.Open(store, &simdb.Options{MustExist: true})
		if err != nil {
			return err
		}
		e.add("open", time.Since(start).Seconds(), "s")
		if _, err := timeSearches(ctx, db, targets[:1], simdb.MinSim(0.8)); err != nil {
			return closing(db, err)
		}
		e.add("open to the first answer", time.Since(start).Seconds(), "s")
		if round == e.rounds()-1 {
			if peak, ok := ownPeak(); ok {
				e.add("opened, peak memory", float64(peak)/1e6, "MB")
			}
			if _, err := timeSearches(ctx, db, targets, simdb.MinSim(0.8)); err != nil {
				return closing(db, err)
			}
			if peak, ok := ownPeak(); ok {
				e.add("opened and searched, peak memory with mapped files", float64(peak)/1e6, "MB")
			}
			if held, ok := ownMemory(); ok {
				e.add("opened and searched, memory", float64(held)/1e6, "MB")
			}
		}
		if err := db.Close(); err != nil {
			return err
		}
	}
	return nil
}
