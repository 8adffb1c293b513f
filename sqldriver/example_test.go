package sqldriver_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	_ "github.com/simdb/simdb/sqldriver"
)

// Query a database of simdb through database/sql.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "x.simdb")
	writer, err := simdb.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	err = writer.Put(ctx,
		api.Document{ID: "a", Text: "the quick brown fox jumps over the lazy dog", Meta: api.Meta{"year": 2019}},
		api.Document{ID: "b", Text: "the quick brown fox jumps over the lazy cat", Meta: api.Meta{"year": 2024}})
	if err := errors.Join(err, writer.Close()); err != nil {
		log.Fatal(err)
	}

	db, err := sql.Open("simdb", path+"?timeout=5s")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SIMILAR TO ? WHERE sim >= :least RETURNING id, sim, year", "a", sql.Named("least", 0.5))
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var sim float64
		var year int
		if err := rows.Scan(&id, &sim, &year); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.2f %d\n", id, sim, year)
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	_, err = db.ExecContext(ctx, "DELETE FROM docs WHERE year < 2020")
	fmt.Println(errors.Is(err, api.ErrReadOnly))
	// Output:
	// b 0.75 2024
	// true
}
