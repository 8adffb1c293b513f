package search

// Two texts side by side: aligned passages and the content of lines.

import (
	"bufio"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
)

// heaviest is the definition of inOrder: the most characters of passages that stand in one
// order in both texts.
func heaviest(passages []api.Passage, fromA, fromB int) int {
	best := 0
	for _, p := range passages {
		if p.AStartByte >= fromA && p.BStartByte >= fromB {
			best = max(best, p.Chars+heaviest(passages, p.AStartByte+1, p.BStartByte+1))
		}
	}
	return best
}

func TestInOrder(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var passages []api.Passage
		for n := rng.IntN(9); n > 0; n-- {
			passages = append(passages, api.Passage{AStartByte: rng.IntN(12), BStartByte: len(passages), Chars: 1 + rng.IntN(20)})
		}
		chain, err := inOrder(context.Background(), passages)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for i, p := range chain {
			got += p.Chars
			if i > 0 && (p.AStartByte <= chain[i-1].AStartByte || p.BStartByte <= chain[i-1].BStartByte) {
				t.Errorf("seed %d: %v is not in order", seed, chain)
			}
		}
		if want := heaviest(passages, 0, 0); got != want {
			t.Errorf("seed %d: inOrder(%v) has %d characters, want %d", seed, passages, got, want)
		}
	}
}

// Every line fits, and the columns hold the whole of both texts in order, whatever stands
// in them.
func TestSideBySideHoldsBoth(t *testing.T) {
	pieces := []string{"the same words again and again ", "漢字の文章です", "\n", "\r\n", "\t", "\x1b[2J", "\xff", "é", "e\u0301", "other", " ", "\u202e", "👍"}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var texts [2]string
		for i := range texts {
			for n := rng.IntN(30); n > 0; n-- {
				texts[i] += pieces[rng.IntN(len(pieces))]
			}
		}
		db, err := simdb.Open("", &simdb.Options{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		passages, err := db.Passages(context.Background(), api.ByText(texts[0]), api.ByText(texts[1]))
		if err != nil {
			t.Fatal(err)
		}
		db.Close()
		var b strings.Builder
		w := bufio.NewWriter(&b)
		if err := sideBySide(t.Context(), w, output.Style{Width: 43}, [2]string{"a", "b"}, texts, passages, nil); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		var got [2]string
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		for _, line := range lines[3:] { // a blank, the names, the rule
			at := strings.IndexAny(line, "│~<>")
			if at < 0 || output.TextWidth(line) > 43 || output.TextWidth(line[:at]) != 21 {
				t.Fatalf("seed %d: %q does not fit:\n%s", seed, line, &b)
			}
			got[0] += line[:at]
			got[1] += strings.TrimLeft(line[at:], "│~<>")
		}
		for i := range got {
			want := output.EscapeControls(strings.NewReplacer("\r\n", "", "\n", "", "\t", "").Replace(texts[i]))
			if squeezed(got[i]) != squeezed(want) {
				t.Errorf("seed %d: column %d of %q holds\n%q, want\n%q", seed, i, texts, squeezed(got[i]), squeezed(want))
			}
		}
	}
}

func squeezed(s string) string { return strings.ReplaceAll(s, " ", "") }

// On a terminal, common passages are green, or blue if moved.
func TestSideBySideColours(t *testing.T) {
	one, two := "the first long passage of words", "a second passage that is even longer"
	texts := [2]string{one + "\n" + two + "\nonly here", two + "\n" + one}
	at := func(i int, s string) (int, int) {
		from := strings.Index(texts[i], s)
		return from, from + len(s)
	}
	var passages []api.Passage
	for _, s := range []string{two, one} {
		p := api.Passage{Chars: len(s)}
		p.AStartByte, p.AEndByte = at(0, s)
		p.BStartByte, p.BEndByte = at(1, s)
		passages = append(passages, p)
	}
	var b strings.Builder
	w := bufio.NewWriter(&b)
	if err := sideBySide(t.Context(), w, output.Style{Width: 90, Color: true}, [2]string{"a", "b"}, texts, passages, nil); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	for _, want := range []string{"\x1b[34m" + one + "\x1b[0m", "\x1b[32m" + two + "\x1b[0m", "\nonly here"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%q", want, b.String())
		}
	}
}
