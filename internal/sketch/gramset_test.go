package sketch

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/text"
)

// With many grams per hash, the set compares a limited number for each gram of another
// text: with all of them two texts of 16 MB took a minute. No match may be lost.
func TestGramSetOfLongText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[r.IntN(63)]
		}
		return bytes.Join(bytes.Fields(b), []byte(" "))
	}
	p := random(17 << 20)
	s := NewGramSet(p, text.TermStarts(p))
	full := 0
	for h := range s.count {
		if s.count[h] == mostGrams {
			full++
		}
	}
	if full < 1000 || len(s.grams) > mostGrams<<hashBits {
		t.Errorf("%d hashes with as many grams as are looked at, %d grams in all", full, len(s.grams))
	}
	var c []byte
	for range 200 {
		from := r.IntN(len(p) - 100)
		c = append(append(c, p[from:from+20+r.IntN(80)]...), random(50)...)
	}
	c = bytes.Join(bytes.Fields(c), []byte(" "))
	strings := measure.NewSiStringsAt(p, text.TermStarts(p))
	matched := strings.Matched(c, MatchBytes-1)
	if got := strings.MatchedIn(c, s.Runs(ChooseGrams(c)), MatchBytes-1); got != matched || matched == 0 {
		t.Errorf("%d characters match in the runs, %d in all", got, matched)
	}
}
