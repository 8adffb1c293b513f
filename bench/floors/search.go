package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/measure"
)

func at80() engine.Search { return engine.Search{Min: measure.Ratio(4, 5)} }

// view opens the store and calls f with a snapshot of it.
func view(store string, f func(*engine.Snapshot) error) error {
	db, err := engine.Open(store, &engine.Options{MustExist: true})
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s)
}

func (r *results) countTexts(ctx context.Context, store string) error {
	return view(store, func(s *engine.Snapshot) error {
		for info, err := range s.Infos(ctx, "docs") {
			if err != nil {
				return err
			}
			r.documents++
			r.textBytes += info.TextBytes
		}
		if r.documents == 0 {
			return fmt.Errorf("the import stored no document")
		}
		return nil
	})
}

// measurePairs times the opening of the store and all its pairs.
func (r *results) measurePairs(ctx context.Context, store string) error {
	start := time.Now()
	return view(store, func(s *engine.Snapshot) error {
		r.note("open", seconds(time.Since(start)))
		start = time.Now()
		pairs, err := s.Pairs(ctx, at80())
		if err != nil {
			return err
		}
		rows := 0
		for _, err := range pairs.All {
			if err != nil {
				return err
			}
			rows++
		}
		took := time.Since(start)
		r.add(fmt.Sprintf("pairs at 0.8, store just opened: %d rows by %s, %d candidates", rows, pairs.Plan.Access, pairs.Plan.Candidates),
			seconds(took), "< 1 s", took < time.Second)
		return nil
	})
}

// measureSearches times searches by random stored ids, all run once before.
func (r *results) measureSearches(ctx context.Context, store string) error {
	return r.searching(ctx, store, func(s *engine.Snapshot, probes []string) error {
		if _, err := searchAll(ctx, s, at80(), probes); err != nil {
			return err
		}
		done, err := searchAll(ctx, s, at80(), probes)
		if err != nil {
			return err
		}
		r.addSearches(done)
		return nil
	})
}

// searching calls f with a snapshot of the store and random ids from it.
func (r *results) searching(ctx context.Context, store string, f func(s *engine.Snapshot, probes []string) error) error {
	return view(store, func(s *engine.Snapshot) error {
		var ids []string
		for info, err := range s.Infos(ctx, "docs") {
			if err != nil {
				return err
			}
			ids = append(ids, info.ID)
		}
		random := rand.New(rand.NewPCG(r.seed, 0))
		probes := make([]string, r.queries)
		for i := range probes {
			probes[i] = ids[random.IntN(len(ids))]
		}
		return f(s, probes)
	})
}

// searched is what is noted of one search.
type searched struct {
	took       time.Duration
	rows       int
	candidates int64
	access     string
}

func searchAll(ctx context.Context, s *engine.Snapshot, q engine.Search, probes []string) ([]searched, error) {
	done := make([]searched, 0, len(probes))
	for _, id := range probes {
		start := time.Now()
		result, err := s.Similar(ctx, engine.ByID(id), q)
		if err != nil {
			return nil, err
		}
		rows := 0
		for _, err := range result.All {
			if err != nil {
				return nil, err
			}
			rows++
		}
		done = append(done, searched{time.Since(start), rows, result.Plan.Candidates, result.Plan.Access})
	}
	return done, nil
}

func (r *results) addSearches(done []searched) {
	took := column(done, func(s searched) time.Duration { return s.took })
	candidates := column(done, func(s searched) int64 { return s.candidates })
	rows := column(done, func(s searched) int { return s.rows })
	r.add("SIMILAR TO at 0.8, warm, median", micros(at(took, 50)), "< 300 µs", at(took, 50) < 300*time.Microsecond)
	r.note("SIMILAR TO at 0.8, warm, 99 of 100", micros(at(took, 99)))
	r.add("candidates, median", fmt.Sprint(at(candidates, 50)), "≤ 100", at(candidates, 50) <= 100)
	r.note("candidates, 99 of 100", fmt.Sprint(at(candidates, 99)))
	r.note("rows, median and 99 of 100", fmt.Sprintf("%d, %d", at(rows, 50), at(rows, 99)))

	by := map[string]int{}
	for _, s := range done {
		by[s.access]++
	}
	var paths []string
	for access, n := range by {
		paths = append(paths, fmt.Sprintf("%s %d", access, n))
	}
	slices.Sort(paths)
	r.add("access paths of the searches", fmt.Sprint(paths), "an index", by[string(engine.AccessScan)] == 0)
}

// column returns one field of all searches, ascending.
func column[T int | int64 | time.Duration](done []searched, field func(searched) T) []T {
	var values []T
	for _, s := range done {
		values = append(values, field(s))
	}
	slices.Sort(values)
	return values
}

// at returns the value that percent of 100 do not exceed.
func at[T any](ascending []T, percent int) T {
	return ascending[min(len(ascending)*percent/100, len(ascending)-1)]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

func micros(d time.Duration) string { return fmt.Sprintf("%.0f µs", float64(d)/1e3) }
