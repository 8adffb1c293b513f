package query

// A range of the similarity index is read by its keys, and holds what a scan finds.

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

func TestRangeOfSI(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 59))
	path := t.TempDir() + "/store"
	db, err := engine.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { db.Close() }()
	answer(db, Options{}, "CREATE COLLECTION kept WITH (si = 'm43b k3')")
	letters := "abcdefghijklmnop qrst"
	byIndex := 0
	for round := range 3 {
		for range 120 { // more than are read whatever their share
			var b engine.Batch
			for range 60 {
				text := make([]byte, rng.IntN(12))
				for i := range text {
					text[i] = letters[rng.IntN(len(letters))]
				}
				b.Put(api.Document{Collection: "kept", ID: fmt.Sprint("d", rng.IntN(9000)), Text: string(text)})
			}
			if rng.IntN(4) == 0 {
				b.Delete("kept", fmt.Sprint("d", rng.IntN(9000)))
			}
			if _, err := db.Commit(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		}
		byIndex += sameRanges(t, db, rng)
		if round == 1 {
			answer(db, Options{}, "COMPACT")
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if db, err = engine.Open(path, nil); err != nil {
			t.Fatal(err)
		}
	}
	if byIndex < 20 {
		t.Errorf("%d ranges were read by the index, want most", byIndex)
	}
}

// sameRanges compares ranges with all values, and counts those that the index answered.
func sameRanges(t *testing.T, db *engine.DB, rng *rand.Rand) (byIndex int) {
	t.Helper()
	type row struct {
		id string
		si *big.Rat
	}
	var all []row
	for _, line := range strings.Split(answer(db, Options{}, "SELECT id, si FROM kept"), "\n")[1:] {
		id, si, ok := strings.Cut(line, " ")
		if !ok {
			continue
		}
		r := row{id: strings.Trim(id, `" `)}
		if v, ok := new(big.Rat).SetString(strings.Trim(si, `" `)); ok {
			r.si = v
		}
		all = append(all, r)
	}
	if len(all) < 20 {
		t.Fatalf("%d documents: the answer was not understood", len(all))
	}
	for range 40 {
		var ends [2]string
		for i := range ends {
			if r := all[rng.IntN(len(all))]; r.si != nil {
				ends[i] = r.si.RatString()
			} else {
				ends[i] = "0"
			}
			ends[i] = []string{ends[i], ends[i] + ".5", "-3.5", "1e30", "-1e30"}[min(rng.IntN(20), 4)%5]
			if rng.IntN(3) > 0 && strings.HasSuffix(ends[i], "1e30") {
				ends[i] = "1/2"
			}
		}
		ops := [2]string{[]string{">", ">=", "="}[rng.IntN(3)], []string{"<", "<="}[rng.IntN(2)]}
		where := fmt.Sprintf("si %s %s AND si %s %s", ops[0], ends[0], ops[1], ends[1])
		if rng.IntN(4) == 0 {
			where = fmt.Sprintf("si %s %s", ops[0], ends[0])
		}
		var want []string
		for _, r := range all {
			if r.si == nil {
				continue
			}
			low, _ := new(big.Rat).SetString(ends[0])
			high, _ := new(big.Rat).SetString(ends[1])
			is := map[string]bool{">": r.si.Cmp(low) > 0, ">=": r.si.Cmp(low) >= 0, "=": r.si.Cmp(low) == 0}[ops[0]]
			if strings.Contains(where, "AND") {
				is = is && map[string]bool{"<": r.si.Cmp(high) < 0, "<=": r.si.Cmp(high) <= 0}[ops[1]]
			}
			if is {
				want = append(want, r.id)
			}
		}
		var got []string
		for _, line := range strings.Split(answer(db, Options{}, "SELECT id FROM kept WHERE "+where), "\n")[1:] {
			if line = strings.Trim(line, `" `); line != "" && !strings.HasPrefix(line, "--") {
				got = append(got, line)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s gives %d documents, want %d: %.300q, %.300q", where, len(got), len(want), got, want)
		}
		if strings.Contains(answer(db, Options{}, "EXPLAIN SELECT id FROM kept WHERE "+where), "index of si") {
			byIndex++
		}
	}
	return byIndex
}
