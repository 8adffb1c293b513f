package verify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The bounds of an estimate contain the true share in some 95 of 100 samples, also if documents have
// very different numbers of pairs and all pairs of a document are found or missed together.
func TestEstimateCoversTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	type document struct{ found, pairs int }
	for name, one := range map[string]func() document{
		"one pair each":        func() document { return document{rng.IntN(10) / 9, 1} },
		"all or nothing":       func() document { n := 1 + rng.IntN(20); return document{n * (rng.IntN(5) / 4), n} },
		"some large groups":    func() document { n := 1 + rng.IntN(2)*40; return document{rng.IntN(n + 1), n} },
		"nearly all are found": func() document { return document{min(rng.IntN(100), 1), 1} },
	} {
		var all []document
		var found, pairs float64
		for range 20000 {
			d := one()
			all, found, pairs = append(all, d), found+float64(d.found), pairs+float64(d.pairs)
		}
		covered := 0
		for range 400 {
			var r ratio
			for range 500 {
				d := all[rng.IntN(len(all))]
				r.add(d.found, d.pairs)
			}
			if e := r.estimate(false); e.Least <= found/pairs && found/pairs <= e.Most {
				covered++
			}
		}
		if covered < 366 { // 380 less three standard deviations
			t.Errorf("%s: the bounds contain the truth in %d of 400 samples", name, covered)
		}
	}
}

func TestEstimateOfAll(t *testing.T) {
	var r ratio
	r.add(1, 2)
	r.add(2, 2)
	if e := r.estimate(true); e.Share != 0.75 || e.Least != 0.75 || e.Most != 0.75 || e.Pairs != 4 {
		t.Errorf("%+v, want exactly 3 of 4", e)
	}
	if e := r.estimate(false); math.Abs(e.Least-0.1979) > 1e-3 || e.Most < 0.96 || e.Most > 1 {
		t.Errorf("%+v, want Wilson's bounds for 1.5 of 2", e)
	}
	if e := (&ratio{}).estimate(false); e.Pairs != 0 || e.Share != 0 {
		t.Errorf("%+v, want no estimate", e)
	}
}
