package main

// This file measures searches that have to read from the disk.

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// measureCold times searches whose pages have to come from the disk: the store
// is reopened, and before every search the operating system is told to forget
// its files. What the store itself has cached by then it keeps, so the probes
// are random and few.
func measureCold(ctx context.Context, e *env) (err error) {
	store, err := e.store(ctx, byWord)
	if err != nil {
		return err
	}
	var took []time.Duration
	for round := range e.rounds() {
		db, err := simdb.Open(store, &simdb.Options{MustExist: true})
		if err != nil {
			return err
		}
		all := e.ids(e.queries)
		each := min(100, len(all)/e.rounds())
		for _, target := range byIDs(all[round*each : (round+1)*each]) {
			if err := forget(store); err != nil {
				return closing(db, err)
			}
			done, err := timeSearches(ctx, db, []api.Target{target}, simdb.MinSim(0.8))
			if err != nil {
				return closing(db, err)
			}
			if done[0].rows <= fewRows {
				took = append(took, done[0].took)
			}
		}
		if err := db.Close(); err != nil {
			return err
		}
	}
	if len(took) == 0 {
		return nil
	}
	slices.Sort(took)
	e.add("SIMILAR TO an id, cold, median", micros(at(took, 50))/1e3, "ms")
	e.add("SIMILAR TO an id, cold, 99 of 100", micros(at(took, 99))/1e3, "ms")
	return nil
}

// forget makes the operating system drop what it has cached of the files of a
// folder; where it cannot be told to, they stay warm.
func forget(dir string) error {
	return eachFile(dir, func(f *os.File) error {
		if err := syncData(f); err != nil { // only what is on the disk can be dropped
			return err
		}
		return dropCached(f)
	})
}

// eachFile opens all files of a folder in turn; a store that is open may take
// some away meanwhile.
func eachFile(dir string, do func(*os.File) error) error {
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name != dir {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		return closing(f, do(f))
	})
}
