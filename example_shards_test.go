package simdb_test

// Examples of several databases that answer together.

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// openShards makes two databases in a directory of their own, and opens them together.
func openShards() (*simdb.Shards, func()) {
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	var paths []string
	for i, docs := range [][]api.Document{
		{{ID: "fox", Text: "the quick brown fox jumps over the lazy dog"}, {ID: "owl", Text: "an owl has seen nothing of all this"}},
		{{ID: "cat", Text: "the quick brown cat jumps over the lazy dog", Meta: api.Meta{"year": 2026}}},
	} {
		path := filepath.Join(dir, fmt.Sprintf("shard-%04d.simdb", i))
		db, err := simdb.Open(path, nil)
		if err != nil {
			log.Fatal(err)
		}
		if err := errors.Join(db.Put(ctx, docs...), db.Close()); err != nil {
			log.Fatal(err)
		}
		paths = append(paths, path)
	}
	shards, err := simdb.OpenShards(ctx, paths, nil)
	if err != nil {
		log.Fatal(err)
	}
	return shards, func() {
		if err := errors.Join(shards.Close(), os.RemoveAll(dir)); err != nil {
			log.Fatal(err)
		}
	}
}

// What one database has can be looked for in all of them.
func ExampleOpenShards() {
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	paths := []string{filepath.Join(dir, "old.simdb"), filepath.Join(dir, "new.simdb")}
	for _, path := range paths {
		db, err := simdb.Open(path, nil)
		if err != nil {
			log.Fatal(err)
		}
		text := "a text that both have, and that is " + filepath.Base(path)
		if err := errors.Join(db.Put(ctx, api.Document{ID: filepath.Base(path), Text: text}), db.Close()); err != nil {
			log.Fatal(err)
		}
	}

	shards, err := simdb.OpenShards(ctx, paths, nil)
	if err != nil {
		log.Fatal(err)
	}
	for m, err := range shards.Similar(ctx, api.ByID("new.simdb"), simdb.MinSim(0.5)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Shared, "of", m.Union)
	}
	fmt.Println(shards.Close())
	// Output:
	// old.simdb 6 of 8
	// <nil>
}

func ExampleShards_Similar() {
	shards, done := openShards()
	defer done()

	for m, err := range shards.Similar(ctx, api.ByText("the lazy dog and the quick brown cat"), simdb.Nearest(2)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Shared, "of", m.Union, "in", filepath.Base(m.Store))
	}
	// Output:
	// cat 3 of 10 in shard-0001.simdb
	// fox 2 of 11 in shard-0000.simdb
}

// Rows have one column more than those of one database: store.
func ExampleShards_Query() {
	shards, done := openShards()
	defer done()

	rows, err := shards.Query(ctx, "SIMILAR TO ? WHERE sim >= 0.2", "fox")
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	fmt.Println(rows.Columns)
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row[0], row[2], row[3], filepath.Base(row[4].(string)))
	}
	// Output:
	// [id sim shared union store]
	// cat 4 10 shard-0001.simdb
}

// What compares documents of several databases with each other is no search.
func ExampleShards_QueryWith() {
	shards, done := openShards()
	defer done()

	_, err := shards.QueryWith(ctx, simdb.QueryOptions{MaxRows: 100}, "SIMILAR PAIRS")
	fmt.Println(err)
	// Output: 1:1: want SIMILAR TO or SOURCES OF, which several stores answer together, found "SIMILAR"; simdb scale run finds the pairs and groups of several stores
}

// Close ends the searches of other goroutines. A loop cannot close what it reads.
func ExampleShards_Close() {
	shards, done := openShards()
	defer done()

	for _, err := range shards.Similar(ctx, api.ByID("fox"), simdb.MinSim(0)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(errors.Is(shards.Close(), api.ErrInvalid)) // it would wait for this loop
	}
	// Output: true
}

// A snapshot of several databases answers more than one question of the same moment.
func ExampleShards_Snapshot() {
	shards, done := openShards()
	defer done()

	s, err := shards.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	home, err := s.Home("docs", "cat")
	if err != nil {
		log.Fatal(err)
	}
	found, err := s.Similar(ctx, home, api.ByID("cat"), simdb.Search{Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	for m, err := range found.All {
		if err != nil {
			log.Fatal(err)
		}
		one, err := s.Store(m.Store)
		if err != nil {
			log.Fatal(err)
		}
		doc, err := one.Get(m.Collection, m.ID)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(doc.ID, "of", filepath.Base(m.Store), "has:", doc.Text)
	}
	all, err := s.Collection("docs")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(s.Stores()), "databases,", len(s.Collections()), "collection,", all.Documents, "documents")
	// Output:
	// fox of shard-0000.simdb has: the quick brown fox jumps over the lazy dog
	// 2 databases, 1 collection, 3 documents
}
