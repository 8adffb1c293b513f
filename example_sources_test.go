package simdb_test

// An example of sources.

import (
	"fmt"
	"log"

	"github.com/simdb/simdb/api"
)

// What a text has from stored documents, each character counted once.
func ExampleDB_Sources() {
	db, done := open()
	defer done()

	text := "They say the quick brown fox jumps over the lazy dog, and an owl has seen nothing of it."
	cover, err := db.Sources(ctx, api.ByText(text), api.Sources{Min: 15})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range cover.Sources {
		fmt.Printf("%s: %d of %d characters\n", s.ID, s.Chars, cover.Chars)
		for _, p := range s.Passages {
			fmt.Printf("  at %d: %q\n", p.AStartByte, p.A)
		}
	}
	// Output:
	// fox: 43 of 88 characters
	//   at 9: "the quick brown fox jumps over the lazy dog"
	// owl: 27 of 88 characters
	//   at 58: "an owl has seen nothing of "
}
