package value

// LIKE and GLOB against their definition, and the time they take.

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestPattern(t *testing.T) {
	tests := []struct {
		glob       bool
		pattern, s string
		want       bool
	}{
		{false, "", "", true}, {false, "", "a", false}, {false, "%", "", true}, {false, "a%c", "abbc", true},
		{false, "a_c", "aßc", true}, {false, "a_c", "ac", false}, {false, "%a%b%", "xxaxxbxx", true}, {false, "A", "a", false},
		{false, "50*", "50*", true}, {true, "*.rst", "a/b.rst", true}, {true, "*.rst", "b.rsx", false},
		{true, "?[a-c]*", "xbz", true}, {true, "[^a-c]", "b", false}, {true, "[!a-c]", "d", true}, {true, "[]]", "]", true},
		{true, "[a-]", "-", true}, {true, "[ab", "[ab", true}, {true, "%", "x", false},
		{true, "[c-az]", "b", false}, {true, "[a-fb-cx]", "e", true}, {true, "[a-fb-cx]", "w", false}, {true, "[^]]", "]", false},
		{false, "%%", "", true}, {false, "a%", "a", true}, {false, "%a", "ba", true}, {false, "a%a", "a", false},
		{false, "_%_", "é", false}, {false, "_%_", "éé", true}, {false, "%_b_%b", "abcb", true}, {false, "%_b_%b", "abb", false},
		{false, "\uFFFD", "\xff", true}, {false, "_", "\xff", true}, {false, "%ab%ab%", "abab", true}, {false, "%aab%", "aaab", true},
		{false, "%a_a%", "abba", false}, {false, "%a_a%", "ababba", true},
	}
	for _, tt := range tests {
		p := Like(tt.pattern)
		if tt.glob {
			p = Glob(tt.pattern)
		}
		if got := p.Match(t.Context(), tt.s); got != tt.want {
			t.Errorf("pattern %q (glob %v) on %q = %v, want %v", tt.pattern, tt.glob, tt.s, got, tt.want)
		}
	}
}

// fits is what a pattern means, written without a thought for time: the run at
// the beginning of a pattern covers nothing, or one more code point.
func fits(pattern, s []rune) bool {
	switch {
	case len(pattern) == 0:
		return len(s) == 0
	case pattern[0] == '%':
		return fits(pattern[1:], s) || len(s) > 0 && fits(pattern, s[1:])
	}
	return len(s) > 0 && (pattern[0] == '_' || pattern[0] == s[0]) && fits(pattern[1:], s[1:])
}

func TestPatternFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringMatching(`[ab%_é]{0,8}`).Draw(t, "pattern")
		s := rapid.StringMatching(`[abé]{0,10}`).Draw(t, "text")
		want := fits([]rune(p), []rune(s))
		if got := Like(p).Match(context.Background(), s); got != want {
			t.Fatalf("LIKE %q on %q is %v, want %v", p, s, got, want)
		}
		glob := strings.NewReplacer("%", "*", "_", "?", "a", "[a]").Replace(p)
		if got := Glob(glob).Match(context.Background(), s); got != want {
			t.Fatalf("GLOB %q on %q is %v, want %v", glob, s, got, want)
		}
	})
}

// Comparing all places at once gives what trying one after the other does.
func TestPatternBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]string{`[ab]`, `[abé_]`, `[a-z\x{4e00}-\x{4eff}]`}).Draw(t, "letters")
		text := rapid.StringMatching(letters+`{0,300}`).Draw(t, "text")
		p := []rune(rapid.StringMatching(letters+`{1,200}`).Draw(t, "pattern"))
		if rs := []rune(text); len(rs) > 0 && rapid.Bool().Draw(t, "of the text") {
			at := rapid.IntRange(0, len(rs)-1).Draw(t, "at")
			p = slices.Clone(rs[at:rapid.IntRange(at+1, len(rs)).Draw(t, "to")])
		}
		for i := range p {
			switch rapid.IntRange(0, 5).Draw(t, "part") {
			case 0, 1:
				p[i] = '?'
			case 2:
				p = slices.Insert(p, i+1, ']')
				p = slices.Insert(p, i, '[')
			}
		}
		g := Glob("*" + string(p) + "*")[1]
		wantEnd, want := 0, false
		for at := 0; at <= len(text) && !want; at++ {
			if at < len(text) && !utf8.RuneStart(text[at]) {
				continue
			}
			n, ok := (&matching{ctx: context.Background()}).prefix(g.parts, text[at:])
			wantEnd, want = at+n, ok
		}
		end, got := (&matching{ctx: context.Background()}).findBits(g.parts, text)
		if got != want || got && end != wantEnd {
			t.Fatalf("%q in %q: %d, %v, want %d, %v", string(p), text, end, got, wantEnd, want)
		}
	})
}

// What matches one code point is not tried at every place for ever: here that would be
// 50,000 bytes at each of 100,000 places.
func TestPatternIsNotTriedForEver(t *testing.T) {
	const text, pairs = 100_000, 25_000
	a := strings.Repeat("a", text)
	for name, p := range map[string]Pattern{
		"one letter":     Like("%" + strings.Repeat("a_", pairs) + "b%"),
		"a long literal": Like("%_" + strings.Repeat("a", 2*pairs) + "_b%"),
		"two literals":   Like("%" + strings.Repeat("a", 2*pairs-1) + "b_" + strings.Repeat("a", 2*pairs) + "%"),
		"a class":        Glob("*" + strings.Repeat("[ab]?", pairs) + "[c]*"),
	} {
		m := &matching{ctx: t.Context()}
		if m.all(p, a) {
			t.Errorf("%s: a text without b fits", name)
		}
		if most := text*(2*pairs/64) + 4*patience*(text+checkEvery); m.steps > most {
			t.Errorf("%s: %d steps, want at most %d", name, m.steps, most)
		}
	}
}

// The time of literals grows with the text and the pattern, not with their
// product: here that would be 400,000 million.
func TestPatternIsLinear(t *testing.T) {
	const long, longer = 100_000, 4 << 20
	letters := strings.Repeat("a", long)
	for name, pattern := range map[string]string{
		"one literal":     "%" + letters + "b%",
		"many literals":   strings.Repeat("%a", long) + "%b%",
		"a literal, ends": letters + "%" + letters + "b%" + letters,
		"a class":         "%[" + letters + "]b%",
	} {
		p := Like(pattern)
		if name == "a class" {
			p = Glob(strings.ReplaceAll(pattern, "%", "*"))
		}
		m := &matching{ctx: t.Context()}
		if m.all(p, strings.Repeat("a", longer)) {
			t.Errorf("%s: a text without b fits", name)
		}
		if most := 3 * (long + longer); m.steps > most {
			t.Errorf("%s: %d bytes looked at, want at most %d", name, m.steps, most)
		}
	}
}

// pollsOf counts the checks of a context.
type pollsOf struct {
	context.Context
	polls int
}

func (c *pollsOf) Err() error {
	c.polls++
	return c.Context.Err()
}

// The search of all positions at once checks its context as often where the work lies in the masks
// of rare code points, and not in the positions.
func TestMasksCheckContext(t *testing.T) {
	const classes, runes = 1000, 2000
	p := Glob("*" + strings.Repeat("[^a]", classes) + "*")
	var text strings.Builder
	for r := range rune(runes) {
		text.WriteString("a" + string(0x4e00+r))
	}
	ctx := &pollsOf{Context: t.Context()}
	if _, ok := (&matching{ctx: ctx}).findBits(p[1].parts, text.String()); ok {
		t.Error("a match, want none")
	}
	if least := (runes - maxMasks) * classes / checkEvery; ctx.polls < least {
		t.Errorf("%d checks of the context, want at least %d", ctx.polls, least)
	}
}
