package run

// The memory of ORDER BY.

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// longIDs is a collection of n documents with ids of 1 KB, in random order, and varied metadata.
type longIDs struct {
	manyFields
	n      int
	memory int64
	dir    string
	opened *[]engine.ScratchFile
}

func (l longIDs) MemoryBytes() int64 { return l.memory }

func (l longIDs) Scratch() (engine.ScratchFile, error) {
	f, err := os.Create(filepath.Join(l.dir, fmt.Sprint(len(*l.opened))))
	*l.opened = append(*l.opened, f)
	return f, err
}

func (l longIDs) Infos(context.Context, string) iter.Seq2[api.DocInfo, error] {
	values := []any{nil, "x", "y", true, json.Number("1"), json.Number("1.5"), json.Number("12345678901234567890123"), []any{"a", json.Number("2")}, map[string]any{"a": nil}}
	return func(yield func(api.DocInfo, error) bool) {
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range l.n {
			id := fmt.Sprintf("%08d %s", rng.Uint32N(1e8), strings.Repeat("x", 1000))
			if !yield(api.DocInfo{ID: id, Meta: api.Meta{"v": values[i%len(values)]}}, nil) {
				return
			}
		}
	}
}

// rowsOf returns the rows of a statement, and the heap in use at the first of them.
func rowsOf(t *testing.T, from longIDs, statement string) (all [][]any, held int64) {
	t.Helper()
	s, err := syntax.Parse(statement)
	if err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	answer, err := Read(t.Context(), from, plan.Options{}, s)
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range answer.All {
		if err != nil {
			t.Fatal(err)
		}
		if all == nil {
			held = heap() - before
		}
		all = append(all, row)
	}
	return all, held
}

// ORDER BY holds no more rows than its share of memory permits, and the rows are those of a sort
// in memory.
func TestSortIsBounded(t *testing.T) {
	const rows, memory = 20_000, 4 << 20
	for _, statement := range []string{
		"SELECT v, id FROM docs ORDER BY id",
		"SELECT v, id FROM docs ORDER BY v DESC, size LIMIT 15000 OFFSET 20",
	} {
		var opened []engine.ScratchFile
		from := longIDs{manyFields: manyFields{fields: 1}, n: rows, memory: memory, dir: t.TempDir(), opened: &opened}
		got, held := rowsOf(t, from, statement)
		if held > memory {
			t.Errorf("%s: %d bytes in use at the first row, want at most %d", statement, held, memory)
		}
		if len(opened) != 1 || opened[0].Close() == nil {
			t.Errorf("%s: %d scratch files, want 1, closed", statement, len(opened))
		}
		from.memory = 1 << 40
		if want, _ := rowsOf(t, from, statement); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d rows differ from the %d of a sort in memory", statement, len(got), len(want))
		}
	}
}

// A key that ORDER BY repeats takes no memory.
func TestRepeatedSortKeys(t *testing.T) {
	var opened []engine.ScratchFile
	from := longIDs{manyFields: manyFields{fields: 1}, n: 100, memory: 4 << 20, dir: t.TempDir(), opened: &opened}
	if rows, _ := rowsOf(t, from, "SELECT id FROM docs ORDER BY v, id"+strings.Repeat(", id", 1000)); len(rows) != 100 || len(opened) != 0 {
		t.Errorf("%d rows and %d scratch files, want 100 and none", len(rows), len(opened))
	}
}

// A sort checks its context while it compares and writes rows, and a cancelled one yields no row.
func TestSortEndsWithContext(t *testing.T) {
	const rows = 2000
	for memory, least := range map[int64]int{1 << 40: rows / comparesAtOnce, 4 << 20: rows*1000/runBuffer + rows/comparesAtOnce} {
		s, err := syntax.Parse("SELECT v FROM docs ORDER BY id DESC")
		if err != nil {
			t.Fatal(err)
		}
		read := func(ctx context.Context) (n int, err error) {
			var opened []engine.ScratchFile
			from := longIDs{manyFields: manyFields{fields: 1}, n: rows, memory: memory, dir: t.TempDir(), opened: &opened}
			answer, err := Read(ctx, from, plan.Options{}, s)
			if err != nil {
				return 0, err
			}
			for _, err := range answer.All {
				if err != nil {
					return n, err
				}
				if n++; n == 1 {
					return n, nil // the rest only reads
				}
			}
			return n, nil
		}
		ctx := &endingContext{t.Context(), math.MaxInt}
		if _, err := read(ctx); err != nil {
			t.Fatal(err)
		}
		polls := math.MaxInt - ctx.left
		if polls < rows+least { // one for each row that is read
			t.Errorf("with %d bytes of memory, %d checks of the context, want %d", memory, polls, rows+least)
		}
		for _, left := range []int{rows + 10, rows + (polls-rows)/2, polls - 1} {
			if n, err := read(&endingContext{t.Context(), left}); n != 0 || err != context.Canceled {
				t.Errorf("with %d bytes of memory, %d of %d checks: %d rows and %v, want the error of the context", memory, left, polls, n, err)
			}
		}
	}
}

// A full disk is an error with a remedy.
func TestSortWithoutScratchSpace(t *testing.T) {
	var opened []engine.ScratchFile
	s, err := syntax.Parse("SELECT id FROM docs ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	from := longIDs{manyFields: manyFields{fields: 1}, n: 3, dir: filepath.Join(t.TempDir(), "missing"), opened: &opened}
	answer, err := Read(t.Context(), from, plan.Options{}, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range answer.All {
		if err == nil || !strings.Contains(err.Error(), "scratch file of ORDER BY") || !strings.Contains(err.Error(), "free disk space") {
			t.Errorf("error %v, want the place and the remedy", err)
		}
	}
}
