package simdb_test

// Examples of searches without a threshold, and of the weights of Tversky's measure.

import (
	"fmt"
	"log"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// The most similar document, however little it has in common; and the two most similar of
// those from a year on.
func ExampleNearest() {
	db, done := open()
	defer done()

	for m, err := range db.Similar(ctx, api.ByText("the owl has seen the lazy dog"), simdb.Nearest(1)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Shared, "of", m.Union)
	}
	for m, err := range db.Similar(ctx, api.ByText("the owl has seen the lazy dog"), simdb.Nearest(2), simdb.Where("year > 2020")) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Shared, "of", m.Union)
	}
	// Output:
	// owl 1 of 10
	// cat 1 of 11
}

// The best row of each document, then the pairs that are each other's best.
func ExampleMutual() {
	db, done := open()
	defer done()

	if err := db.Put(ctx, api.Document{ID: "dog", Text: "the quick brown cat jumps over a lazy dog"}); err != nil {
		log.Fatal(err)
	}
	for _, opts := range [][]simdb.SearchOption{{simdb.Nearest(1)}, {simdb.Nearest(1), simdb.Mutual()}} {
		for p, err := range db.Pairs(ctx, opts...) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s %s %.2f\n", p.A, p.B, p.Sim)
		}
		fmt.Println()
	}
	// Output:
	// cat dog 0.40
	// dog cat 0.40
	// fox cat 0.40
	//
	// cat dog 0.40
}
