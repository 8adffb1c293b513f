package load_test

// Examples of every function.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/load"
)

var ctx = context.Background()

// open opens a database in memory with one document.
func open() *simdb.DB {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{ID: "fox", Text: "the quick brown fox jumps over the lazy dog"}); err != nil {
		log.Fatal(err)
	}
	return db
}

func ExampleImport() {
	db := open()
	defer db.Close()

	input := `{"id":"hen","text":"the quick brown hen jumps over the lazy dog"}
{"id":"no text"}
`
	stats, err := load.Import(ctx, db, []string{"-"}, api.ImportOptions{
		Stdin:    strings.NewReader(input),
		OnReject: func(r api.Reject) { fmt.Printf("line %d was rejected\n", r.Line) },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Imported, "imported,", stats.Rejected, "rejected")
	// Output:
	// line 2 was rejected
	// 1 imported, 1 rejected
}

func ExampleImportReader() {
	db := open()
	defer db.Close()

	body := strings.NewReader(`{"id":"hen","text":"the quick brown hen jumps over the lazy dog"}`)
	stats, err := load.ImportReader(ctx, db, "upload.jsonl", body, api.ImportOptions{})
	fmt.Println(stats.Imported, err)
	// Output: 1 <nil>
}

func ExampleSync() {
	db := open()
	defer db.Close()
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a text in a file"), 0o600); err != nil {
		log.Fatal(err)
	}

	for range 2 {
		stats, err := load.Sync(ctx, db, dir, api.SyncOptions{Into: "files"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(stats.Added, "added,", stats.Unchanged, "unchanged")
	}
	// Output:
	// 1 added, 0 unchanged
	// 0 added, 1 unchanged
}

func ExampleDump() {
	db := open()
	defer db.Close()
	var b bytes.Buffer
	if err := load.Dump(ctx, db, &b); err != nil {
		log.Fatal(err)
	}
	head, _, _ := strings.Cut(b.String(), ",\"crc\"")
	fmt.Println(head)
	// Output: {"simdb_dump":1,"collections":1,"documents":1
}

func ExampleDump_damaged() {
	db := open()
	defer db.Close()
	var damaged *api.DumpError
	if err := load.Dump(ctx, db, io.Discard); errors.As(err, &damaged) {
		fmt.Println(damaged.Documents, "are left out:", damaged.Error(), damaged.Unwrap())
	}
}

func ExampleRestore() {
	db := open()
	defer db.Close()
	var b bytes.Buffer
	if err := load.Dump(ctx, db, &b); err != nil {
		log.Fatal(err)
	}

	restored, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer restored.Close()
	if err := load.Restore(ctx, restored, &b); err != nil {
		log.Fatal(err)
	}
	d, err := restored.Get(ctx, "docs", "fox")
	fmt.Println(d.Text, err)
	// Output: the quick brown fox jumps over the lazy dog <nil>
}

func ExampleRestoring() {
	db := open()
	defer db.Close()
	part, err := load.Restoring(db) // true after a killed restore
	fmt.Println(part, err)
	// Output: false <nil>
}
