package query

import (
	"fmt"
	"strings"
	"testing"
)

// Paper 000, page 10, figure 2, and page 17, postscript: the bounds of 30 % around a document's
// index, written into a query, give what si WITHIN 30% gives. Page 1: ±30 %.
func TestBoundsOfPaper000(t *testing.T) {
	db := openStore(t)
	answer(db, Options{}, "CREATE COLLECTION docs WITH (si = 'm3a k4')")
	const common = "The ferry to Holm leaves at seven in the morning. It carries cars, sheep and letters. In winter the crossing takes two hours. "
	for i := range 8 {
		doc := strings.Repeat(fmt.Sprintf("Number %d has some words of its own, and more. ", i), i) + common
		answer(db, Options{}, fmt.Sprintf("INSERT INTO docs (id, text) VALUES ('%d', '%s')", i, doc))
	}
	found := 0
	for i := range 8 {
		var si int64
		fmt.Sscan(strings.Split(answer(db, Options{}, fmt.Sprintf("SELECT si FROM docs WHERE id = '%d'", i)), "\n")[1], &si)
		reach := 0.3 * float64(max(si, -si))
		lower, upper := float64(si)-reach, float64(si)+reach
		byBounds := answer(db, Options{}, fmt.Sprintf("SELECT id FROM docs WHERE si > %.1f AND si < %.1f AND id != '%d' ORDER BY id", lower, upper, i))
		within := answer(db, Options{}, fmt.Sprintf("SELECT id FROM docs WHERE similarity('%d' USING si) > 0 AND si WITHIN 30%% ORDER BY id", i))
		if byBounds != within {
			t.Errorf("document %d, si %d: by bounds\n%s\nwithin 30 %%\n%s", i, si, byBounds, within)
		}
		found += strings.Count(within, "\n") - 1
	}
	if found == 0 || found == 56 {
		t.Errorf("%d rows found, want some of 56", found)
	}
}
