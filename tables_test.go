package simdb_test

// The tables of the documents that the code declares: columns and settings. A table stands between
// "<!-- generated: NAME -->" and "<!-- end -->". "go test -run Tables -update ." writes the tables.

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query"
)

var updateTables = flag.Bool("update", false, "write the tables of the documents")

func TestTables(t *testing.T) {
	for _, table := range []struct {
		file, name string
		want       func() string
	}{
		{"docs/columns.md", "columns", columnTables},
		{"docs/settings.md", "settings", settingTable},
	} {
		text, err := os.ReadFile(table.file)
		if err != nil {
			t.Fatal(err)
		}
		begin, end := "<!-- generated: "+table.name+" -->\n", "<!-- end -->\n"
		before, rest, found := strings.Cut(string(text), begin)
		got, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("%s has no place for the table %s", table.file, table.name)
		}
		want := table.want()
		if got == want {
			continue
		}
		if !*updateTables {
			t.Errorf("%s differs from the code: run go test -run Tables -update .\n%s", table.file, firstDifference(got, want))
			continue
		}
		if err := os.WriteFile(table.file, []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < min(len(a), len(b))-1 && a[i] == b[i] {
		i++
	}
	return "document: " + a[i] + "\ncode:     " + b[i]
}

func columnTables() string {
	var b strings.Builder
	for _, k := range query.Kinds() {
		fmt.Fprintf(&b, "\n## %s\n\n| column | type | meaning |\n| --- | --- | --- |\n", k.Rows)
		for _, c := range k.Columns {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, c.Type, c.About)
		}
	}
	b.WriteString("\n")
	return b.String()
}

func settingTable() string {
	var b strings.Builder
	b.WriteString("| setting | default | value | meaning |\n| --- | --- | --- | --- |\n")
	for _, s := range api.AllSettings() {
		normal := "none"
		if s.Default != "" {
			normal = s.Default
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Name, normal, s.Want, s.About)
	}
	return b.String()
}

// Every column and setting has a type and documentation, under one name.
func TestEverythingIsDescribed(t *testing.T) {
	for _, k := range query.Kinds() {
		seen := map[string]bool{}
		for _, c := range k.Columns {
			if c.Name == "" || c.About == "" || seen[c.Name] {
				t.Errorf("%s: column %+v has no name of its own, or no documentation", k.Rows, c)
			}
			seen[c.Name] = true
		}
	}
	var names []string
	for _, s := range api.AllSettings() {
		if s.About == "" || s.Want == "" || slices.Contains(names, s.Name) {
			t.Errorf("setting %q is there twice, or has no documentation", s.Name)
		}
		names = append(names, s.Name)
	}
}
