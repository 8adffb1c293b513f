package simdb_test

import (
	"crypto/sha256"
	"fmt"
	"log"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// ledgerStore is a database in memory with a ledger, in which a text fell to another.
func ledgerStore() *simdb.DB {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	if err := db.CreateCollection(ctx, "docs", api.Settings{Ledger: true}); err != nil {
		log.Fatal(err)
	}
	for _, d := range []api.Document{
		{ID: "first", Text: "to be or not to be that is the question"},
		{ID: "second", Text: "To be, or not to be: that is the question!"},
	} {
		if _, _, err := db.PutUnlessSimilar(ctx, d); err != nil {
			log.Fatal(err)
		}
	}
	return db
}

// Long after an import the ledger tells why a text is not stored.
func ExampleDB_Ledger() {
	db := ledgerStore()
	defer db.Close()
	for row, err := range db.Ledger(ctx, api.LedgerQuery{ID: "second"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s fell to %s: %d of %d, %s >= %s, by %s\n", row.ID, row.Keeper.ID, row.Keeper.Shared, row.Keeper.Union, row.Measure, row.Min, row.By)
	}
	// Output: second fell to first: 8 of 8, jaccard >= 0.8, by unless similar
}

// Rows since a mark are those of a moment later, as every answer of a snapshot.
func ExampleSnapshot_Ledger() {
	db := ledgerStore()
	defer db.Close()
	mark, err := db.Mark(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if _, _, err := db.PutUnlessSimilar(ctx, api.Document{ID: "third", Text: "to be or not to be that is the question"}); err != nil {
		log.Fatal(err)
	}
	snap, err := db.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Close()
	for row, err := range snap.Ledger(ctx, api.LedgerQuery{Since: mark}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.ID, row.Keeper.ID)
	}
	// Output: third first
}

// Who has the texts that fell can have each row computed anew.
func ExampleSnapshot_VerifyLedger() {
	db := ledgerStore()
	defer db.Close()
	snap, err := db.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Close()
	second := api.Document{ID: "second", Text: "To be, or not to be: that is the question!"}
	archive := map[[32]byte]api.Document{sha256.Sum256([]byte(second.Text)): second}
	of := func(hash [32]byte) (api.Document, bool) { d, ok := archive[hash]; return d, ok }
	for row, err := range snap.VerifyLedger(ctx, api.LedgerQuery{}, of) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.ID, row.Verdict, row.Now.Shared, row.Now.Union)
	}
	// Output: second right 8 8
}
