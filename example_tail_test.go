package simdb_test

// Examples of the log as history.

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

// keptStore makes a database that keeps its log for a week, and a directory for backups.
func keptStore() (db *simdb.DB, path, backup string, remove func()) {
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "corpus.simdb")
	if db, err = simdb.Open(path, &simdb.Options{KeepLog: &api.KeepLog{Age: 7 * 24 * time.Hour}}); err != nil {
		log.Fatal(err)
	}
	return db, path, filepath.Join(dir, "backup"), func() { db.Close(); os.RemoveAll(dir) }
}

// A program that copies documents elsewhere remembers how far it has come, and asks for
// what has changed since.
func ExampleDB_Tail() {
	db, _, _, remove := keptStore()
	defer remove()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "the first text"}, api.Document{ID: "b", Text: "the second one"}); err != nil {
		log.Fatal(err)
	}
	var done uint64
	show := func() {
		for c, err := range db.Tail(ctx, done) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%d %s %q\n", c.Seq, c.Kind, c.ID)
			done = c.Seq
		}
	}
	show()
	if err := db.Delete(ctx, "", "a"); err != nil {
		log.Fatal(err)
	}
	show()
	// Output:
	// 1 create ""
	// 2 put "a"
	// 2 put "b"
	// 3 delete "a"
}

// Another process may follow what is written. It reads the files of the database alone.
func ExampleTail() {
	db, path, _, remove := keptStore()
	defer remove()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "a text"}); err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(ctx)
	for c, err := range simdb.Tail(ctx, path, api.TailOptions{Oldest: true, Follow: true}) {
		if errors.Is(err, context.Canceled) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %q\n", c.Kind, c.Text)
		if c.ID == "a" {
			stop() // else it would wait for more
		}
	}
	stop()
	// Output:
	// create ""
	// put "a text"
}

// How far back the history reaches.
func ExampleHistory() {
	db, path, _, remove := keptStore()
	defer remove()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "a text"}); err != nil {
		log.Fatal(err)
	}
	h, err := simdb.History(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("after", h.Oldest, "up to", h.Newest)
	// Output: after 0 up to 2
}

// A backup gets what is new, without a copy of the rest.
func ExampleExtendBackup() {
	db, path, backup, remove := keptStore()
	defer remove()
	if err := db.Checkpoint(ctx, backup); err != nil {
		log.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{ID: "a", Text: "a text"}); err != nil {
		log.Fatal(err)
	}
	e, err := simdb.ExtendBackup(ctx, path, backup)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("from", e.From, "to", e.To)
	// Output: from 0 to 2
}

// What a mistake has deleted is still there just before.
func ExampleRestoreTo() {
	db, path, backup, remove := keptStore()
	defer remove()
	err := errors.Join(
		db.Checkpoint(ctx, backup),
		db.Put(ctx, api.Document{ID: "a", Text: "a text"}),
		db.Delete(ctx, "", "a"),
	)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := simdb.ExtendBackup(ctx, path, backup); err != nil {
		log.Fatal(err)
	}
	before := path + ".before"
	if _, err := simdb.RestoreTo(ctx, backup, before, api.Moment{Seq: 2}, nil); err != nil {
		log.Fatal(err)
	}
	restored, err := simdb.Open(before, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer restored.Close()
	fmt.Println(restored.Metrics().Documents)
	// Output: 1
}

// A document that must leave no trace is erased. Compact removes the traces, and the next backup
// follows.
func ExampleDB_Erase() {
	db, path, backup, remove := keptStore()
	defer remove()
	if err := db.Put(ctx, api.Document{ID: "ada", Text: "what Ada told us"}, api.Document{ID: "bob", Text: "what Bob told us"}); err != nil {
		log.Fatal(err)
	}
	if err := db.Checkpoint(ctx, backup); err != nil {
		log.Fatal(err)
	}
	if err := db.Erase(ctx, "", "ada"); err != nil {
		log.Fatal(err)
	}
	waiting, err := db.Erasing(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(db.Compact(ctx), db.Close()); err != nil {
		log.Fatal(err)
	}
	e, err := simdb.ExtendBackup(ctx, path, backup)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(waiting, "waited; the backup was made anew:", e.Anew)
	// Output:
	// 1 waited; the backup was made anew: true
}
