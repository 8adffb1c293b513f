package syntax

// The language as its reference shows it.

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The statements shown in the language reference parse, but for those shown
// with a caret below. Lines of syntax, with their brackets, are no statements.
func TestLanguageReference(t *testing.T) {
	b, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	lines, fenced, seen := strings.Split(string(b), "\n"), false, 0
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		line = strings.TrimPrefix(line, "> ")
		word, rest, _ := strings.Cut(line, " ")
		if !fenced || !slices.Contains(statements, word) || strings.ContainsAny(rest, "[|") ||
			strings.Contains(rest, "predicate") || strings.Contains(rest, "field, …") {
			continue
		}
		seen++
		_, err := Parse(line)
		if wrong := strings.TrimSpace(lines[i+1]) == "^"; wrong != (err != nil) {
			t.Errorf("docs/language.md:%d: %s: %v", i+1, line, err)
		}
	}
	if seen < 10 {
		t.Errorf("docs/language.md shows %d statements, want at least 10", seen)
	}
}
