package simdb_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

func ExampleBatch() {
	db, done := open()
	defer done()

	var b simdb.Batch
	b.Put(api.Document{ID: "fox", Text: "the fox is gone"})
	b.PutNew(api.Document{ID: "hen", Text: "a hen in the yard"})
	b.UpdateMeta("", "cat", api.Meta{"year": 2027})
	b.Delete("", "owl")
	b.Erase("", "elk")
	fmt.Println(b.Len(), "operations")
	stats, err := db.Commit(ctx, &b)
	fmt.Printf("%+v %v\n", stats, err)
	// Output:
	// 5 operations
	// {Inserted:1 Replaced:1 Deleted:1 Updated:1 Superseded:0 Dropped:0} <nil>
}

func ExampleBatch_PutUnlessSimilar() {
	db, done := open()
	defer done()

	var b simdb.Batch
	b.PutUnlessSimilar(api.Document{ID: "fox-2", Text: "The quick brown fox jumps over the lazy dog!"})
	b.PutUnlessSimilar(api.Document{ID: "hare", Text: "the quick brown hare jumps over the lazy dog"}, simdb.MinSim(0.4))
	b.PutNewUnlessSimilar(api.Document{ID: "hen", Text: "a hen in the yard"})
	if _, err := db.Commit(ctx, &b); err != nil {
		log.Fatal(err)
	}
	for _, d := range b.Dropped() {
		fmt.Println(d.ID, "is like", d.Match.ID, d.Match.Sim)
	}
	// Output:
	// fox-2 is like fox 1
	// hare is like cat 0.4
}

func ExampleBatch_PutReplacingSimilar() {
	db, done := open()
	defer done()

	var b simdb.Batch
	b.PutReplacingSimilar(api.Document{ID: "fox-2", Text: "The quick brown fox jumps over the lazy dog, again!"}, true)
	if _, err := db.Commit(ctx, &b); err != nil {
		log.Fatal(err)
	}
	for _, d := range b.Evicted() {
		fmt.Println(d.ID, "gives way to", d.Match.ID)
	}
	// Output: fox gives way to fox-2
}

func ExampleDB_PutNewUnlessSimilar() {
	db, done := open()
	defer done()
	for _, d := range []api.Document{
		{ID: "fox-2", Text: "The quick brown fox jumps over the lazy dog!"},
		{ID: "owl", Text: "an owl has seen nothing of all this"},
	} {
		match, outcome, err := db.PutNewUnlessSimilar(ctx, d)
		fmt.Println(d.ID, outcome, match.ID, errors.Is(err, api.ErrExists))
	}
	// Output:
	// fox-2 refused fox false
	// owl   true
}

// A put of a new id never replaces a document, alone and in a batch.
func TestPutNewUnlessSimilar(t *testing.T) {
	db := openTest(t, t.TempDir())
	a := api.Document{ID: "a", Text: "one two three four five six"}
	if err := db.Put(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	other, like := "entirely other words than those", a.Text+" seven"
	for _, tt := range []struct {
		id, text string
		opts     []simdb.SearchOption
		want     api.Outcome
		err      error
	}{
		{"a", a.Text, nil, "", api.ErrExists},
		{"a", other, nil, "", api.ErrExists},
		{"a", like, nil, "", api.ErrExists},
		{"b", like, nil, api.OutcomeRefused, nil},
		{"b", like, []simdb.SearchOption{simdb.MinSim(0.9)}, api.OutcomeStored, nil},
		{"b", other, nil, "", api.ErrExists},
		{"c", other, []simdb.SearchOption{simdb.Limit(1)}, "", api.ErrInvalid},
	} {
		for _, batch := range []bool{true, false} {
			if batch && tt.want == api.OutcomeStored {
				continue
			}
			d := api.Document{ID: tt.id, Text: tt.text}
			m, got, err := api.Match{}, api.Outcome(""), error(nil)
			if batch {
				var b simdb.Batch
				b.PutNewUnlessSimilar(d, tt.opts...)
				if _, err = db.Commit(t.Context(), &b); len(b.Dropped()) > 0 {
					m, got = b.Dropped()[0].Match, api.OutcomeRefused
				}
			} else {
				m, got, err = db.PutNewUnlessSimilar(t.Context(), d, tt.opts...)
			}
			if got != tt.want || !errors.Is(err, tt.err) || (m.ID == "a") != (tt.want == api.OutcomeRefused) {
				t.Errorf("put of %s, %q, in a batch %v: %v, %q, %v, want %q, %v", tt.id, tt.text, batch, m, got, err, tt.want, tt.err)
			}
		}
	}
	if d, err := db.Get(t.Context(), "", "a"); err != nil || d.Text != a.Text {
		t.Errorf("a is %q, %v, want what was put first", d.Text, err)
	}
}

// An error in an option is that of the batch, in Commit and in Load, and nothing is stored.
func TestBatchOptions(t *testing.T) {
	db := openTest(t, t.TempDir())
	var shared []api.Passage
	for name, option := range map[string]simdb.SearchOption{"Limit": simdb.Limit(1), "MinSim": simdb.MinSim(80), "WithPassages": simdb.WithPassages(&shared)} {
		for put, with := range map[string]func(*simdb.Batch, api.Document){
			"PutUnlessSimilar":    func(b *simdb.Batch, d api.Document) { b.PutUnlessSimilar(d, option) },
			"PutNewUnlessSimilar": func(b *simdb.Batch, d api.Document) { b.PutNewUnlessSimilar(d, option) },
			"PutReplacingSimilar": func(b *simdb.Batch, d api.Document) { b.PutReplacingSimilar(d, false, option) },
		} {
			var b simdb.Batch
			with(&b, api.Document{ID: "a", Text: "one two three"})
			b.PutUnlessSimilar(api.Document{ID: "b", Text: "four five six"})
			_, err := db.Commit(t.Context(), &b)
			loaded := db.Load(t.Context(), func(yield func(*simdb.Batch, error) bool) { yield(&b, nil) }, nil)
			for call, err := range map[string]error{"Commit": err, "Load": loaded} {
				if !errors.Is(err, api.ErrInvalid) || !strings.Contains(err.Error(), name) {
					t.Errorf("%s of %s with %s: %v, want ErrInvalid that names the option", call, put, name, err)
				}
			}
		}
	}
	for _, id := range []string{"a", "b"} {
		if _, err := db.Get(t.Context(), "", id); !errors.Is(err, api.ErrNotFound) {
			t.Errorf("%s of a refused batch: %v, want ErrNotFound", id, err)
		}
	}
}

// Load acknowledges the batches of its caller in their order, each with its own outcome.
func TestLoadAcknowledges(t *testing.T) {
	db := openTest(t, t.TempDir())
	var given, acked []*simdb.Batch
	stop := errors.New("stop")
	err := db.Load(context.Background(), func(yield func(*simdb.Batch, error) bool) {
		for i := range 40 {
			b := new(simdb.Batch)
			b.PutUnlessSimilar(api.Document{ID: fmt.Sprint(i), Text: strings.Repeat("word ", 5) + fmt.Sprint(i/2)})
			given = append(given, b)
			if !yield(b, nil) {
				return
			}
		}
		yield(nil, stop)
	}, func(b *simdb.Batch, stats api.BatchStats) {
		if i := len(acked); stats.Dropped != len(b.Dropped()) || stats.Dropped != i%2 {
			t.Errorf("batch %d: %+v and %d dropped, want %d", i, stats, len(b.Dropped()), i%2)
		}
		acked = append(acked, b)
	})
	if !errors.Is(err, stop) || len(acked) == 0 || !slices.Equal(acked, given[:len(acked)]) {
		t.Errorf("Load = %v, %d of %d batches acknowledged, want the first ones in order", err, len(acked), len(given))
	}
	if err := db.Load(t.Context(), func(yield func(*simdb.Batch, error) bool) { yield(nil, nil) }, nil); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("Load of a nil batch: %v, want ErrInvalid", err)
	}
	if err := db.Load(t.Context(), nil, nil); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("Load of nil: %v, want ErrInvalid", err)
	}
}
