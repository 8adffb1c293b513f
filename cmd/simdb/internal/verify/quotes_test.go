package verify

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// naive finds quotes by comparing words.
func naive(k int, source, text []string) (covered, longest int) {
	in := make([]bool, len(source))
	for i := range source {
		for j := range text {
			n := 0
			for i+n < len(source) && j+n < len(text) && source[i+n] == text[j+n] {
				n++
			}
			if n >= k {
				longest = max(longest, n)
				for x := range n {
					in[i+x] = true
				}
			}
		}
	}
	for _, is := range in {
		if is {
			covered++
		}
	}
	return covered, longest
}

// Quotes equal those of a comparison of words, on random texts of few words, which repeat much.
func TestQuotes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func(most int) (words []string) {
		for range rng.IntN(most) {
			words = append(words, fmt.Sprint("w", rng.IntN(4)))
		}
		return words
	}
	quoted := 0
	for range 300 {
		k := 2 + rng.IntN(4)
		s := newSources(k)
		all := map[string][]string{}
		for i := range 5 {
			id, words := fmt.Sprint(i), draw(30)
			s.add(id, strings.Join(words, " "))
			all[id] = words
		}
		if s.build(0); len(s.all) == 0 {
			continue
		}
		find := searcher{sources: s}
		for range 5 {
			text := draw(40)
			got := map[string]quote{}
			for _, q := range find.find(strings.Join(text, " ")) {
				got[s.all[q.source].id] = q
			}
			for id, words := range all {
				covered, longest := naive(k, words, text)
				if q := got[id]; q.words != covered || q.longest != longest {
					t.Fatalf("k = %d: %v in %v covers %d words, the longest %d; got %+v", k, words, text, covered, longest, q)
				}
				if longest > 0 {
					quoted++
					want := strings.Join(words[got[id].place:got[id].place+longest], " ")
					if p := s.passage(got[id]); p != want || !strings.Contains(strings.Join(text, " "), p) {
						t.Fatalf("the passage is %q, want %q", p, want)
					}
				}
			}
		}
	}
	if quoted < 500 {
		t.Errorf("only %d quotes were compared", quoted)
	}
}

// A passage is found in other line breaks, case, punctuation, hyphenation and markup.
func TestQuotesOfOtherForms(t *testing.T) {
	const question = "Which of the following self-regulating gases is the most abundant in the atmosphere of Earth today?"
	s := newSources(8)
	s.add("q", question)
	s.build(0)
	find := searcher{sources: s}
	for name, text := range map[string]string{
		"lines":       "Q1: which\nof the following self-\n regulating\r\ngases is\nthe most abun-\ndant in the\tatmosphere of Earth today",
		"case":        strings.ToUpper(question),
		"punctuation": "“Which, of the following: self‑regulating gases … is (the most) abundant in the atmosphere of Earth, today?!”",
		"html":        "<p>Which of the <b>following</b> self-regulating<br>gases is&nbsp;the most <a href=\"x y\">abun</a>dant in the atmosphere</p><p>of <em>Earth</em> today?</p>",
		"markdown":    "**Which** of the _following_ self-regulating [gases](http://x.org/a_b) is the __most__ abundant\n> in the *atmosphere* of `Earth` today?",
	} {
		quotes := find.find("Before it. " + text + " After it.")
		if len(quotes) != 1 || quotes[0].words != quotes[0].longest || quotes[0].words != s.all[0].words {
			t.Errorf("%s: %+v, want all %d words", name, quotes, s.all[0].words)
		}
	}
	if quotes := find.find("Which of the following gases is the least abundant in the atmosphere of Mars today?"); len(quotes) != 0 {
		t.Errorf("%+v in a text with no eight of the words", quotes)
	}
}

// Words that many sources have in common can be left out.
func TestQuotesOfManySources(t *testing.T) {
	s := newSources(3)
	for i := range 4 {
		s.add(fmt.Sprint(i), fmt.Sprintf("answer the following question number%d alpha%d beta%d gamma%d", i, i, i, i))
	}
	s.add("short", "two words")
	s.build(3)
	find := searcher{sources: s}
	if quotes := find.find("please answer the following question now"); len(quotes) != 0 {
		t.Errorf("%+v, want none: all sources have these words", quotes)
	}
	if quotes := find.find("so number2 alpha2 beta2 follows"); len(quotes) != 1 || quotes[0].source != 2 {
		t.Errorf("%+v, want the source 2", quotes)
	}
	if s.short != 1 {
		t.Errorf("%d short sources, want 1", s.short)
	}
}

// A text that repeats a word of a source takes memory by the source, not by their product.
func TestQuotesOfRepetition(t *testing.T) {
	s := newSources(8)
	s.add("q", strings.Repeat("0 ", 100))
	s.build(0)
	find := searcher{sources: s}
	quotes := find.find(strings.Repeat("0, ", 5000))
	if len(quotes) != 1 || quotes[0].longest != 100 || quotes[0].words != 100 {
		t.Errorf("%+v, want all 100 words", quotes)
	}
	if cap(find.hits)+cap(find.runs) > 1000 {
		t.Errorf("%d hits and %d places for 100 words", cap(find.hits), cap(find.runs))
	}
	if quotes := find.find("0 0 0 0 0 0 0 0 1"); len(quotes) != 1 || quotes[0].longest != 8 {
		t.Errorf("%+v after another text, want 8 words", quotes)
	}
}

// A < or ]( that is no markup removes none of the words behind it.
func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"for i <n; six words are behind it": "for i <n; six words are behind it",
		"a[i](x\ny) b":                      "a[i x\ny) b",
		"see [one](x.org) and ](two":        "see [one and  two",
		"](a](b) c":                         " a c",
	} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}
