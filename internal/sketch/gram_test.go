package sketch_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// hashesOf returns the set of a text's chosen grams, without their sides.
func hashesOf(doc []byte) map[uint32]bool {
	m := map[uint32]bool{}
	for _, key := range sketch.ChooseGrams(doc).All() {
		m[key>>12] = true
	}
	return m
}

// Any common piece of MatchBytes bytes contains a gram chosen in both texts, at any
// position.
func TestGramsMeetInEveryMatch(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		letters := 2 + r.IntN(20)
		random := func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i] = 'a' + byte(r.IntN(letters))
			}
			return b
		}
		piece := random(sketch.MatchBytes)
		a := bytes.Join([][]byte{random(r.IntN(40)), piece, random(r.IntN(40))}, nil)
		b := bytes.Join([][]byte{random(r.IntN(40)), piece, random(r.IntN(40))}, nil)
		inA, inB, met := hashesOf(a), hashesOf(b), false
		for h := range hashesOf(piece) {
			met = met || inA[h] && inB[h]
		}
		if !met {
			t.Errorf("seed %d: no gram of %q is chosen in both %q and %q", seed, piece, a, b)
		}
	}
}

// Each window of grams has a chosen one, and they are in order.
func TestGramsAreDense(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		doc := make([]byte, r.IntN(300))
		for i := range doc {
			doc[i] = 'a' + byte(r.IntN(3))
		}
		grams := sketch.ChooseGrams(doc)
		if (grams == nil) != (len(doc) < sketch.MatchBytes) {
			t.Fatalf("%d bytes have %d bytes of grams", len(doc), len(grams))
		}
		last := -1
		for at, key := range grams.All() {
			if at <= last || at-last > 9 || key>>28 != 0 {
				t.Errorf("gram %#x at %d after one at %d", key, at, last)
			}
			last = at
		}
		if end := len(doc) - 8; grams != nil && end-last >= 9 {
			t.Errorf("the last of the grams up to %d is at %d", end, last)
		}
	}
}

// Neither bound is below the actual matches, and all passages start within the runs.
func TestBoundsOfMatches(t *testing.T) {
	tight, found := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 2))
		letters := 2 + r.IntN(6)
		script := []rune([]string{"abcdefgh", "語誟日本年月カナ", "กาขคงจฉช", "ab語誟កខ-+"}[seed%4])
		// words, so that terms start often
		random := func(n int) []byte {
			b := make([]byte, 0, n)
			for range n {
				if c := r.IntN(letters + 2); c < letters {
					b = utf8.AppendRune(b, script[c])
				} else if len(b) > 0 && b[len(b)-1] != ' ' {
					b = append(b, ' ')
				}
			}
			return bytes.Trim(b, " ")
		}
		p := random(20 + r.IntN(400))
		var c []byte // pieces of p, in any order, and others
		for range 1 + r.IntN(12) {
			if len(p) > 1 && r.IntN(3) > 0 {
				from := r.IntN(len(p) - 1)
				c = append(c, bytes.ToValidUTF8(p[from:from+1+r.IntN(min(len(p)-from, 5+r.IntN(100)))], nil)...)
			} else {
				c = append(c, random(30)...)
			}
		}
		c = bytes.Join(bytes.Fields(c), []byte(" "))
		starts := text.TermStarts(p)
		strings := measure.NewSiStringsAt(p, slices.Clone(starts))
		matched := uint64(strings.Matched(c, sketch.MatchBytes-1))
		inP, grams, shared := sketch.NewGramSet(p, starts), sketch.ChooseGrams(c), uint64(0)
		for _, key := range grams.All() {
			if inP.Shares(key) {
				shared++
			}
		}
		runs := uint64(0)
		for from, to := range inP.Runs(grams) {
			runs += uint64(to - from)
		}
		if runs < matched || sketch.MatchedBound(shared) < matched {
			t.Errorf("seed %d: %d characters match, bounds %d and %d", seed, matched, runs, sketch.MatchedBound(shared))
		}
		if got := uint64(strings.MatchedIn(c, inP.Runs(grams), sketch.MatchBytes-1)); got != matched {
			t.Errorf("seed %d: %d characters match in the runs, %d in all", seed, got, matched)
		}
		if runs < sketch.MatchedBound(shared) {
			tight++
		}
		if matched > 0 {
			found++
		}
	}
	if tight < 1000 || found < 1000 {
		t.Errorf("the bound by runs is below the other %d times, texts match %d times", tight, found)
	}
}

func BenchmarkGrams(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	doc := make([]byte, 5000)
	for i := range doc {
		doc[i] = 'a' + byte(r.IntN(26))
	}
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		sketch.ChooseGrams(doc)
	}
}
