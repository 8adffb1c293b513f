package sketch_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// The SimHash values of docs/format.md must never change.
func TestKnownAnswers(t *testing.T) {
	page, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```vectors\n")
	checked := 0
	for _, group := range strings.Split(block, "\n\n") {
		head, rest, _ := strings.Cut(group, "\n")
		_, hex, ok := strings.Cut(rest, "simhash ")
		if !ok {
			continue
		}
		var unit, doc string
		var a shingle.Analysis
		var want uint64
		if _, err := fmt.Sscanf(head, "%s %d %q", &unit, &a.K, &doc); err != nil {
			t.Fatalf("%s: %v", head, err)
		}
		if _, err := fmt.Sscanf(hex, "%x", &want); err != nil {
			t.Fatalf("%s: %v", head, err)
		}
		if a.Unit, err = text.ParseUnit(unit); err != nil {
			t.Fatal(err)
		}
		if got := sketch.SimHash(a.Bag(doc).Set); got != want {
			t.Errorf("%s: SimHash = %016x, want %016x", head, got, want)
		}
		checked++
	}
	if checked < 5 {
		t.Errorf("docs/format.md has %d known SimHash values, want at least 5", checked)
	}
}
