package edits

// These tests hold the changes against what they are said to be, and some of the
// kept results against what the code gives.

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/results"
)

// Each edit changes the share of the words that it names, and nothing if it is 0.
func TestChanges(t *testing.T) {
	one := strings.TrimSpace(strings.Repeat("Alpha beta gamma delta epsilon. Zeta eta theta iota kappa. ", 10))
	other := strings.TrimSpace(strings.Repeat("Uno due tre. ", 20))
	for _, e := range edits {
		r := rand.New(rand.NewPCG(1, 2))
		if got := e.change(r, one, other, 0); got != one {
			t.Errorf("%s: 0 percent change the text to %q", e.what, got)
		}
		before, after := parts(one), parts(e.change(r, one, other, 20))
		switch e.file {
		case "replaced", "mistyped":
			differ := 0
			for i := range before {
				if before[i] != after[i] {
					differ++
				}
			}
			// A wrong letter may happen to be the right one.
			if len(after) != len(before) || differ > 20 || differ < 15 {
				t.Errorf("%s: 20 percent of %d words change %d", e.what, len(before), differ)
			}
		case "moved":
			slices.Sort(before)
			slices.Sort(after)
			if !slices.Equal(before, after) {
				t.Errorf("%s: other words than before", e.what)
			}
		case "left-out":
			if !slices.Equal(after, before[:80]) {
				t.Errorf("%s: 20 percent of 100 words leave %d", e.what, len(after))
			}
		case "inside":
			if len(after) != 125 || !strings.Contains(strings.Join(after, " "), one) {
				t.Errorf("%s: 20 percent of another text make %d words of 100", e.what, len(after))
			}
		}
	}
}

// The results kept beside this file are those of the code as it is, in part: two
// edits at two shares.
func TestKeptResults(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the experiment: left out with -short")
	}
	r, err := reportOf(t.Context(), realtext.Path(t, "nsf.jsonl.gz"), edits[:2], []int{0, 20}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := results.Check(r, ".", results.Part); err != nil {
		t.Error(err)
	}
}
