package sketch

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/simdb/simdb/internal/text"
)

// plainJavaHash is the definition in unbounded integers.
func plainJavaHash(s string) int32 {
	h := new(big.Int)
	for _, u := range utf16.Encode([]rune(s)) {
		h.Mul(h, big.NewInt(31)).Add(h, big.NewInt(int64(u)))
	}
	return int32(uint32(h.Mod(h, big.NewInt(1<<32)).Uint64()))
}

func TestJavaHash(t *testing.T) {
	for s, want := range map[string]int32{
		"": 0, "a": 97, "Aa": 2112, "BB": 2112, "hello": 99162322, "four": 3149094,
		"polygenelubricants": math.MinInt32, "\U0001F600": 1772899,
	} {
		if got := JavaHash(s); got != want || got != plainJavaHash(s) {
			t.Errorf("JavaHash(%q) = %d, want %d, by the definition %d", s, got, want, plainJavaHash(s))
		}
	}
}

// Paper 004, page 7: Java's hash of two letters is fairly small, though it has 32 bits.
func TestJavaHashOfPaper004(t *testing.T) {
	greatest := int32(0)
	for a := 'A'; a <= 'z'; a++ {
		for b := 'A'; b <= 'z'; b++ {
			greatest = max(greatest, JavaHash(string([]rune{a, b})))
		}
	}
	if greatest != 31*'z'+'z' || greatest >= 1<<13 {
		t.Errorf("the greatest hash of two letters is %d, want %d", greatest, 31*'z'+'z')
	}
}

func TestGramHashes(t *testing.T) {
	const doc = "Four score and \U0001F600 seven \U0001D400x years \xff ago, our fathers brought forth"
	for _, kind := range []text.StreamKind{text.CharStream, text.WordStream, text.SoundexStream} {
		s := text.ReadStream(doc, kind, 'A')
		for k := 1; k < 60; k++ {
			var want []int32
			for g := range s.Grams(k) {
				want = append(want, plainJavaHash(string(g)))
			}
			if got := gramHashes(s, k); !slices.Equal(got, want) {
				t.Errorf("gramHashes(stream %d, %d) = %v, want %v", kind, k, got, want)
			}
		}
	}
}
