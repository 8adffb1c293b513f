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

// What is as similar as the nearest too; and what is at least half as similar as the best.
func ExampleWithTies() {
	db, done := open()
	defer done()
	if err := db.Put(ctx, api.Document{ID: "vixen", Text: "The quick brown fox jumps over the lazy dog!"}); err != nil {
		log.Fatal(err)
	}
	for _, opts := range [][]simdb.SearchOption{{simdb.Nearest(1), simdb.WithTies()}, {simdb.OfBest(api.Ratio(1, 2))}} {
		for m, err := range db.Similar(ctx, api.ByText("yesterday the quick brown fox jumps over the lazy dog"), opts...) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(m.ID, m.Shared, "of", m.Union)
		}
		fmt.Println()
	}
	// Output:
	// fox 7 of 8
	// vixen 7 of 8
	//
	// fox 7 of 8
	// vixen 7 of 8
}

// For each document those that are nearly as similar as the most similar one.
func ExampleOfBest() {
	db, done := open()
	defer done()
	for p, err := range db.Pairs(ctx, simdb.OfBest(api.Ratio(9, 10)), simdb.MinSim(0.1)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %s %.2f\n", p.A, p.B, p.Sim)
	}
	// Output:
	// cat fox 0.40
	// fox cat 0.40
}

// How much of A is in B, of any two documents.
func ExampleDirected() {
	db, done := open()
	defer done()
	if err := db.Put(ctx, api.Document{ID: "a part", Text: "the quick brown fox jumps"}); err != nil {
		log.Fatal(err)
	}
	for p, err := range db.Pairs(ctx, simdb.Using(api.ContainmentOfQuery), simdb.MinSim(0.3), simdb.Directed()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s in %s: %.2f\n", p.A, p.B, p.Sim)
	}
	// Output:
	// a part in fox: 1.00
	// cat in fox: 0.57
	// fox in cat: 0.57
	// fox in a part: 0.43
	// a part in cat: 0.33
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

// Every file begins with the same head. What more than two documents have is taken out of both
// texts; so is what a collection of heads has.
func ExampleIgnoring() {
	db, done := open()
	defer done()
	head := "this program is free software you can use it as you like. "
	err := db.Put(ctx,
		api.Document{Collection: "files", ID: "a", Text: head + "sort the rows by their keys"}, api.Document{Collection: "files", ID: "b", Text: head + "sort the rows by their keys again"},
		api.Document{Collection: "files", ID: "c", Text: head + "read a page"}, api.Document{Collection: "heads", ID: "free", Text: head},
	)
	if err != nil {
		log.Fatal(err)
	}
	for _, what := range []api.Ignoring{{}, {MoreThan: 2}, {In: "heads"}} {
		for m, err := range db.Similar(ctx, api.ByID("a"), simdb.In("files"), simdb.Nearest(2), simdb.Ignoring(what)) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(m.ID, m.Shared, "of", m.Union, "without", m.Ignored)
		}
	}
	// Output:
	// b 16 of 17 without 0
	// c 10 of 19 without 0
	// b 6 of 7 without 10
	// b 6 of 7 without 10
}
