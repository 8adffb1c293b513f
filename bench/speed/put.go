package main

// This file measures durable puts, one after the other and from many goroutines.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/corpus"
)

// writers is how many goroutines put at once.
const writers = 32

// measurePut times one durable Put beside what the disk needs for as many
// bytes: an append of the text to a file, and a sync of its data. They take
// turns. Then the rates of one writer and of many are compared.
func measurePut(ctx context.Context, e *env) (err error) {
	count := 500
	if e.small {
		count = 20
	}
	dir := filepath.Join(e.sizeDir(e.n), "put")
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	db, err := simdb.Open(filepath.Join(dir, "put.simdb"), nil)
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	raw, err := os.Create(filepath.Join(dir, "raw"))
	if err != nil {
		return err
	}
	defer raw.Close()

	next := 0
	document := func() api.Document {
		d := corpus.At(e.seed, next)
		next++
		return api.Document{ID: d.ID, Text: d.Text}
	}
	var puts, syncs []time.Duration
	var log, text int64
	for range count {
		d := document()
		before := db.Metrics().LogBytes
		start := time.Now()
		if err := db.Put(ctx, d); err != nil {
			return err
		}
		puts = append(puts, time.Since(start))
		if grown := db.Metrics().LogBytes - before; grown > 0 { // not cut meanwhile
			log += grown
			text += int64(len(d.Text))
		}
		start = time.Now()
		if _, err := raw.WriteString(d.Text); err != nil {
			return err
		}
		if err := syncData(raw); err != nil {
			return err
		}
		syncs = append(syncs, time.Since(start))
	}
	e.add("Put, durable, median", micros(median(puts)), "µs")
	e.add("write and sync of the same text, median", micros(median(syncs)), "µs")
	e.add("Put beyond the write and sync", micros(median(puts)-median(syncs)), "µs")
	e.add("log per byte of text", float64(log)/float64(text), "")
	e.add("log per document", float64(log)/float64(count)/1e3, "kB")

	if _, err := e.putAll(ctx, db, writers, 3*count, document); err != nil { // past what is learnt once
		return err
	}
	one, err := e.putAll(ctx, db, 1, 4*count, document)
	if err != nil {
		return err
	}
	many, err := e.putAll(ctx, db, writers, 40*count, document)
	if err != nil {
		return err
	}
	e.add("Put, one writer", one, "docs/s")
	e.add(fmt.Sprintf("Put, %d writers", writers), many, "docs/s")
	e.add(fmt.Sprintf("Put, %d writers to one", writers), many/one, "")
	if got := db.Metrics().Documents; got != int64(next) {
		return fmt.Errorf("the store has %d documents of %d", got, next)
	}
	return nil
}

// putAll puts count documents from some goroutines, and returns documents a second.
func (e *env) putAll(ctx context.Context, db *simdb.DB, goroutines, count int, document func() api.Document) (float64, error) {
	docs := make([]api.Document, count)
	for i := range docs {
		docs[i] = document()
	}
	failed := make([]error, goroutines)
	var all sync.WaitGroup
	start := time.Now()
	for g := range goroutines {
		all.Go(func() {
			for i := g; i < count && failed[g] == nil; i += goroutines {
				failed[g] = db.Put(ctx, docs[i])
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	for _, err := range failed {
		if err != nil {
			return 0, err
		}
	}
	return float64(count) / took.Seconds(), nil
}
