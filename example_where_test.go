package simdb_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// shelf opens a database of three texts with metadata, in a directory that close removes.
func shelf() (db *simdb.DB, close func()) {
	dir, err := os.MkdirTemp("", "simdb")
	if err != nil {
		log.Fatal(err)
	}
	if db, err = simdb.Open(dir+"/store", nil); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if err := db.CreateCollection(ctx, "shelf", api.Settings{Index: "year, tags"}); err != nil {
		log.Fatal(err)
	}
	err = db.Put(ctx,
		api.Document{Collection: "shelf", ID: "a", Text: "How to keep bees through a long winter", Meta: api.Meta{"year": 2019, "tags": []string{"bees"}}},
		api.Document{Collection: "shelf", ID: "b", Text: "How to keep bees through a short winter", Meta: api.Meta{"year": 2021, "tags": []string{"bees", "new"}}},
		api.Document{Collection: "shelf", ID: "c", Text: "How to keep hens through a long winter", Meta: api.Meta{"year": 2022}})
	if err != nil {
		log.Fatal(err)
	}
	return db, func() {
		db.Close()
		os.RemoveAll(dir)
	}
}

func ExampleWhere() {
	db, close := shelf()
	defer close()
	probe := api.ByText("How to keep bees through a long winter")
	for m, err := range db.Similar(context.Background(), probe, simdb.In("shelf"), simdb.MinSim(0.2),
		simdb.Where("year > ? AND tags HAS ?", 2020, "new"), simdb.WithMeta()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Sim, m.Meta()["year"])
	}
	// Output: b 0.5 2021
}

func ExampleDB_UpdateMeta() {
	db, close := shelf()
	defer close()
	ctx := context.Background()
	if err := db.UpdateMeta(ctx, "shelf", "b", api.Meta{"year": 2022, "tags": nil}); err != nil {
		log.Fatal(err)
	}
	d, err := db.Get(ctx, "shelf", "b")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Meta)
	// Output: map[year:2022]
}

func ExampleRow_Scan() {
	db, close := shelf()
	defer close()
	rows, err := db.Query(context.Background(), "SELECT id, year, tags FROM shelf WHERE year < 2022")
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		var id string
		var year int
		var tags []string
		if err := row.Scan(&id, &year, &tags); err != nil {
			log.Fatal(err)
		}
		fmt.Println(id, year, tags)
	}
	// Output:
	// a 2019 [bees]
	// b 2021 [bees new]
}
