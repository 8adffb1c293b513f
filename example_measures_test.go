package simdb_test

// Examples of the measures: fingerprints, comparisons, the pieces that texts share.

import (
	"fmt"
	"log"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// The query that paper 002 wished for, and its view of all similar pairs.
func ExampleDB_Query_simhash() {
	db, done := open()
	defer done()

	for _, statement := range []string{
		`SELECT id FROM docs WHERE similarity(simhash, ['fox']) >= 70%`,
		`SELECT id, similar_id, distance, similarity FROM si_view`,
	} {
		rows, err := db.Query(ctx, statement)
		if err != nil {
			log.Fatal(err)
		}
		for row, err := range rows.All() {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(row...)
		}
		if err := rows.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// cat
	// cat fox 19 0.703125
	// fox cat 19 0.703125
}

func ExampleDB_SimilarEach() {
	db, done := open()
	defer done()

	rows, err := db.SimilarEach(ctx, []api.Target{api.ByID("fox"), api.ByID("owl")}, simdb.MinSim(0.6))
	if err != nil {
		log.Fatal(err)
	}
	for _, matches := range rows {
		fmt.Println(len(matches))
	}
	// Output:
	// 1
	// 0
}

func ExampleUsing_simhash() {
	db, done := open()
	defer done()

	for m, err := range db.Similar(ctx, api.ByID("fox"), simdb.MinSim(0.6), simdb.Using(api.SimHash)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Sim, m.Dist)
	}
	// Output: cat 0.703125 19
}

func ExampleDB_Fingerprint() {
	db, done := open()
	defer done()

	fox, err := db.Fingerprint(ctx, "docs", "fox")
	if err != nil {
		log.Fatal(err)
	}
	cat, err := db.Fingerprint(ctx, "docs", "cat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fox)
	fmt.Println(fox.Similarity(cat), fox.IsSimilar(cat, api.Ratio(4, 5)))
	// Output:
	// 0101111000101110111101001001001001111000111101110001111100011011
	// 0.703125 false
}

func ExampleFingerprintOf() {
	f, err := simdb.FingerprintOf("the quick brown fox jumps over the lazy dog", api.Settings{})
	fmt.Println(f, err)
	// Output: 0101111000101110111101001001001001111000111101110001111100011011 <nil>
}

func ExampleUsing_several() {
	db, done := open()
	defer done()

	scores, err := db.Compare(ctx, api.ByID("fox"), api.ByID("cat"),
		simdb.Using(api.Patricia, api.Args{Min: 10}), simdb.Using(api.Words))
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range scores {
		fmt.Printf("%s %.3f\n", c.Measure.Describe(c.Args), c.Sim)
	}
	// Output:
	// patricia(min=10) 0.907
	// words 0.833
}

func ExampleDB_Passages() {
	db, done := open()
	defer done()

	passages, err := db.Passages(ctx, api.ByID("fox"), api.ByID("cat"), simdb.Using(api.Patricia, api.Args{Min: 10}))
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range passages {
		fmt.Printf("%d to %d, %d to %d: %q\n", p.AStartByte, p.AEndByte, p.BStartByte, p.BEndByte, p.A)
	}
	// Output:
	// 0 to 16, 0 to 16: "the quick brown "
	// 20 to 43, 20 to 43: "jumps over the lazy dog"
}

func ExampleDB_Sentences() {
	db, done := open()
	defer done()

	pairs, err := db.Sentences(ctx,
		api.ByText("An owl has seen nothing. The fox is away."),
		api.ByText("Nobody is here. An owl has seen nothing."))
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range pairs {
		fmt.Printf("%q and %q differ in %d bits\n", p.A, p.B, p.Dist)
	}
	// Output:
	// "An owl has seen nothing." and "An owl has seen nothing." differ in 0 bits
}

func ExampleUsing() {
	db, done := open()
	defer done()

	for m, err := range db.Similar(ctx, api.ByID("fox"), simdb.Using(api.Patricia, api.Args{Min: 10}), simdb.MinSim(0.5)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d of %d characters\n", m.ID, m.Shared, m.Of)
	}
	// Output:
	// cat: 39 of 43 characters
}

// Texts that say the same in another order share words, and few runs of three words. The k of
// one question compares by words in a collection of any k.
func ExampleUsing_k() {
	db, done := open()
	defer done()

	text := api.ByText("over the quick fox the lazy dog jumps")
	for _, k := range []int{3, 1} {
		for m, err := range db.Similar(ctx, text, simdb.Using(api.Jaccard, api.Args{K: k}), simdb.MinSim(0.5)) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("k = %d: %s shares %d of %d\n", k, m.ID, m.Shared, m.Of)
		}
	}
	// Output:
	// k = 1: fox shares 7 of 8
	// k = 1: cat shares 6 of 9
}

// A search by a similarity index tells the index of what it finds.
func ExampleUsing_si() {
	db, done := open()
	defer done()

	for m, err := range db.Similar(ctx, api.ByID("fox"), simdb.Using(api.SI, api.Args{SI: "m1a k4"}), simdb.MinSim(0.7)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.SI.Value)
	}
	// Output:
	// cat 107666770
	// owl 82784971
}
