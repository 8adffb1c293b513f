package main

// This file measures groups that are kept while documents come and go.

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/corpus"
)

const (
	groupSteps = 100 // increments in which the corpus comes
	leaving    = 20  // one document of so many goes in the increment after its own
	groupPuts  = 400 // durable puts that are timed beside PutUnlessSimilar
)

var fourFifths = api.Ratio(4, 5)

// measureGroups brings the corpus in increments with deletions to a store that keeps groups,
// and to one that keeps none and is joined at the end. Groups are held against CLUSTERS after
// increments, which counts to neither.
func measureGroups(ctx context.Context, e *env) error {
	plain, err := e.increments(ctx, nil, 0)
	if err != nil {
		return err
	}
	checks := groupSteps
	if e.n > 100_000 { // each check is a join
		checks = 10
	}
	for _, g := range []api.Grouping{{Name: "connected", Min: fourFifths}, {Name: "stars", Min: fourFifths, Stars: true}} {
		kept, err := e.increments(ctx, &g, checks)
		if err != nil {
			return err
		}
		e.add("increments that keep groups, "+g.Name+", CPU to import and PAIRS", kept.Seconds()/plain.Seconds(), "×")
	}
	return nil
}

// increments returns the CPU of all increments, and of the join after them where no groups
// are kept.
func (e *env) increments(ctx context.Context, g *api.Grouping, checks int) (cpu time.Duration, err error) {
	store := filepath.Join(e.sizeDir(e.n), "groups.simdb")
	defer os.RemoveAll(store)
	db, err := simdb.Open(store, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = closing(db, err) }()
	step := (e.n + groupSteps - 1) / groupSteps
	for i := range groupSteps {
		before, _ := ownCPU()
		if err := db.Load(ctx, e.increment("", i*step, min((i+1)*step, e.n), step), nothing); err != nil {
			return 0, err
		}
		after, _ := ownCPU()
		cpu += after - before
		switch {
		case g == nil:
		case i == 0:
			before, _ = ownCPU()
			err = db.CreateGroups(ctx, *g)
			after, _ = ownCPU()
			cpu += after - before
		case (i+1)%(groupSteps/checks) == 0 && !g.Stars:
			err = groupsAreClusters(ctx, db, g.Name)
		}
		if err != nil {
			return 0, err
		}
	}
	if g != nil {
		return cpu, e.timePuts(ctx, db, g.Name)
	}
	before, _ := ownCPU()
	for _, err := range db.Pairs(ctx, simdb.MinSim(0.8)) {
		if err != nil {
			return 0, err
		}
	}
	after, _ := ownCPU()
	return cpu + after - before, nil
}

// increment puts documents from to below to, and deletes some of the increment before.
func (e *env) increment(collection string, from, to, step int) iter.Seq2[*simdb.Batch, error] {
	return func(yield func(*simdb.Batch, error) bool) {
		b := &simdb.Batch{}
		for i := from; i < to; i++ {
			d := corpus.At(e.seed, i)
			b.Put(api.Document{Collection: collection, ID: d.ID, Text: d.Text})
			if i%leaving == 0 && i >= step {
				b.Delete(collection, corpus.At(e.seed, i-step).ID)
			}
			if b.Len() >= batchDocuments || i == to-1 {
				if !yield(b, nil) {
					return
				}
				b = &simdb.Batch{}
			}
		}
	}
}

// groupsAreClusters holds the groups of two documents or more against CLUSTERS.
func groupsAreClusters(ctx context.Context, db *simdb.DB, name string) (err error) {
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer func() { err = closing(s, err) }()
	clusters, groups := map[string]uint64{}, map[uint64]int{}
	for g, err := range s.Groups(ctx, name, api.GroupsQuery{MinSize: 2}) {
		if err != nil {
			return err
		}
		groups[g.Group] = g.Size
	}
	for m, err := range s.Clusters(ctx, simdb.MinSim(0.8)) {
		if err != nil {
			return err
		}
		g, ok, err := s.GroupOf(name, m.ID)
		if err != nil {
			return err
		}
		if was, known := clusters[m.Cluster]; !ok || g.Size != m.Size || known && was != g.Group {
			return fmt.Errorf("document %s is in group %d of %d, and in a cluster of %d whose documents are in group %d", m.ID, g.Group, g.Size, m.Size, was)
		}
		clusters[m.Cluster] = g.Group
	}
	if len(clusters) != len(groups) {
		return fmt.Errorf("%d groups of two documents or more, and %d clusters", len(groups), len(clusters))
	}
	return nil
}

// timePuts times durable puts into the store with groups and, in turn, PutUnlessSimilar into
// its other collection, which has none and as many documents.
func (e *env) timePuts(ctx context.Context, db *simdb.DB, name string) error {
	const other = "other"
	if err := db.CreateCollection(ctx, other, api.Settings{}); err != nil {
		return err
	}
	if err := db.Load(ctx, e.increment(other, 0, e.n, e.n), nothing); err != nil {
		return err
	}
	var into, unless []time.Duration
	puts := groupPuts
	if e.small {
		puts = 10
	}
	for i := range puts {
		d := corpus.At(e.seed, e.n+i)
		doc := api.Document{ID: d.ID, Text: d.Text}
		start := time.Now()
		if err := db.Put(ctx, doc); err != nil {
			return err
		}
		into = append(into, time.Since(start))
		doc.Collection = other
		start = time.Now()
		if _, _, err := db.PutUnlessSimilar(ctx, doc, simdb.MinSim(0.8)); err != nil {
			return err
		}
		unless = append(unless, time.Since(start))
	}
	e.add("Put into a collection that keeps groups, "+name+", to PutUnlessSimilar, medians", float64(median(into))/float64(median(unless)), "×")
	return nil
}
