package text_test

// Soundex by examples and against a plain program.

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/text"
)

func TestSoundex(t *testing.T) {
	for word, want := range map[string]string{
		"Robert": "R163", "Rupert": "R163", "rubin": "R150", "Lee": "L000", "Washington": "W252", "Gutierrez": "G362",
		"Tymczak":  "T522", // a vowel separates z and k; c and z are not separated
		"Ashcraft": "A261", // h does not separate s and c
		"Pfister":  "P236", // f has the digit of the first letter
		"Jackson":  "J250", "Honeyman": "H555", "a": "A000", "h": "H000", "whwb": "W100",
		"don't": "D530", "x_y": "X000", "4th": "T000", "12": "12", "_1": "_1", "": "",
		"été": "E300", "müller": "M460", "straße": "S360", "ångström": "A523", "漢字": "漢字", "άλφα": "άλφα", "K": "K000",
	} {
		if got := text.Soundex(word); got != want {
			t.Errorf("Soundex(%q) = %q, want %q", word, got, want)
		}
	}
}

// plainSoundex is the rule in four replacements, for words of a to z.
func plainSoundex(word string) string {
	first := strings.ToUpper(word[:1])
	word = word[:1] + regexp.MustCompile("[hw]").ReplaceAllString(word[1:], "")
	if c := word[0]; c == 'h' || c == 'w' {
		word = "a" + word[1:] // as a vowel: no digit to drop its neighbour for
	}
	for digit, letters := range []string{"[aeiouy]", "[bfpv]+", "[cgjkqsxz]+", "[dt]+", "l+", "[mn]+", "r+"} {
		word = regexp.MustCompile(letters).ReplaceAllString(word, fmt.Sprint(digit))
	}
	word = strings.ReplaceAll(word[1:], "0", "")
	return (first + word + "000")[:4]
}

func TestSoundexOnRandomWords(t *testing.T) {
	const seed = 4
	rng := rand.New(rand.NewPCG(seed, seed))
	for range 5000 {
		b := make([]byte, 1+rng.IntN(9))
		for i := range b {
			b[i] = "abcdefghijklmnopqrstuvwxyzhwsckbp"[rng.IntN(33)]
		}
		if got, want := text.Soundex(string(b)), plainSoundex(string(b)); got != want {
			t.Fatalf("seed %d: Soundex(%q) = %q, want %q", seed, b, got, want)
		}
	}
}

func ExampleSoundex() {
	fmt.Println(text.Soundex("Robert"), text.Soundex("Rupert"), text.Soundex("1776"))
	// Output: R163 R163 1776
}
