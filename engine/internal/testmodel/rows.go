// Rows of a store as text, for tests inside and outside of package engine.

package testmodel

import (
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
)

// Collect returns all rows of a result. It fails the test if the plan counts another number of
// matches.
func Collect[T any](t *testing.T, r *search.Result[T], err error) []T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for row, err := range r.All {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	if r.Plan.Matches != int64(len(out)) {
		t.Errorf("the plan says %d matches, there are %d", r.Plan.Matches, len(out))
	}
	return out
}

// MatchRows returns the rows of Similar.
func MatchRows(t *testing.T, q search.Search, r *search.Result[api.Match], err error) []string {
	t.Helper()
	out := []string{}
	for _, m := range Collect(t, r, err) {
		out = append(out, RowString(q, m.ID, "", m.Sim, m.Shared, m.Union))
	}
	return out
}

// PairRows returns the rows of Pairs.
func PairRows(t *testing.T, q search.Search, r *search.Result[api.PairMatch], err error) []string {
	t.Helper()
	out := []string{}
	for _, m := range Collect(t, r, err) {
		out = append(out, RowString(q, m.A, m.B, m.Sim, m.Shared, m.Union))
	}
	return out
}
