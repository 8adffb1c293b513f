package plagiarism

// This test counts what keywords find by their definition.

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/shingle"
)

func TestKeywordsFindWhatHasThem(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 9))
		draw := func(n int) (s shingle.Set) {
			for h := range uint64(400) {
				if r.IntN(400) < n {
					s = append(s, h)
				}
			}
			return s
		}
		query, texts, lex := draw(60), make([]shingle.Set, 30), lexicon{}
		for i := range texts {
			texts[i] = draw(r.IntN(80))
			for _, h := range texts[i] {
				if slices.Contains(query, h) {
					lex[h] = append(lex[h], int32(i))
				}
			}
		}
		sources := []int32{0, 7, 19}
		got := make([]keyworded, len(rareCounts))
		lex.look(query, sources, len(texts), got)
		for i, n := range rareCounts {
			var want keyworded
			var known []uint64
			in := func(h uint64) (n int) {
				for _, s := range texts {
					if slices.Contains(s, h) {
						n++
					}
				}
				return n
			}
			for _, h := range query {
				if in(h) > 0 {
					known = append(known, h)
				}
			}
			slices.SortStableFunc(known, func(a, b uint64) int { return cmp.Compare(in(a), in(b)) })
			if n > 0 && n < len(known) {
				known = known[:n]
			}
			for d, s := range texts {
				has, shared := 0, 0
				for _, h := range s {
					if slices.Contains(known, h) {
						has++
					}
					if slices.Contains(query, h) {
						shared++
					}
				}
				want.postings += int64(has)
				if has > 0 {
					want.candidates++
				}
				if slices.Contains(sources, int32(d)) {
					want.sources++
					if has > 0 {
						want.found++
					}
				}
				if 10*shared >= len(query) && shared > 0 {
					want.close++
					if has > 0 {
						want.kept++
					}
				}
			}
			if got[i] != want {
				t.Errorf("seed %d, %d keywords: %s, want %s", seed, n, fmt.Sprintf("%+v", got[i]), fmt.Sprintf("%+v", want))
			}
		}
	}
}
