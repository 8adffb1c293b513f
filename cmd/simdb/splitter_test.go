package main

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitter(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
		rest       string
	}{
		{"none", "", nil, ""},
		{"one, unended", "SHOW COLLECTIONS", nil, "SHOW COLLECTIONS"},
		{"two", "A;B;", []string{"A", "B"}, ""},
		{"empty ones", ";;  ; A;\n;", []string{" A"}, ""},
		{"in a string", "TEXT 'a;b''c;d';", []string{"TEXT 'a;b''c;d'"}, ""},
		{"in a name", `SHOW "a;""b";`, []string{`SHOW "a;""b"`}, ""},
		{"in dollars", "TEXT $$it's; $ 5 $$;", []string{"TEXT $$it's; $ 5 $$"}, ""},
		{"three dollars", "TEXT $$$;$$;B", []string{"TEXT $$$;$$"}, "B"},
		{"in a line comment", "A -- no; not yet\n;B", []string{"A -- no; not yet\n"}, "B"},
		{"in a block comment", "A /* ; '*/;B", []string{"A /* ; '*/"}, "B"},
		{"a slash after the star's", "A /*/ ; */;", []string{"A /*/ ; */"}, ""},
		{"only comments", "-- nothing\n/* here */ ; -- either", nil, ""},
		{"a minus", "a > -1; b", []string{"a > -1"}, " b"},
		{"an open string", "TEXT 'a;", nil, "TEXT 'a;"},
		{"an open comment", "A; /* B;", []string{"A"}, " /* B;"},
		{"bytes that are no text", "\xff\x00;", []string{"\xff\x00"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var whole splitter
			if got := texts(whole.feed(tt.text)); !slices.Equal(got, tt.want) || restOf(&whole) != tt.rest {
				t.Errorf("feed(%q) = %q, rest %q, want %q, rest %q", tt.text, got, restOf(&whole), tt.want, tt.rest)
			}
			var bytewise splitter
			var got []string
			for i := range len(tt.text) {
				got = append(got, texts(bytewise.feed(tt.text[i:i+1]))...)
			}
			if !slices.Equal(got, tt.want) || restOf(&bytewise) != tt.rest {
				t.Errorf("fed by the byte: %q, rest %q, want %q, rest %q", got, restOf(&bytewise), tt.want, tt.rest)
			}
		})
	}
}

func texts(pieces []piece) (out []string) {
	for _, p := range pieces {
		out = append(out, p.text)
	}
	return out
}

func restOf(s *splitter) string {
	if rest, ok := s.rest(); ok {
		return rest.text
	}
	return ""
}

// A statement knows its place in the script, in lines and code points, also
// behind a line that was no part of any statement.
func TestSplitterPlaces(t *testing.T) {
	var s splitter
	got := s.feed("A;B;\n-- é\n'é'; C;\n")
	s.skip(".mode csv\n")
	got = append(got, s.feed("  D;")...)
	want := []piece{{"A", place{}}, {"B", place{0, 2}}, {"\n-- é\n'é'", place{0, 4}}, {" C", place{2, 4}}, {"  D", place{4, 0}}}
	if !slices.Equal(got, want) {
		t.Errorf("pieces %v, want %v", got, want)
	}
}

func TestSplitterPending(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, " \n": false, "-- x\n": false, "/* x": true, "/* x */": false, "A": true, "A;": false, "A; ": false, "'": true,
	} {
		var s splitter
		s.feed(text)
		if got := s.pending(); got != want {
			t.Errorf("pending after %q = %v, want %v", text, got, want)
		}
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add("A; 'b;' -- c;\n; $$ ; $$ /* ; */")
	f.Fuzz(func(t *testing.T, text string) {
		var s splitter
		total := 0
		for _, statement := range s.feed(text) {
			if strings.TrimSpace(statement.text) == "" {
				t.Errorf("feed(%q) returned an empty statement", text)
			}
			total += len(statement.text) + 1
		}
		if total+len(restOf(&s)) > len(text) {
			t.Errorf("feed(%q) returned more than it was given", text)
		}
	})
}
