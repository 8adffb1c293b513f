package text_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/text"
)

func TestTermStarts(t *testing.T) {
	for _, c := range []struct{ doc, want string }{ // a bar before each term
		{"", ""},
		{"a rose is a rose", "|a |rose |is |a |rose"},
		{`he said "yes" (no): well-known`, `|he |said |"|yes" |(|no): |well-|known`},
		{"去年我们，湖边 iPhone手机", "|去|年|我|们,|湖|边 |iphone|手|机"},
		{"カタカナとかな", "|カタカナ|と|か|な"},
		{"- - ?", "|- |- |?"},
	} {
		norm := text.Char.Normalize(nil, strings.ReplaceAll(c.doc, "，", ","))
		var got []byte
		starts := text.TermStarts(norm)
		for i := range norm {
			if slices.Contains(starts, uint32(i)) {
				got = append(got, '|')
			}
			got = append(got, norm[i])
		}
		if string(got) != c.want {
			t.Errorf("TermStarts(%q) = %s, want %s", norm, got, c.want)
		}
	}
}

// The definition, character by character.
func plainStarts(norm []byte) (starts []uint32) {
	begins := map[int]bool{0: true}
	for w := range text.Words(norm) {
		begins[w.Start] = true
	}
	for i := range norm {
		if begins[i] || norm[i-1] == ' ' {
			starts = append(starts, uint32(i))
		}
	}
	return starts
}

func TestTermStartsAgainstDefinition(t *testing.T) {
	docs := realtext.Lines(t, "nsf.jsonl.gz", 50)
	r := rand.New(rand.NewPCG(1, 1))
	letters := []rune("ab .'-(\"+$1語年カなสวกခ́ ⛄")
	for range 3000 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		docs = append(docs, b.String())
	}
	for _, doc := range docs {
		norm := text.Char.Normalize(nil, doc)
		if got, want := text.TermStarts(norm), plainStarts(norm); !slices.Equal(got, want) {
			t.Fatalf("TermStarts(%q) = %v, want %v", norm, got, want)
		}
	}
}

func BenchmarkTermStarts(b *testing.B) {
	norm := text.Char.Normalize(nil, strings.Join(realtext.Lines(b, "nsf.jsonl.gz", 400), "\n"))
	b.SetBytes(int64(len(norm)))
	for b.Loop() {
		text.TermStarts(norm)
	}
	spaces := 0
	for _, c := range norm {
		if c == ' ' {
			spaces++
		}
	}
	b.ReportMetric(float64(len(text.TermStarts(norm)))/float64(spaces+1), "starts/space")
}
