// Texts as they are stored.

package record

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/phrase"
)

func TestCodecRefuses(t *testing.T) {
	c, err := NewCodec(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	const text = "words that many texts have in common, and others"
	d := &Dictionaries{dictionaries: []*phrase.Dictionary{phrase.Learn(slices.Repeat([]string{text}, 20), 1000)}}
	stored := c.Encode(text, d)
	if stored[0] != codecPhrases {
		t.Fatalf("codec %d, want that of dictionaries", stored[0])
	}
	for _, bad := range [][]byte{nil, {9, 1}, {codecZstd, 1, 2}, {codecPhrases}, {codecPhrases, 1, 0}, stored[:len(stored)-1]} {
		if text, err := c.Decode(bad, d); err == nil {
			t.Errorf("decode(%x) = %q, want an error", bad, text)
		}
	}
	if text, err := c.Decode(stored, nil); err == nil {
		t.Errorf("decode without the dictionary = %q, want an error", text)
	}
}

// A text is stored by whatever makes it shortest, and comes back.
func TestCodecs(t *testing.T) {
	c, err := NewCodec(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	var sample []string
	for range 200 {
		text := ""
		for range 1 + rng.IntN(40) {
			text += fmt.Sprintf("w%d ", rng.IntN(30))
		}
		sample = append(sample, text)
	}
	d := &Dictionaries{dictionaries: []*phrase.Dictionary{phrase.Learn(sample, 1000)}}
	noise := make([]byte, 3000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for _, test := range []struct {
		text string
		want byte
	}{
		{sample[0], codecPhrases},
		{strings.Repeat("漢字", 1000), codecPhrases},
		{strings.Repeat("0123456789", 10000), codecZstd},
		{string(noise), codecRaw},
		{"", codecRaw},
	} {
		stored := c.Encode(test.text, d)
		if got, err := c.Decode(stored, d); err != nil || got != test.text || stored[0] != test.want {
			t.Errorf("%.20q…: codec %d, want %d; decoded %.20q…, %v", test.text, stored[0], test.want, got, err)
		}
	}
}
