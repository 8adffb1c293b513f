package simdb_test

import (
	"fmt"
	"log"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// Groups are kept with each write. A group has a number that is never used again, and one
// document of it is kept.
func ExampleDB_CreateGroups() {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	put := func(id, text string) {
		if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
			log.Fatal(err)
		}
	}
	put("first", "the quick brown fox jumps over the lazy dog by the river")
	if err := db.CreateGroups(ctx, api.Grouping{Name: "copies", Min: api.Ratio(1, 2)}); err != nil {
		log.Fatal(err)
	}
	put("other", "an entirely different text about nothing in particular")
	put("second", "the quick brown fox jumps over the lazy dog by the lake")
	for g, err := range db.Groups(ctx, "copies", api.GroupsQuery{BySize: true}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(g.Group, g.Size, g.Keeper)
	}
	if err := db.DropGroups(ctx, "copies"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 2 first
	// 2 1 other
}

// A snapshot says in which group a document is, and who else.
func ExampleSnapshot_GroupMembers() {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	err = db.Put(ctx,
		api.Document{ID: "a", Text: "the quick brown fox jumps over the lazy dog by the river"},
		api.Document{ID: "b", Text: "the quick brown fox jumps over the lazy dog by the lake"})
	if err != nil {
		log.Fatal(err)
	}
	if err := db.CreateGroups(ctx, api.Grouping{Name: "copies", Min: api.Ratio(1, 2), Stars: true}); err != nil {
		log.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for _, g := range s.Groupings() {
		fmt.Println(g.Name, "of", g.Collection)
	}
	for g, err := range s.Groups(ctx, "copies", api.GroupsQuery{MinSize: 2}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(g.Size, "documents")
	}
	g, _, err := s.GroupOf("copies", "b")
	if err != nil {
		log.Fatal(err)
	}
	if same, ok, err := s.Group("copies", g.Group); err != nil || !ok || same != g {
		log.Fatal("the number is of another group: ", same, err)
	}
	for m, err := range s.GroupMembers(ctx, "copies", g.Group) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %d/%d\n", m.ID, m.Shared, m.Union)
	}
	// Output:
	// copies of docs
	// 2 documents
	// a 10/10
	// b 9/11
}
