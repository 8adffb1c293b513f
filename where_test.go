package simdb_test

// Where and WithMeta, against a loop over all documents.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// openWhere fills two databases with the same documents; the second has an index.
func openWhere(t *testing.T) (plain, indexed *simdb.DB) {
	t.Helper()
	for i, s := range []api.Settings{{}, {Index: "year, tags"}} {
		db, err := simdb.Open(t.TempDir()+"/store", nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		if err := db.CreateCollection(t.Context(), "docs", s); err != nil && !errors.Is(err, api.ErrExists) {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(4, 4))
		var docs []api.Document
		for n := range 200 {
			words := strings.Fields("one two three four five six seven eight nine ten")
			words[rng.IntN(10)] = fmt.Sprint(rng.IntN(3))
			docs = append(docs, api.Document{ID: fmt.Sprint("d", n), Text: strings.Join(words, " "),
				Meta: api.Meta{"year": 2000 + rng.IntN(10), "tags": []string{fmt.Sprint("t", rng.IntN(4))}}})
		}
		if err := db.Put(t.Context(), docs...); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			plain = db
		} else {
			indexed = db
		}
	}
	return plain, indexed
}

func year(m api.Meta) int64 {
	n, _ := m["year"].(json.Number).Int64()
	return n
}

func TestWhere(t *testing.T) {
	ctx := context.Background()
	plain, indexed := openWhere(t)
	for _, db := range []*simdb.DB{plain, indexed} {
		probe := api.ByText("one two three four five six seven eight nine ten")
		for _, by := range []simdb.SearchOption{simdb.Using(api.Jaccard), simdb.Using(api.ContainmentOfDoc), simdb.Using(api.SimHash)} {
			var want []string
			for m, err := range db.Similar(ctx, probe, by, simdb.MinSim(0.3), simdb.WithMeta()) {
				if err != nil {
					t.Fatal(err)
				}
				if year(m.Meta()) > 2004 && m.Meta()["tags"].([]any)[0] == "t1" && m.Sim < 0.9 {
					want = append(want, m.ID)
				}
			}
			for _, limit := range []int{0, 3} {
				var got []string
				for m, err := range db.Similar(ctx, probe, by, simdb.MinSim(0.3), simdb.Limit(limit),
					simdb.Where("year > ? AND tags HAS ? AND sim < 0.9", 2004, "t1")) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, m.ID)
				}
				if all := want; limit > 0 && !slices.Equal(got, all[:limit]) || limit == 0 && !slices.Equal(got, all) || len(all) < 4 {
					t.Errorf("Similar with limit %d finds %v, of %v", limit, got, all)
				}
			}
		}
		var want, got []string
		for m, err := range db.Pairs(ctx, simdb.MinSim(0.7), simdb.WithMeta()) {
			if err != nil {
				t.Fatal(err)
			}
			if year(m.MetaA()) < year(m.MetaB()) && year(m.MetaA()) == 2001 {
				want = append(want, m.A+" "+m.B)
			}
		}
		for m, err := range db.Pairs(ctx, simdb.MinSim(0.7), simdb.Where("a.year < b.year AND a.year = $1", 2001)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, m.A+" "+m.B)
		}
		if !slices.Equal(got, want) || len(want) < 10 {
			t.Errorf("Pairs finds %d, want %d", len(got), len(want))
		}
		n := 0
		for m, err := range db.Pairs(ctx, simdb.MinSim(0.7), simdb.Limit(7), simdb.Where("a.year = 2001")) {
			if err != nil || m.MetaA() == nil {
				t.Fatal(m, err)
			}
			n++
		}
		if n != 7 {
			t.Errorf("Pairs with a limit of 7 finds %d", n)
		}
	}
}

// Clusters groups the documents that satisfy a WHERE as if there were no others.
func TestWhereOfClusters(t *testing.T) {
	ctx := context.Background()
	plain, indexed := openWhere(t)
	alone, err := simdb.Open(t.TempDir()+"/store", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	rows := func(db *simdb.DB, opts ...simdb.SearchOption) (out []string) {
		for m, err := range db.Clusters(ctx, append(opts, simdb.MinSim(0.75), simdb.WithMeta())...) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprint(m.Cluster, " ", m.ID, " ", m.Size, " ", m.Meta()))
		}
		return out
	}
	s, err := plain.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for d, err := range s.Documents(ctx, "docs") {
		if err != nil {
			t.Fatal(err)
		}
		if year(d.Meta) == 2003 {
			if err := alone.Put(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := rows(alone)
	for _, db := range []*simdb.DB{plain, indexed} {
		if got := rows(db, simdb.Where("year = 2003")); !slices.Equal(got, want) || len(want) < 4 {
			t.Errorf("groups of 2003:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if got := rows(db, simdb.Where("year = 2003"), simdb.Limit(2)); !slices.Equal(got, want[:2]) {
			t.Errorf("with a limit of 2: %v", got)
		}
	}
}

func TestWhereErrors(t *testing.T) {
	ctx := context.Background()
	db, _ := openWhere(t)
	for _, c := range []struct {
		where, want string
		args        []any
	}{
		{"year >", `1:7: want a field or a value, found the end`, nil},
		{"year > 1 LIMIT 2", `1:10: want the end of the predicate, found "LIMIT"`, nil},
		{"yaer > 1", `1:1: want a field of docs, found "yaer", which no document has; did you mean year?`, nil},
		{"year > ?", `1:8: want an argument for $1, found 0 given`, nil},
		{"year > 1", `1:1: want a parameter $1 for each argument, found none`, []any{1}},
		{"similarity('d1') > 0.5", `1:1: want a field, found "similarity("; here the similarity is the field sim`, nil},
		{"a.year > 1", `1:1: want a field of docs, found "a.year", which no document has; did you mean year?`, nil},
		{"sim >= 80", `1:8: want a similarity between 0 and 1, found "80"; did you mean 80%?`, nil},
	} {
		for _, err := range db.Similar(ctx, api.ByID("d1"), simdb.Where(c.where, c.args...)) {
			var pe *api.ParseError
			if !errors.As(err, &pe) || err.Error() != c.want {
				t.Errorf("%s: %v, want %s", c.where, err, c.want)
			}
		}
	}
	for _, err := range db.Pairs(ctx, simdb.Where("year > 1")) {
		if want := "1:1: want a field of this statement, found \"year\"; a pair has two documents: write a.year or b.year"; err == nil || err.Error() != want {
			t.Errorf("Pairs: %v, want %s", err, want)
		}
	}
	for _, err := range db.Clusters(ctx, simdb.Where("sim > 0.9")) {
		if err == nil || !strings.Contains(err.Error(), "CLUSTERS joins") {
			t.Errorf("Clusters: %v, want an error about sim", err)
		}
	}
	for _, err := range db.Similar(ctx, api.ByID("d1"), simdb.Where("year > 1"), simdb.Where("year < 2")) {
		if !errors.Is(err, api.ErrInvalid) {
			t.Errorf("two Where: %v, want ErrInvalid", err)
		}
	}
	if _, err := db.SimilarEach(ctx, []api.Target{api.ByID("d1")}, simdb.Where("year >")); err == nil {
		t.Error("SimilarEach takes a wrong WHERE")
	}
	rows, err := db.SimilarEach(ctx, []api.Target{api.ByID("d1"), api.ByID("d2")}, simdb.Where("year = 2003"), simdb.MinSim(0.5), simdb.Limit(2))
	if err != nil || len(rows) != 2 || len(rows[0]) != 2 {
		t.Errorf("SimilarEach = %v, %v, want two rows for each of two", rows, err)
	}
}
