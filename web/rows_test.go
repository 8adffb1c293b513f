package web

// The memory of rows and parameters.

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	memory "github.com/simdb/simdb/internal/guard"
	"github.com/simdb/simdb/internal/torture"
)

// A row of many long values ends where the answer is full, and is not encoded whole before.
func TestLongRows(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, columns := range map[string]int{"collected": 100, "streamed": 600} {
		row := make(pairs, columns)
		for i := range row {
			row[i] = pair{"text", long}
		}
		list, most := &rowList{c: &call{}, bytes: maxAnswer - 1<<20}, uint64(16<<20)
		if name == "streamed" {
			if torture.Short() {
				t.Log("a line of 256 MiB is not made: SIMDB_TORTURE=ci does")
				continue
			}
			list.c.out, most = &lines{}, 8*maxLine
		}
		var err error
		if n := memory.Allocates(func() { err = list.add(row) }); !errors.Is(err, errFull) || n > most || len(list.list) > 0 {
			t.Errorf("a %s row of %d MiB: %v after %d bytes, want errFull after at most %d", name, len(row), err, n, most)
		}
	}
}

// Parameters have as many values as a statement can use, and not as many as fit into a request.
func TestCountValues(t *testing.T) {
	for raw, want := range map[string]int{
		`null`: 0, `[]`: 1, `[1,2]`: 2, `["a,b","\",{"]`: 2, `["\\",1]`: 2, `{"a":[1,2],"b":"[,"}`: 4, `[{"a":null}]`: 2,
	} {
		if got := countValues([]byte(raw)); got != want {
			t.Errorf("countValues(%s) = %d, want %d", raw, got, want)
		}
	}
	for n, fails := range map[int]bool{maxValues: false, maxValues + 1: true} {
		raw := "[" + strings.Repeat("1,", n-1) + "1]"
		if _, err := paramsOf(json.RawMessage(raw)); (err != nil) != fails {
			t.Errorf("%d values: %v", n, err)
		}
	}
}
