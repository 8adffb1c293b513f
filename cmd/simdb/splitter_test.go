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
		{"bytes that are no text", "\xff\x00;", []string{"\xff\x00"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var whole splitter
			if got := whole.feed(tt.text); !slices.Equal(got, tt.want) || whole.rest() != tt.rest {
				t.Errorf("feed(%q) = %q, rest %q, want %q, rest %q", tt.text, got, whole.rest(), tt.want, tt.rest)
			}
			var bytewise splitter
			var got []string
			for i := range len(tt.text) {
				got = append(got, bytewise.feed(tt.text[i:i+1])...)
			}
			if !slices.Equal(got, tt.want) || bytewise.rest() != tt.rest {
				t.Errorf("fed by the byte: %q, rest %q, want %q, rest %q", got, bytewise.rest(), tt.want, tt.rest)
			}
		})
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
			if strings.TrimSpace(statement) == "" {
				t.Errorf("feed(%q) returned an empty statement", text)
			}
			total += len(statement) + 1
		}
		if total+len(s.rest()) > len(text) {
			t.Errorf("feed(%q) returned more than it was given", text)
		}
	})
}
