package measure

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/simdb/simdb/api"
)

// A window holds for every size, checked one by one.
func TestWindowHoldsForEverySize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []Formula{{shape: &ofSets, query: 2, doc: 1, unit: 2}, {shape: &ofSets, query: 1, unit: 3}, {shape: &ofSets, query: 5, doc: 7, unit: 1}}
		for _, m := range api.Measures() {
			if m.OfBags() {
				all = append(all, FormulaOf(m, api.Args{}))
			}
		}
		f := rapid.SampledFrom(all).Draw(t, "formula")
		den := rapid.Uint64Range(1, 24).Draw(t, "den")
		at := api.Ratio(rapid.Uint64Range(0, den).Draw(t, "num"), den)
		q := Size{Distinct: rapid.Uint64Range(1, 40).Draw(t, "query")}
		q.Total = q.Distinct + rapid.Uint64Range(0, 30).Draw(t, "repeats")
		repeats := Repeats(rapid.Uint64Range(0, 20).Draw(t, "eighths"))
		w, ok := f.Window(q, at, repeats)
		if !ok {
			t.Fatalf("no window of %+v", q)
		}
		const most = 120
		den = rapid.Uint64Range(1, 20).Draw(t, "share.den")
		share := api.Ratio(rapid.Uint64Range(0, den).Draw(t, "share.num"), den)
		for n := uint64(1); n <= most; n++ {
			for total := n; repeats.Admits(Size{n, total}) || !f.ByMass() && total < n+40; total++ {
				need, ok := f.Need(q, Size{n, total}, at)
				switch {
				case !ok:
				case n < w.Low || n > w.High || need < w.Need:
					t.Fatalf("%v ≥ %v: %+v and %d of %d match with %d shared, window %+v", f, at, q, n, total, need, w)
				case w.NeedsShare(share) && need < share.Ceil(n):
					t.Fatalf("%v ≥ %v: %+v and %d of %d match with %d shared, not %v of it", f, at, q, n, total, need, share)
				}
			}
		}
	})
}

// The windows are as narrow as known: they equal the classic prefixes of resemblance
// and containment.
func TestWindowOfSets(t *testing.T) {
	t4 := api.Ratio(4, 5)
	for _, tt := range []struct {
		f               Formula
		low, high, need uint64
		serves          bool // by .8 of the documents
	}{
		{Resemblance, 80, 125, 80, true},
		{FormulaOf(api.ContainmentOfDoc, api.Args{}), 1, 125, 1, true},
		{FormulaOf(api.ContainmentOfQuery, api.Args{}), 80, 100 + 1<<31 - 1, 80, false},
	} {
		w, ok := tt.f.Window(Size{100, 100}, t4, 0)
		if !ok || w.Low != tt.low || w.High != tt.high || w.Need != tt.need || w.NeedsShare(t4) != tt.serves {
			t.Errorf("%v: window %+v, want %+v", tt.f, w, tt)
		}
	}
}
