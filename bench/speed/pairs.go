package main

// This file measures joins: all similar pairs of a store.

import (
	"context"
	"fmt"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

func measurePairs(ctx context.Context, e *env) error {
	return e.pairs(ctx, byWord, api.Ratio(4, 5), "SIMILAR PAIRS, word 3, 0.8")
}

func measureCharPairs(ctx context.Context, e *env) error {
	if err := e.pairs(ctx, byChar, api.Ratio(4, 5), "SIMILAR PAIRS, char 5, 0.8"); err != nil {
		return err
	}
	return e.pairs(ctx, byChar, api.Ratio(1, 2), "SIMILAR PAIRS, char 5, 0.5")
}

// measureEqualPairs joins a corpus with many equal documents in it.
func measureEqualPairs(ctx context.Context, e *env) error {
	k := withEqual
	if e.small {
		k.equal = 100
	}
	return e.pairs(ctx, k, api.Ratio(4, 5), "SIMILAR PAIRS, word 3, 0.8, 5,000 equal documents")
}

// pairs times a join of a store just opened: until the first row is there, and
// until the last. All rows are checked to be in order, and counted.
func (e *env) pairs(ctx context.Context, k kind, min api.Threshold, name string) error {
	store, err := e.store(ctx, k)
	if err != nil {
		return err
	}
	for range e.rounds() {
		if err := view(store, func(s *engine.Snapshot) error { return e.join(ctx, s, min, name) }); err != nil {
			return err
		}
	}
	if peak, ok := ownPeak(); ok {
		e.add(name+", peak memory", float64(peak)/1e6, "MB")
	}
	if held, ok := ownMemory(); ok {
		e.add(name+", memory after it", float64(held)/1e6, "MB")
	}
	return nil
}

func (e *env) join(ctx context.Context, s *engine.Snapshot, min api.Threshold, name string) error {
	var first time.Duration
	rows, last := 0, 1.0
	before, _ := ownCPU()
	start := time.Now()
	result, err := s.Pairs(ctx, engine.Search{Min: min})
	if err != nil {
		return err
	}
	for p, err := range result.All {
		if err != nil {
			return err
		}
		if rows++; rows == 1 {
			first = time.Since(start)
		}
		if p.Sim > last || p.A >= p.B && p.CollectionA == p.CollectionB {
			return fmt.Errorf("row %d, %s and %s: out of order", rows, p.A, p.B)
		}
		last = p.Sim
	}
	took := time.Since(start)
	plan := result.Plan
	e.add(name, took.Seconds(), "s", plan.Access)
	if after, ok := ownCPU(); ok {
		e.add(name+", CPU of a document", micros(after-before)/float64(e.n), "µs")
	}
	e.add(name+", first row", first.Seconds(), "s")
	e.add(name+", rows", float64(rows), "")
	e.add(name+", candidates", float64(plan.Candidates), "")
	if rows > 1 {
		e.add(name+", each row after the first", micros(took-first)/float64(rows-1), "µs")
	}
	return nil
}

// view calls f with a snapshot of a store.
func view(store string, f func(*engine.Snapshot) error) (err error) {
	db, err := engine.Open(store, &engine.Options{MustExist: true})
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer func() { err = closing(s, err) }()
	return f(s)
}
