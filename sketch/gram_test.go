package sketch_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/simdb/simdb/sketch"
)

// Any piece of MatchBytes bytes that two texts share holds a gram that both
// choose, wherever it stands in them.
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
		inPiece := map[uint32]bool{}
		for _, g := range sketch.Grams(piece) {
			inPiece[g.Hash] = true
		}
		in := func(doc []byte) map[uint32]bool {
			m := map[uint32]bool{}
			for _, g := range sketch.Grams(doc) {
				m[g.Hash] = true
			}
			return m
		}
		inA, inB, met := in(a), in(b), false
		for h := range inPiece {
			met = met || inA[h] && inB[h]
		}
		if !met {
			t.Errorf("seed %d: no gram of %q is chosen in both %q and %q", seed, piece, a, b)
		}
	}
}

// The bound of all matches: equal texts share all they choose.
func TestMatchedBound(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		doc := make([]byte, r.IntN(2000))
		for i := range doc {
			doc[i] = 'a' + byte(r.IntN(1+int(seed%26)))
		}
		var shared uint64
		for _, g := range sketch.Grams(doc) {
			shared += uint64(g.Count)
		}
		if got := sketch.MatchedBound(shared); len(doc) >= sketch.MatchBytes && got < uint64(len(doc)) {
			t.Errorf("seed %d: bound %d of a text of %d bytes with itself", seed, got, len(doc))
		}
	}
	if got := sketch.Grams(make([]byte, sketch.MatchBytes-1)); got != nil {
		t.Errorf("Grams of a text that is too short = %v, want none", got)
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
		sketch.Grams(doc)
	}
}
