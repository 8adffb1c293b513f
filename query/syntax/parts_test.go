package syntax

// Parts of statements, whole and half typed.

import (
	"strings"
	"testing"
)

// shownParts writes a letter for each byte.
func shownParts(text string) string {
	var b strings.Builder
	for _, p := range Parts(text) {
		b.WriteByte(" ksn-"[p])
	}
	return b.String()
}

func TestParts(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"select id from docs", "kkkkkk    kkkk     "},
		{"SIMILAR TO 'it''s' WHERE sim >= 80%", "kkkkkkk kk sssssss kkkkk        nnn"},
		{"SELEC", "     "},
		{"SELECT 'open", "kkkkkk sssss"},
		{"SELECT $$open", "kkkkkk ssssss"},
		{"SELECT 1 -- rest", "kkkkkk n -- ----"},
		{"/* open SELECT", "-- ---- ------"},
		{"\"select\" \x00 1 'a'", "           n sss"},
		{"", ""},
	} {
		if got := normal(shownParts(tt.text), tt.text); got != tt.want {
			t.Errorf("Parts(%q) is %q, want %q", tt.text, got, tt.want)
		}
	}
}

// normal leaves white space out, which may be of any part.
func normal(parts, text string) string {
	b := []byte(parts)
	for i := range b {
		if text[i] == ' ' {
			b[i] = ' '
		}
	}
	return string(b)
}

// Any text has parts: the lexer comes to its end.
func FuzzParts(f *testing.F) {
	for _, s := range []string{"SELECT 'a' -- b", "\xff\x00'", "/*", "$", "\ufeff1e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := len(Parts(s)); n != len(s) {
			t.Errorf("%d parts of %d bytes", n, len(s))
		}
	})
}
