package simdb_test

// Examples of the measures: fingerprints, comparisons, the pieces that texts share.

import (
	"fmt"
	"log"

	"github.com/simdb/simdb"
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

func ExampleDB_FindSimilarEach() {
	db, done := open()
	defer done()

	rows, err := db.FindSimilarEach(ctx, []simdb.Target{simdb.ByID("fox"), simdb.ByID("owl")}, simdb.MinSim(0.6))
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

func ExampleDB_FindSimilar() {
	db, done := open()
	defer done()

	for m, err := range db.FindSimilar(ctx, simdb.ByID("fox"), simdb.MinSim(0.6)) {
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

	fox, _, err := db.Fingerprint(ctx, "docs", "fox")
	if err != nil {
		log.Fatal(err)
	}
	cat, _, err := db.Fingerprint(ctx, "docs", "cat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fox)
	fmt.Println(fox.Similarity(cat), fox.IsSimilar(cat, simdb.Ratio(4, 5)))
	// Output:
	// 0101111000101110111101001001001001111000111101110001111100011011
	// 0.703125 false
}

func ExampleFingerprintOf() {
	f, ok, err := simdb.FingerprintOf("the quick brown fox jumps over the lazy dog", simdb.Settings{})
	fmt.Println(f, ok, err)
	// Output: 0101111000101110111101001001001001111000111101110001111100011011 true <nil>
}

func ExampleFingerprint_Similarity() {
	a, err := simdb.ParseFingerprint("0000000000000000000000000000000000000000000000000000000101001111")
	if err != nil {
		log.Fatal(err)
	}
	b := a ^ 0b111 // three bits differ
	fmt.Println(a.Similarity(b), a.IsSimilar(b, simdb.Ratio(61, 64)), a.IsSimilar(b, simdb.Ratio(62, 64)))
	// Output: 0.953125 true false
}

func ExampleDB_CompareBy() {
	db, done := open()
	defer done()

	scores, err := db.CompareBy(ctx, simdb.ByID("fox"), simdb.ByID("cat"), []simdb.Method{
		{Measure: simdb.Patricia, Args: simdb.Args{Min: 10}},
		{Measure: simdb.Words},
	})
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

	passages, err := db.Passages(ctx, simdb.ByID("fox"), simdb.ByID("cat"), simdb.Args{Min: 10})
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
		simdb.ByText("An owl has seen nothing. The fox is away."),
		simdb.ByText("Nobody is here. An owl has seen nothing."), simdb.Args{})
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

	for m, err := range db.Similar(ctx, simdb.ByID("fox"), simdb.Using(simdb.Patricia, simdb.Args{Min: 10}), simdb.MinSim(0.5)) {
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

	text := simdb.ByText("over the quick fox the lazy dog jumps")
	for _, k := range []int{3, 1} {
		for m, err := range db.Similar(ctx, text, simdb.Using(simdb.Jaccard, simdb.Args{K: k}), simdb.MinSim(0.5)) {
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

	for m, err := range db.Similar(ctx, simdb.ByID("fox"), simdb.Using(simdb.SI, simdb.Args{SI: "m1a k4"}), simdb.MinSim(0.7)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.SI)
	}
	// Output:
	// cat 107666770
	// owl 82784971
}

func ExampleByFingerprint() {
	db, done := open()
	defer done()

	f, _, err := simdb.FingerprintOf("the quick brown fox jumps over the lazy dog", simdb.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	for m, err := range db.FindSimilar(ctx, simdb.ByFingerprint(f)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Sim)
	}
	// Output:
	// fox 1
}
