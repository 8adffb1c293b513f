package simdb_test

// An Example of scores of given pairs.

import (
	"fmt"
	"log"

	"github.com/simdb/simdb/api"
)

// The exact scores of the pairs that another tool has found.
func ExampleDB_Scores() {
	db, done := open()
	defer done()
	if err := db.Put(ctx, api.Document{ID: "vixen", Text: "The quick brown fox jumps over the lazy dog!"}); err != nil {
		log.Fatal(err)
	}
	found := func(yield func(api.Given, error) bool) {
		for _, p := range []api.Given{{A: "fox", B: "vixen"}, {A: "cat", B: "owl"}, {A: "owl", B: "gone"}} {
			if !yield(p, nil) {
				return
			}
		}
	}
	for s, err := range db.Scores(ctx, found) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.A, s.B, s.Shared, "of", s.Union, s.MissingA || s.MissingB)
	}
	// Output:
	// fox vixen 7 of 7 false
	// cat owl 0 of 13 false
	// owl gone 0 of 0 true
}
