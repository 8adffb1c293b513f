package main

// The texts: each is 16 MiB long, the most that Put takes by default, and hurts in its own way.

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

const textBytes = 16 << 20

// hostileText is a text by its name, with the same bytes each time.
type hostileText struct {
	name  string
	piece func(*rand.Rand, int) string // the next of it, and how many came before
}

var hostileTexts = []hostileText{
	{"one character", func(*rand.Rand, int) string { return strings.Repeat("a", 1<<10) }},
	{"one-letter words", func(r *rand.Rand, _ int) string { return string(rune('a'+r.IntN(26))) + " " }},
	{"distinct words", func(_ *rand.Rand, i int) string { return "w" + strconv.FormatInt(int64(i), 36) + " " }},
	{"combining marks", mark},
	{"CJK", func(r *rand.Rand, _ int) string { return string(rune(0x4e00 + r.IntN(0x5200))) }},
}

// mark is a combining mark. A letter comes before 100,000 of them.
func mark(r *rand.Rand, i int) string {
	if i%100_000 == 0 {
		return "a"
	}
	return string(rune(0x300 + r.IntN(0x50)))
}

func (h hostileText) text() string {
	rng := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, textBytes)
	for i := 0; ; i++ {
		piece := h.piece(rng, i)
		if len(b)+len(piece) > textBytes {
			return string(b) + strings.Repeat(".", textBytes-len(b))
		}
		b = append(b, piece...)
	}
}

// other is the text with something else in its middle.
func (h hostileText) other() string {
	t, half := h.text(), textBytes/2
	const middle = " a sentence that the stored text has not. "
	return strings.ToValidUTF8(t[:half]+middle+t[half+len(middle):], ".")
}
