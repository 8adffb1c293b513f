package simdb_test

// An example of relations.

import (
	"fmt"
	"log"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// What each document is to a text: by the default rules, and by one of its own.
func ExampleDB_Related() {
	db, done := open()
	defer done()

	target := api.ByText("the quick brown fox jumps over the lazy dog, and the owl has seen it")
	rules := api.DefaultRules()
	rules = append(rules, api.Rule{Kind: api.KindTopic, Method: api.Method{Measure: api.Words}, Min: api.Ratio(1, 10)})
	for r, err := range db.Related(ctx, target, simdb.Relations{Rules: rules}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s, %s\n", r.ID, r.Kind, r.Evidence)
	}
	// Output:
	// fox: part of, 7 of 7 shingles
	// cat: same topic, 5 of 9 words
	// owl: same topic, 2 of 9 words
}
