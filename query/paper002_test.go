package query

import (
	"fmt"
	"strings"
	"testing"
)

// Paper 002, page 15: n!/(2!(n−2)!) pairs of 1,279 documents are 817,281. The view holds
// both directions of each (page 16, table 14), so without a threshold twice as many rows; page 24,
// table 19: from 0.7 up fewer.
func TestSizeOfTheViewOfPaper002(t *testing.T) {
	const n = 1279
	db := openStore(t)
	var values []string
	for i := range n {
		values = append(values, fmt.Sprintf("('%d', 'w%d v%d u%d t%d s%d')", i, i, i/2, i/3, i/5, i/7))
	}
	answer(db, Options{}, "INSERT INTO docs (id, text) VALUES "+strings.Join(values, ", "))
	count := func(where string) (rows int) {
		got := answer(db, Options{}, "SELECT count(*) FROM si_view WHERE "+where)
		if _, err := fmt.Sscanf(got, "count\n%d", &rows); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		return rows
	}
	const pairs = n * (n - 1) / 2
	if got := count("distance <= 64"); got != 2*pairs || pairs != 817_281 {
		t.Errorf("the view has %d rows of %d pairs, want 2 × 817281", got, pairs)
	}
	if got := count("similarity >= 0.7"); got == 0 || got%2 != 0 || got >= 2*pairs {
		t.Errorf("the view has %d rows from 0.7 up, want an even number below %d", got, 2*pairs)
	}
}
