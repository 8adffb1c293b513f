package simdb_test

import (
	"context"
	"expvar"
	"fmt"
	"log"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/observe"
)

// An observer receives every call. Package observe has some; a function is one too.
func ExampleOptions_observer() {
	vars := new(expvar.Map) // expvar.NewMap("simdb") would publish it
	failures := func(_ context.Context, o api.Operation) {
		if o.Err != nil {
			fmt.Println(o.Name, "failed:", o.Err)
		}
	}
	db, err := simdb.Open("", &simdb.Options{InMemory: true, Observer: observe.All(failures, observe.Vars(vars))})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.Put(ctx, api.Document{ID: "a", Text: "the first text"}, api.Document{ID: "b", Text: "the second text"}); err != nil {
		log.Fatal(err)
	}
	for m, err := range db.Similar(ctx, api.ByText("the first text")) {
		fmt.Println(m.ID, m.Sim, err)
	}
	db.Get(ctx, "", "c")

	fmt.Println(vars.Get("Put.written"), vars.Get("Similar.rows"), vars.Get("Get.errors"))
	commits := db.Metrics().Latency.Commit
	fmt.Println(commits.Count(), "commit")
	// Output:
	// a 1 <nil>
	// Get failed: document "c" not found
	// 2 1 1
	// 1 commit
}
