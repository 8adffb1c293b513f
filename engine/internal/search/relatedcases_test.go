package search_test

// Pairs of texts with what a person says of them, and what RELATED TO says.

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// relationCases reads testdata/relations/cases.txt: for each the name, the label, and two texts.
func relationCases(t *testing.T) (cases [][4]string) {
	t.Helper()
	b, err := os.ReadFile("testdata/relations/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq("\n"+string(b), "\n== ") {
		if part == "" {
			continue
		}
		head, texts, _ := strings.Cut(part, "\n")
		name, label, _ := strings.Cut(head, " | ")
		one, other, ok := strings.Cut(texts, "\n--\n")
		if !ok {
			t.Fatalf("%q has no second text", name)
		}
		cases = append(cases, [4]string{name, label, one, strings.TrimSuffix(other, "\n")})
	}
	return cases
}

// The label is the kind of the second text to the first, "none" if there is none but its topic.
func TestRelationsByEye(t *testing.T) {
	ctx := context.Background()
	all := testmodel.KeepsAll
	all.SI = ""
	for name, settings := range map[string]api.Settings{"default": {}, "all": all} {
		right := 0
		cases := relationCases(t)
		for _, c := range cases {
			db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
			if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
				t.Fatal(err)
			}
			if err := db.Put(ctx, api.Document{ID: "other", Text: c[3]}); err != nil {
				t.Fatal(err)
			}
			enginetest.Settled(t, db)
			s, err := db.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			res, err := s.Related(ctx, api.ByText(c[2]), engine.Relations{})
			if err != nil {
				t.Fatal(err)
			}
			got, by := "none", ""
			for r, err := range res.All {
				if err != nil {
					t.Fatal(err)
				}
				if r.Kind != api.KindTopic {
					got, by = r.Kind.String(), r.Method.Measure.String()
				}
			}
			if got == c[1] {
				right++
			} else {
				t.Errorf("%s settings: %s is %s %s, want %s", name, c[0], got, by, c[1])
			}
			s.Close()
			db.Close()
		}
		t.Logf("%s settings: %d of %d", name, right, len(cases))
	}
}
