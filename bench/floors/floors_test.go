package main

import (
	"strings"
	"testing"
	"time"
)

func TestAt(t *testing.T) {
	tests := []struct {
		n, percent, want int
	}{{1, 50, 1}, {1, 99, 1}, {2, 50, 2}, {5, 50, 3}, {100, 99, 100}, {1000, 99, 991}, {1000, 50, 501}}
	for _, tt := range tests {
		values := make([]int, tt.n)
		for i := range values {
			values[i] = i + 1
		}
		if got := at(values, tt.percent); got != tt.want {
			t.Errorf("at(1…%d, %d) = %d, want %d", tt.n, tt.percent, got, tt.want)
		}
	}
}

func TestResults(t *testing.T) {
	r := &results{corpus: "small.jsonl", documents: 3, textBytes: 4e6}
	fast := []searched{{time.Microsecond, 1, 2, "prefix"}, {2 * time.Microsecond, 3, 4, "prefix"}}
	r.addSearches(fast)
	if r.missed {
		t.Errorf("searches of 2 µs by prefix miss a floor")
	}
	r.addSearches(append(fast, searched{time.Second, 1, 1, "scan"}))
	if !r.missed {
		t.Errorf("a search by scan misses no floor")
	}
	var out strings.Builder
	r.write(&out)
	for _, want := range []string{"small.jsonl: 3 documents, 4.0 MB", "| candidates, median | 4 | ≤ 100 | yes |", "| [prefix 2 scan 1] | an index | **no** |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("results do not contain %q:\n%s", want, out.String())
		}
	}
}
