package syntax

// The language as its reference shows it.

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
)

// The statements shown in the language reference parse, but for those shown
// with a caret below. Lines of syntax, with their brackets, are no statements.
func TestLanguageReference(t *testing.T) {
	lines, fenced, seen := strings.Split(readPage(t, "language.md"), "\n"), false, 0
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

// The tables of measures, accesses and settings have the rows of the code.
func TestReferenceTables(t *testing.T) {
	language, measures := readPage(t, "language.md"), readPage(t, "measures.md")
	for _, m := range api.Measures() {
		method := m.Method()
		row := tableRow(measures, "`"+method+"[(`]")
		if row == "" {
			t.Errorf("measures.md has no row for %s", method)
		}
		for _, column := range m.Columns() {
			if !strings.Contains(row, "`"+column+"`") {
				t.Errorf("measures.md lacks the column %s of %s", column, method)
			}
		}
		for _, p := range m.Params() {
			if p.Name != "" && !regexp.MustCompile(`\b`+p.Name+`\b`).MatchString(measures) {
				t.Errorf("measures.md lacks the argument %s of %s", p.Name, method)
			}
		}
		var accesses []string
		for _, a := range m.Accesses() {
			if a != "" {
				accesses = append(accesses, "`'"+string(a)+"'`")
			}
		}
		want := "| " + strings.Join(accesses, ", ") + " |"
		if row := tableRow(language, ".*`"+method+"`.*\\| `'"); !strings.HasSuffix(row, want) {
			t.Errorf("language.md has the accesses of %s as %q, want %q", method, row, want)
		}
	}
	for _, name := range api.SettingNames {
		if tableRow(language, "[^|]*`"+name+"`[^|]*\\|") == "" {
			t.Errorf("language.md has no row for the setting %s", name)
		}
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// tableRow returns the first row whose first cell begins with a pattern, "" if there is none.
func tableRow(page, pattern string) string {
	return regexp.MustCompile(`(?m)^\| ` + pattern + `.*$`).FindString(page)
}
