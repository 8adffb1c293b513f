package main

// This file checks answers against brute force before they are timed: a fast
// wrong answer counts for nothing.

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// How many documents are compared with all others, and how many variants with
// the originals they were made of.
const (
	checkedProbes   = 50
	checkedVariants = 2000
	mostBrute       = 1_000_000 // documents; above, only variants are checked
)

// row is an answer as it must be.
type row struct {
	id            string
	shared, union uint64
}

// check compares answers with what they must be: searches and pairs of a few
// random documents with brute force over the whole corpus, and of many variants
// with the resemblance to their originals. It fails on the first that differs.
func check(ctx context.Context, e *env) (err error) {
	db, err := e.open(ctx, byWord)
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	checked, err := e.checkVariants(ctx, db)
	if err != nil {
		return err
	}
	e.add("checked variants", float64(checked), "")
	if e.n > mostBrute {
		return nil
	}
	checked, err = e.checkProbes(ctx, db)
	if err != nil {
		return err
	}
	e.add("rows checked by brute force", float64(checked), "")
	return nil
}

var word3 = shingle.Analysis{Unit: text.Word, K: 3}

func shares(a, b shingle.Set) (shared, union uint64) {
	shared = uint64(shingle.Shared(a, b, 0))
	return shared, uint64(len(a)+len(b)) - shared
}

// alike says whether the resemblance is 0.8 or more.
func alike(shared, union uint64) bool { return union > 0 && 5*shared >= 4*union }

// checkVariants searches by variants, and looks for the original among the rows.
func (e *env) checkVariants(ctx context.Context, db *simdb.DB) (checked int, err error) {
	random := rand.New(rand.NewPCG(e.seed, 2))
	for range min(checkedVariants, e.n) {
		d := corpus.At(e.seed, random.IntN(e.n))
		if d.Of == "" {
			continue
		}
		var number int
		if _, err := fmt.Sscanf(d.Of, "doc-%d", &number); err != nil {
			return checked, fmt.Errorf("%s: want a number in the original's id %q", d.ID, d.Of)
		}
		shared, union := shares(word3.Bag(d.Text).Set, word3.Bag(corpus.At(e.seed, number).Text).Set)
		rows, err := rowsOf(ctx, db, d.ID)
		if err != nil {
			return checked, err
		}
		at := slices.IndexFunc(rows, func(r row) bool { return r.id == d.Of })
		if found := at >= 0; found != alike(shared, union) || found && rows[at] != (row{d.Of, shared, union}) {
			return checked, fmt.Errorf("SIMILAR TO %s: %s shares %d of %d with it; the rows are %v", d.ID, d.Of, shared, union, rows)
		}
		checked++
	}
	return checked, nil
}

func rowsOf(ctx context.Context, db *simdb.DB, id string) (rows []row, err error) {
	for m, err := range db.Similar(ctx, api.ByID(id), simdb.MinSim(0.8)) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{m.ID, m.Shared, m.Union})
	}
	slices.SortFunc(rows, byRowID)
	return rows, nil
}

func byRowID(a, b row) int { return cmp.Compare(a.id, b.id) }

// checkProbes compares some documents with all.
func (e *env) checkProbes(ctx context.Context, db *simdb.DB) (checked int, err error) {
	random := rand.New(rand.NewPCG(e.seed, 3))
	sets, want := map[string]shingle.Set{}, map[string][]row{}
	for len(sets) < min(checkedProbes, e.n) {
		d := corpus.At(e.seed, random.IntN(e.n))
		sets[d.ID] = word3.Bag(d.Text).Set
	}
	for d := range e.documents(0) {
		set := word3.Bag(d.Text).Set
		for id, probe := range sets {
			if 5*min(len(probe), len(set)) < 4*max(len(probe), len(set)) {
				continue // of such sizes none is alike
			}
			if shared, union := shares(probe, set); id != d.ID && alike(shared, union) {
				want[id] = append(want[id], row{d.ID, shared, union})
			}
		}
	}
	joined, err := pairsOf(ctx, db, sets)
	if err != nil {
		return 0, err
	}
	for id := range sets {
		slices.SortFunc(want[id], byRowID)
		got, err := rowsOf(ctx, db, id)
		if err != nil {
			return checked, err
		}
		if !slices.Equal(got, want[id]) {
			return checked, fmt.Errorf("SIMILAR TO %s = %v, brute force finds %v", id, got, want[id])
		}
		if slices.SortFunc(joined[id], byRowID); !slices.Equal(joined[id], want[id]) {
			return checked, fmt.Errorf("SIMILAR PAIRS with %s = %v, brute force finds %v", id, joined[id], want[id])
		}
		checked += len(got)
	}
	return checked, nil
}

// pairsOf returns what all pairs have to say of some ids.
func pairsOf[T any](ctx context.Context, db *simdb.DB, ids map[string]T) (map[string][]row, error) {
	rows := map[string][]row{}
	err := snapshot(db, func(s *engine.Snapshot) error {
		result, err := s.Pairs(ctx, at80())
		if err != nil {
			return err
		}
		for p, err := range result.All {
			if err != nil {
				return err
			}
			if _, ok := ids[p.A]; ok {
				rows[p.A] = append(rows[p.A], row{p.B, p.Shared, p.Union})
			}
			if _, ok := ids[p.B]; ok {
				rows[p.B] = append(rows[p.B], row{p.A, p.Shared, p.Union})
			}
		}
		return nil
	})
	return rows, err
}

func snapshot(db *simdb.DB, f func(*engine.Snapshot) error) (err error) {
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer func() { err = closing(s, err) }()
	return f(s)
}
