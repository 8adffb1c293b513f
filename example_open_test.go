package simdb_test

// Examples of opening and closing, and of statements that others write.

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// A database in memory needs no directory, and is gone when it is closed.
func ExampleOpen_inMemory() {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "kept until Close"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(db.Metrics().Documents)
	// Output: 1
}

// Any number of processes may read a database at once, as long as none writes.
func ExampleOpen_readOnly() {
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "corpus.simdb")
	db, err := simdb.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(db.Put(ctx, api.Document{ID: "a", Text: "a text to read"}), db.Close()); err != nil {
		log.Fatal(err)
	}

	one, err := simdb.Open(path, &simdb.Options{ReadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	defer one.Close()
	other, err := simdb.Open(path, &simdb.Options{ReadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	defer other.Close()
	d, err := other.Get(ctx, "", "a")
	fmt.Println(d.Text, err)
	fmt.Println(errors.Is(one.Put(ctx, d), api.ErrReadOnly))
	// Output:
	// a text to read <nil>
	// true
}

// Opening takes long after the crash of a large import: it can be given up, and tells
// how far it has come.
func ExampleOpenContext() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := simdb.OpenContext(ctx, "", &simdb.Options{
		InMemory:     true,
		OpenProgress: func(p api.OpenProgress) { log.Printf("%s: %d of %d", p.Step, p.Done, p.Total) },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(db.Close())
	// Output: <nil>
}

func ExampleDB_Close() {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(db.Close())
	fmt.Println(errors.Is(db.Put(ctx, api.Document{ID: "a", Text: "too late"}), api.ErrClosed))
	// Output:
	// <nil>
	// true
}

// A server that ends waits for its requests, but not for ever.
func ExampleDB_Shutdown() {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	fmt.Println(db.Shutdown(ctx))
	// Output: <nil>
}

// What a statement of a stranger may do.
func ExampleDB_QueryWith() {
	db, done := open()
	defer done()

	strangers := simdb.QueryOptions{ReadOnly: true, MaxRows: 2, Timeout: 10 * time.Second}
	for _, statement := range []string{
		"SELECT id FROM docs LIMIT 1",
		"SELECT id FROM docs",
		"DELETE FROM docs WHERE id = 'fox'",
		"SIMILAR TO FILE '/etc/passwd'",
	} {
		rows, err := db.QueryWith(ctx, strangers, statement)
		if err != nil {
			fmt.Println(err)
			continue
		}
		for row, err := range rows.All() {
			fmt.Println(row, err)
		}
		rows.Close()
	}
	// Output:
	// [cat] <nil>
	// [cat] <nil>
	// [fox] <nil>
	// [] query: too large: there are more than 2 rows (MaxRows); add a LIMIT, or return count(*)
	// 1:1: want a statement that only reads, found "DELETE"; this caller may not write
	// 1:12: want an id, TEXT or FINGERPRINT, found FILE; this caller may not read files; write the text itself: TEXT '…' or TEXT ?
}

func ExampleVia() {
	db, done := open()
	defer done()

	for m, err := range db.Similar(ctx, api.ByID("fox"), simdb.MinSim(0.3), simdb.Via(api.AccessScan), simdb.In("docs")) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Sim)
	}
	// Output: cat 0.4
}

// A program with caches of its own leaves simdb half of the memory that it would take.
func ExampleDefaultMemoryBytes() {
	db, err := simdb.Open("", &simdb.Options{InMemory: true, MemoryBytes: simdb.DefaultMemoryBytes() / 2})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
}
