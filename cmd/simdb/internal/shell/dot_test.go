package shell

// The words of dot commands.

import (
	"slices"
	"testing"
)

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		".help":                     {".help"},
		"  .read  a\tb ":            {".read", "a", "b"},
		`.read "a b" 'c "d' e'f 'g`: {".read", "a b", `c "d`, "ef g"},
		`.output ''`:                {".output", ""},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("splitWords(%q) = %q, %v, want %q", line, got, err, want)
		}
	}
	if got, err := splitWords(`.read "a`); err == nil {
		t.Errorf("an open quote gave %q and no error", got)
	}
}

func TestLastWord(t *testing.T) {
	for text, want := range map[string]string{"": "", "SEL": "SEL", "a b": "b", "a ": "", "(sim": "sim", "a.year": "year", "Größe": "Größe", "x;": ""} {
		if got := lastWord(text); got != want {
			t.Errorf("lastWord(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestMatching(t *testing.T) {
	words := []string{"SIMILAR", "SELECT", "sim", "docs", "sim"}
	for prefix, want := range map[string][]string{
		"s": {"select", "sim", "similar"}, "S": {"SELECT", "SIMILAR", "sim"}, "do": {"docs"}, "x": nil,
		"": {"SELECT", "SIMILAR", "docs", "sim"},
	} {
		if got := matching(words, prefix); !slices.Equal(got, want) {
			t.Errorf("matching(%q) = %q, want %q", prefix, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, ".help": true, "SHOW COLLECTIONS": false, "SHOW COLLECTIONS;": true, "TEXT 'a;": false, "a; b": false, "a; -- b": true,
	} {
		if got := complete(text); got != want {
			t.Errorf("complete(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestCommonPrefix(t *testing.T) {
	for want, words := range map[string][]string{"": {"a", "b"}, "si": {"sim", "size", "similarity"}, "Grö": {"Größe", "Gröne"}, "on": {"on"}} {
		if got := commonPrefix(words); got != want {
			t.Errorf("commonPrefix(%q) = %q, want %q", words, got, want)
		}
	}
	if got := commonPrefix(nil); got != "" {
		t.Errorf("commonPrefix of nothing = %q", got)
	}
}
