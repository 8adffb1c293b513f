package shell

// Colours of the line.

import (
	"regexp"
	"testing"
)

// Colours move nothing: without them the line is written as it is in black and white.
func TestColorsMoveNothing(t *testing.T) {
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, text := range []string{"", "SELECT id FROM docs", "日本語 'x' -- y", "a\tb 12 'open", "SIMILAR TO 'x' WHERE sim >= 80% /* and so on"} {
		for _, width := range []int{2, 7, 80} {
			for at := range len([]rune(text)) + 1 {
				e := lineEditor{color: true, pending: "SELECT 'a\n", line: editing{text: []rune(text), at: at}}
				want, place := show(prompt, e.line.text, nil, at, width)
				got, colored := show(prompt, e.line.text, e.colors(), at, width)
				if escapes.ReplaceAllString(got, "") != want || place.row != colored.row || place.col != colored.col {
					t.Errorf("%q at %d of %d columns is %q in colour, and %q without", text, at, width, got, want)
				}
			}
		}
	}
	e := lineEditor{color: true, line: editing{text: []rune("SELECT 'a'")}}
	if got, _ := show("", e.line.text, e.colors(), 0, 80); got != plain+"\x1b[1mSELECT"+plain+" "+plain+"\x1b[32m'a'"+plain+"\r" {
		t.Errorf("a statement is %q", got)
	}
	for _, e := range []*lineEditor{{line: e.line}, {color: true, line: editing{text: []rune(".mode csv")}}} {
		if e.colors() != nil {
			t.Errorf("%q has colours", string(e.line.text))
		}
	}
}
