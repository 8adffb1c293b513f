package web

// The memory of rows and parameters.

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	memory "github.com/simdb/simdb/internal/guard"
	"github.com/simdb/simdb/internal/params"
)

// A row of many long values ends where the answer is full, and is not encoded whole before.
func TestLongRows(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	row := make(pairs, 200)
	for i := range row {
		row[i] = pair{"text", long}
	}
	for name, c := range map[string]*call{"collected": {}, "streamed": {out: &lines{}}} {
		list, most := &rowList{c: c, bytes: maxAnswer - 1<<20}, uint64(16<<20)
		if name == "streamed" {
			most = 8 * maxAnswer // of a slice that grows
		}
		var err error
		if n := memory.Allocates(func() { err = list.add(row) }); !errors.Is(err, errFull) || n > most || len(list.list) > 0 {
			t.Errorf("a %s row of %d MiB: %v after %d bytes, want errFull after at most %d", name, len(row), err, n, most)
		}
	}
}

// Parameters have as many values as a statement can use, and not as many as fit into a request.
func TestManyParams(t *testing.T) {
	for n, fails := range map[int]bool{params.Max: false, params.Max + 1: true} {
		raw := "[" + strings.Repeat("1,", n-1) + "1]"
		if _, err := paramsOf(json.RawMessage(raw)); (err != nil) != fails {
			t.Errorf("%d values: %v", n, err)
		}
	}
}
