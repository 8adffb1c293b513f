package engine

// Collections that keep texts but no folded sets.

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/internal/measure"
)

// Without stored folded sets every measure of texts answers as with them.
func TestTextMeasuresWithoutFoldedSets(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	docs := []string{"One sentence stands here. Another follows it closely. A third ends the text of Ada Lovelace.",
		"One sentence stands here. Another follows it closely. A fourth ends the text of Ada Lovelace.", "Nothing of this is alike in any way at all."}
	for name, sets := range map[string]string{"stored": "stored", "derived": "derived"} {
		s := keepsAll
		s.Sets = sets
		if err := db.CreateCollection(ctx, name, s); err != nil {
			t.Fatal(err)
		}
		for i, text := range docs {
			if err := db.Put(ctx, Document{Collection: name, ID: string(rune('a' + i)), Text: text}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, m := range Measures {
		q := Search{Measure: m, Min: measure.Ratio(1, 10)}
		rows := map[string][]Match{}
		for _, name := range []string{"stored", "derived"} {
			q.In = []string{name}
			r, err := s.Similar(ctx, ByID("a"), q)
			if err != nil {
				t.Fatalf("%s of %s: %v", m, name, err)
			}
			for row, err := range r.All {
				if err != nil {
					t.Fatalf("%s of %s: %v", m, name, err)
				}
				row.Collection = ""
				rows[name] = append(rows[name], row)
			}
		}
		if len(rows["stored"]) != len(rows["derived"]) {
			t.Errorf("%s: %v with folded sets, %v without", m, rows["stored"], rows["derived"])
			continue
		}
		for i, row := range rows["stored"] {
			if row != rows["derived"][i] {
				t.Errorf("%s: %v with folded sets, %v without", m, row, rows["derived"][i])
			}
		}
	}
}

// A count of words that was cancelled is not taken for a count.
func TestCancelledCountOfWords(t *testing.T) {
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	for i := range 50 {
		if err := db.Put(t.Context(), Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("word%d in a text", i)}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := s.moment.View("")
	if err != nil {
		t.Fatal(err)
	}
	if f, err := s.moment.Frequencies(&endsSecond{Context: t.Context()}, v); !errors.Is(err, context.Canceled) {
		t.Fatalf("Frequencies with a context that ends = %v, %v", f, err)
	}
	f, err := s.moment.Frequencies(t.Context(), v)
	if err != nil || f.N != 50 || len(f.Have) != 51 {
		t.Errorf("Frequencies after a cancelled count = %+v, %v, want 51 words of 50 sets", f, err)
	}
}

// endsSecond is a context that has ended when someone asks for the second time:
// after the wait for others that count, before the counting.
type endsSecond struct {
	context.Context
	asked int
}

func (e *endsSecond) Done() <-chan struct{} {
	if e.asked++; e.asked == 1 {
		return nil
	}
	ended := make(chan struct{})
	close(ended)
	return ended
}

func (e *endsSecond) Err() error {
	if e.asked > 1 {
		return context.Canceled
	}
	return nil
}
