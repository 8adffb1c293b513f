package query

import (
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// With Hints an answer without rows says what a lower threshold would give, of those that
// the rest of the WHERE keeps; it says nothing where there are rows, or nothing is near.
func TestHints(t *testing.T) {
	db := openStore(t)
	var b engine.Batch
	for id, text := range map[string]string{"a": "one two three four five six seven", "b": "one two three four five six eight", "c": "one two three four nine ten eleven", "d": "other words"} {
		b.Put(api.Document{ID: id, Text: text})
	}
	if _, err := db.Commit(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ statement, note string }{
		{"SIMILAR TO 'a'", "nothing at 80 %; 2 at 25 %"},
		{"SIMILAR TO 'a' WHERE sim >= 0.7 AND id != 'c'", "nothing at 70 %; 1 at 66 % (much in common)"},
		{"SIMILAR TO 'a' WHERE sim >= 0.6", ""},
		{"SIMILAR TO 'd' WHERE sim >= 0.6", ""},
		{"SIMILAR TO 'a' USING weighted WHERE sim >= 0.9", "nothing at 90 %; 2 at "},
	} {
		for _, hints := range []bool{true, false} {
			got := answer(db, Options{Hints: hints}, tt.statement)
			if want := hints && tt.note != ""; strings.Contains(got, "nothing at") != want || want && !strings.Contains(got, tt.note) {
				t.Errorf("%s, hints %v: %s, want the note %q", tt.statement, hints, got, tt.note)
			}
		}
	}
}
