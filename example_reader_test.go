package simdb_test

import (
	"context"
	"fmt"
	"log"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// What only reads can be asked of a database, of a snapshot, and of several databases.
func ExampleReader() {
	db, done := open()
	defer done()

	copies := func(ctx context.Context, r simdb.Reader, text string) (ids []string, err error) {
		for m, err := range r.Similar(ctx, api.ByText(text), simdb.MinSim(1), simdb.Where("year > 2000")) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, m.ID)
		}
		return ids, nil
	}
	s, err := db.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for _, r := range []simdb.Reader{db, s} {
		ids, err := copies(ctx, r, "The quick brown fox jumps over the lazy dog!")
		fmt.Println(ids, err)
	}
	// Output:
	// [fox] <nil>
	// [fox] <nil>
}

// A snapshot goes on to show the moment it was taken.
func ExampleSnapshot() {
	db, done := open()
	defer done()

	s, err := db.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := db.Delete(ctx, "docs", "owl"); err != nil {
		log.Fatal(err)
	}
	docs, err := s.Collection("docs")
	if err != nil {
		log.Fatal(err)
	}
	some, err := s.Spread(ctx, "docs", 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(docs.Documents, "documents,", len(some), "of them")
	for info, err := range s.Infos(ctx, "docs", "d") {
		fmt.Println(info.ID, info.Shingles, err)
	}
	for id, err := range s.IDs(ctx, "docs", "o") {
		fmt.Println(id, err)
	}
	for d, err := range s.Documents(ctx, "docs") {
		fmt.Println(d.ID, len(d.Text), err)
	}
	for n, err := range s.Notes(ctx, "") {
		fmt.Println(n.Name, err)
	}
	var plan api.Plan
	for d, err := range s.Dedupe(ctx, api.KeepFirst, simdb.MinSim(0.3), simdb.WithPlan(&plan)) {
		fmt.Println(d.Cluster, d.ID, d.Keep, err)
	}
	fmt.Println(plan.MinSim)
	mark, err := s.Mark(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for m, err := range db.Pairs(ctx, simdb.Since(mark)) {
		fmt.Println(m.A, m.B, err)
	}
	// Output:
	// 3 documents, 2 of them
	// fox 7 <nil>
	// owl 6 <nil>
	// owl <nil>
	// cat 43 <nil>
	// fox 43 <nil>
	// owl 35 <nil>
	// 1 fox true <nil>
	// 1 cat false <nil>
	// 0.3
}

func ExampleDB_Info() {
	db, done := open()
	defer done()

	info, err := db.Info(ctx, "", "fox")
	if err != nil {
		log.Fatal(err)
	}
	all, err := db.Collections(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.ID, info.TextBytes, info.Meta["year"], all[0].Name, all[0].Documents)
	// Output: fox 43 2020 docs 3
}
