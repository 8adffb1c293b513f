package load

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/corpus"
)

// A restored database has the same groups of its documents, with the same definitions and the same
// dump.
func TestDumpCarriesGroups(t *testing.T) {
	ctx := t.Context()
	db := openTemp(t, nil)
	groupings := []api.Grouping{
		{Name: "plain", Collection: "docs", Measure: api.Jaccard, Min: api.Ratio(4, 5), Keep: api.KeepFirst},
		{Name: "stars", Collection: "docs", Measure: api.SimHash, Min: api.Ratio(9, 10), Stars: true, Keep: api.KeepLongest},
		{Name: "halves", Collection: "other", Measure: api.Tversky, Args: api.Weights(0.5, 0.5), Min: api.Ratio(1, 3), Keep: api.KeepShortestID},
	}
	for _, g := range groupings {
		if err := db.EnsureCollection(ctx, g.Collection, api.Settings{}); err != nil {
			t.Fatal(err)
		}
		for i := range 60 { // in the order of ids, like restore
			d := corpus.At(7, i)
			if err := db.Put(ctx, api.Document{Collection: g.Collection, ID: d.ID, Text: d.Text}); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.CreateGroups(ctx, g); err != nil {
			t.Fatal(err)
		}
	}
	first := dumped(t, db)
	again := openTemp(t, nil)
	if err := Restore(ctx, again, bytes.NewReader(first)); err != nil {
		t.Fatal(err)
	}
	if second := dumped(t, again); !bytes.Equal(first, second) {
		t.Errorf("another dump:\n%.2000s\n%.2000s", first, second)
	}
	if want, got := groupsOf(t, db), groupsOf(t, again); len(want) != len(groupings) || !reflect.DeepEqual(got, want) {
		t.Errorf("groups:\n%v\nwant\n%v", got, want)
	}
}

// groupsOf returns the sizes of the groups of each grouping, and the kept documents.
func groupsOf(t *testing.T, db *simdb.DB) map[api.Grouping]map[string]int {
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := map[api.Grouping]map[string]int{}
	for _, g := range s.Groupings() {
		all[g] = map[string]int{}
		for group, err := range s.Groups(t.Context(), g.Name, api.GroupsQuery{MinSize: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			all[g][group.Keeper] = group.Size
		}
		if len(all[g]) == 0 {
			t.Errorf("%s has no group of two documents", g.Name)
		}
	}
	return all
}
