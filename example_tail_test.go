package simdb_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/simdb/simdb"
)

// A program that copies documents elsewhere remembers how far it has come, and asks for
// what has changed since.
func ExampleDB_Tail() {
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := simdb.Open(filepath.Join(dir, "corpus.simdb"), &simdb.Options{KeepLog: &simdb.KeepLog{Age: 7 * 24 * time.Hour}})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.Put(ctx, simdb.Document{ID: "a", Text: "the first text"}, simdb.Document{ID: "b", Text: "the second one"}); err != nil {
		log.Fatal(err)
	}
	var done uint64
	show := func() {
		for c, err := range db.Tail(ctx, done) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(c.Seq, c.Kind, c.Collection, c.ID, c.Text)
			done = c.Seq
		}
	}
	show()
	if err := db.Delete(ctx, "", "a"); err != nil {
		log.Fatal(err)
	}
	show()
	// Output:
	// 1 create docs
	// 2 put docs a the first text
	// 2 put docs b the second one
	// 3 delete docs a
}
