package main

// This file measures the bytes of a store and what they are spent on.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/bench/disk"
	"github.com/simdb/simdb/internal/keys"
)

// parts names what the bytes of a store are spent on, beside postings.
var parts = []struct {
	name  string
	space []keys.Space
}{
	{"texts", []keys.Space{keys.Text}},
	{"documents", []keys.Space{keys.Document, keys.Note}},
	{"facts of sets", []keys.Space{keys.Set, keys.Digest, keys.Shares, keys.Joined}},
	{"orders", []keys.Space{keys.Order}},
	{"kept for measures of texts", []keys.Space{keys.Features, keys.SI, keys.Grams}},
}

// measureDisk splits the bytes of the store by what they are for.
func measureDisk(ctx context.Context, e *env) error {
	store, err := e.store(ctx, byWord)
	if err != nil {
		return err
	}
	return e.addParts(store)
}

func (e *env) addParts(store string) (err error) {
	total, err := disk.Bytes(store)
	if err != nil {
		return err
	}
	// The key-value store is the folder with a manifest.
	found, err := filepath.Glob(filepath.Join(store, "*", "MANIFEST-*"))
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("%s: no key-value store in it", store)
	}
	db, err := pebble.Open(filepath.Dir(found[0]), &pebble.Options{ReadOnly: true, Logger: silent{}})
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	postings, err := disk.Bytes(filepath.Join(store, "postings"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a store without a segment has no folder of them
		return err
	}
	e.add("disk, postings", float64(postings)/1e3/float64(e.n), "kB/doc")
	rest := total - postings
	for _, p := range parts {
		var bytes uint64
		for _, space := range p.space {
			used, err := usage(db, space)
			if err != nil {
				return err
			}
			bytes += used
		}
		rest -= int64(bytes)
		e.add("disk, "+p.name, float64(bytes)/1e3/float64(e.n), "kB/doc")
	}
	e.add("disk, the rest", float64(rest)/1e3/float64(e.n), "kB/doc")
	return nil
}

// usage estimates the bytes that a key space takes in tables. The estimate is in
// whole blocks, so the parts do not quite add up.
func usage(db *pebble.DB, space keys.Space) (bytes uint64, err error) {
	low := keys.Of(space)
	high := keys.End(low)
	i, err := db.NewIter(&pebble.IterOptions{LowerBound: low, UpperBound: high})
	if err != nil {
		return 0, err
	}
	defer func() { err = closing(i, err) }()
	if !i.First() { // of nothing it would say something
		return 0, i.Error()
	}
	return db.EstimateDiskUsage(low, high)
}

// silent is a logger that writes nothing.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}
