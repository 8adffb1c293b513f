package simdb_test

// Examples of searches without a threshold, and of the weights of Tversky's measure.

import (
	"fmt"
	"log"

	"github.com/simdb/simdb"
)

// The most similar document, however little it has in common; and the two most similar of
// those from a year on.
func ExampleNearest() {
	db, done := open()
	defer done()

	for m, err := range db.Similar(ctx, simdb.ByText("the owl has seen the lazy dog"), simdb.Nearest(1)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Shared, "of", m.Union)
	}
	for m, err := range db.Similar(ctx, simdb.ByText("the owl has seen the lazy dog"), simdb.Nearest(2), simdb.Where("year > 2020")) {
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

	if err := db.Put(ctx, simdb.Document{ID: "dog", Text: "the quick brown cat jumps over a lazy dog"}); err != nil {
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

// Which of several texts was one written from? Resemblance prefers a short note,
// containment does not see that the book has much else. Tversky with α = 1 and β = ½ finds
// the chapter: what only the document has counts half.
func ExampleWeights() {
	db, done := open()
	defer done()

	if err := db.CreateCollection(ctx, "tales", simdb.Settings{}); err != nil {
		log.Fatal(err)
	}
	const tale = "the ship left the harbour at dawn and sailed north along the coast"
	chapter := "In the spring of that year " + tale + " until the wind turned and she lay still"
	for id, text := range map[string]string{"note": "the ship left the harbour at dawn", "chapter": chapter,
		"book": "Many years ago my uncle built a ship and gave her the name of his youngest daughter. " + chapter +
			". So we waited for three days and saw nothing but gulls and the grey line of the land."} {
		if err := db.Put(ctx, simdb.Document{Collection: "tales", ID: id, Text: text}); err != nil {
			log.Fatal(err)
		}
	}
	for _, by := range []simdb.SearchOption{simdb.Using(simdb.Jaccard), simdb.Using(simdb.ContainmentOfQuery),
		simdb.Using(simdb.Tversky, simdb.Weights(1, 0.5))} {
		for m, err := range db.Similar(ctx, simdb.ByText(tale), by, simdb.In("tales"), simdb.Nearest(1)) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s %.2f\n", m.ID, m.Sim)
		}
	}
	// Output:
	// note 0.45
	// book 1.00
	// chapter 0.61
}

func ExampleParseWeight() {
	db, done := open()
	defer done()

	third, err := simdb.ParseWeight("1/3")
	if err != nil {
		log.Fatal(err)
	}
	by := simdb.Method{Measure: simdb.Tversky, Args: simdb.Args{Alpha: third}}
	rows, err := db.CompareBy(ctx, simdb.ByID("fox"), simdb.ByID("cat"), []simdb.Method{by})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(by.Measure.Describe(by.Args), rows[0].Sim)
	// Output: tversky(alpha=1/3) 0.5
}
