package simdb_test

import (
	"errors"
	"fmt"
	"log"
	"testing"

	"github.com/simdb/simdb/api"
)

func ExampleRows() {
	db, done := open()
	defer done()

	rows, err := db.Query(ctx, "SIMILAR TO TEXT 'The quick brown fox jumps over the lazy dog!' RETURNING id, shared")
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	fmt.Println(rows.Columns)
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row...)
	}
	fmt.Println(rows.Notes())
	fmt.Println(rows.Plan().Access)
	// Output:
	// [id shared]
	// fox 7
	// [no threshold given: sim >= 0.8]
	// signature
}

func ExampleRows_ColumnTypes() {
	db, done := open()
	defer done()

	rows, err := db.Query(ctx, "SIMILAR TO 'fox'")
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for _, c := range rows.ColumnTypes() {
		fmt.Println(c.Name, c.Type)
	}
	// Output:
	// id text
	// sim number
	// shared integer
	// union integer
}

// Rows are read once, and end with the loop over them.
func TestRowsAreReadOnce(t *testing.T) {
	db := openTest(t, t.TempDir())
	if err := db.Put(t.Context(), api.Document{ID: "a"}, api.Document{ID: "b"}); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(t.Context(), "SELECT id FROM docs")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for row, err := range rows.All() {
		var id string
		if err := errors.Join(err, row.Scan(&id)); err != nil || id != "a" {
			t.Errorf("the first row is %q, %v, want a", id, err)
		}
		n++
		break
	}
	for range rows.All() {
		n++
	}
	if err := rows.Close(); n != 2 || err != nil {
		t.Errorf("%d rows, Close: %v, want one, and an error in place of the others", n, err)
	}
	if rows, err := db.Query(t.Context(), "SELECT"); rows != nil || err == nil {
		t.Errorf("rows of a wrong statement: %v, %v", rows, err)
	}
}
