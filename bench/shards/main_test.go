package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simdb/simdb/lab/corpora"
)

// Several stores find what one finds, or measure says so; the table has a line for each kind.
func TestMeasure(t *testing.T) {
	var docs []corpora.Doc
	for i := range 200 {
		docs = append(docs, corpora.Doc{ID: fmt.Sprint(i), Text: fmt.Sprintf("one two three four five six seven %d eight nine %d ten", i%7, i%3)})
	}
	var out strings.Builder
	if err := measure(&out, docs, 3, 20, 1); err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		if !strings.Contains(out.String(), "| "+kind.name+" | ") {
			t.Errorf("the table lacks %s\n%s", kind.name, out.String())
		}
	}
}
