package syntax

// Where the Splitter cuts, and that the lexer agrees.

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
			var whole Splitter
			if got := texts(whole.Feed(tt.text)); !slices.Equal(got, tt.want) || restOf(&whole) != tt.rest {
				t.Errorf("Feed(%q) = %q, rest %q, want %q, rest %q", tt.text, got, restOf(&whole), tt.want, tt.rest)
			}
			var bytewise Splitter
			var got []string
			for i := range len(tt.text) {
				got = append(got, texts(bytewise.Feed(tt.text[i:i+1]))...)
			}
			if !slices.Equal(got, tt.want) || restOf(&bytewise) != tt.rest {
				t.Errorf("fed by the byte: %q, rest %q, want %q, rest %q", got, restOf(&bytewise), tt.want, tt.rest)
			}
		})
	}
}

func texts(pieces []StatementText) (out []string) {
	for _, p := range pieces {
		out = append(out, p.Text)
	}
	return out
}

func restOf(s *Splitter) string {
	if rest, ok := s.Rest(); ok {
		return rest.Text
	}
	return ""
}

// A statement knows its place in the script, in lines and code points, also
// behind a line that was no part of any statement.
func TestSplitterPlaces(t *testing.T) {
	var s Splitter
	got := s.Feed("A;B;\n-- é\n'é'; C;\n")
	s.Skip(".mode csv\n")
	got = append(got, s.Feed("  D;")...)
	want := []StatementText{{"A", Pos{1, 1}}, {"B", Pos{1, 3}}, {"\n-- é\n'é'", Pos{1, 5}}, {" C", Pos{3, 5}}, {"  D", Pos{5, 1}}}
	if !slices.Equal(got, want) {
		t.Errorf("pieces %v, want %v", got, want)
	}
}

func TestSplitterPending(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, " \n": false, "-- x\n": false, "/* x": true, "/* x */": false, "A": true, "A;": false, "A; ": false, "'": true,
	} {
		var s Splitter
		s.Feed(text)
		if got := s.Pending(); got != want {
			t.Errorf("pending after %q = %v, want %v", text, got, want)
		}
	}
}

// Splitter and parser agree on where a statement ends: what the splitter takes
// for one, no semicolon outside of its strings and comments, is one to the
// lexer, and where the splitter waits for an end the lexer misses one.
func FuzzSplitter(f *testing.F) {
	f.Add("A; 'b;' -- c;\n; $$ ; $$ /* ; */")
	f.Fuzz(func(t *testing.T, text string) {
		var s Splitter
		total := 0
		for _, statement := range s.Feed(text) {
			if strings.TrimSpace(statement.Text) == "" {
				t.Errorf("Feed(%q) returned an empty statement", text)
			}
			total += len(statement.Text) + 1
			lex := newLexer(statement.Text)
			for tok := lex.next(); tok.kind != tokEnd && tok.kind != tokBad; tok = lex.next() {
				if tok.isOp(";") {
					t.Errorf("Feed(%q) returned %q, in which the lexer finds a semicolon", text, statement.Text)
				}
			}
		}
		if tok := lastToken(restOf(&s)); tok.kind != tokBad && s.Inside() && !s.open.endsWithText() {
			t.Errorf("Feed(%q) left the splitter inside %s, where the lexer ends well", text, s.open.start)
		} else if tok.kind == tokBad && tok.err.Found == "the end" && !s.Inside() {
			t.Errorf("Feed(%q) left the splitter outside, where the lexer says %v", text, tok.err)
		}
		if total+len(restOf(&s)) > len(text) {
			t.Errorf("Feed(%q) returned more than it was given", text)
		}
	})
}

// lastToken returns the token that ends a text, or the first that is bad.
func lastToken(text string) token {
	lex := newLexer(text)
	for {
		if tok := lex.next(); tok.kind == tokEnd || tok.kind == tokBad {
			return tok
		}
	}
}
