package api_test

import (
	"context"
	"fmt"
	"log"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/code"
)

// Source code, in which somebody has renamed what can be renamed. To import the package code is enough:
// it calls RegisterLexer itself. A program with a lexer of its own calls it instead.
func ExampleRegisterLexer() {
	if api.RegisteredLexer() == nil {
		api.RegisterLexer(code.Lexer{})
	}
	ctx := context.Background()
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.CreateCollection(ctx, "src", api.Settings{Unit: "code", Fold: "names"}); err != nil {
		log.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{Collection: "src", ID: "sum.go", Text: "for _, n := range list { sum += n.Size() }"}); err != nil {
		log.Fatal(err)
	}
	found, err := db.Compare(ctx, api.ByID("sum.go"), api.ByText("for _, file := range all { total += file.Size() } // bytes").Named("b.go"), simdb.In("src"), simdb.Using(api.Jaccard))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found[0].Sim)
	// Output: 1
}
