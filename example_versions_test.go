package simdb_test

import (
	"fmt"

	"github.com/simdb/simdb"
)

// The arguments that the reading of paper 004 stands for.
func ExamplePaperVersions() {
	fmt.Println(simdb.PaperVersions())
	// Output: case='keep', stop='drop', resemblance='off', of='query'
}
