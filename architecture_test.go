package simdb_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/simdb/simdb"

// The two import tables of ARCHITECTURE.md are the rule: an import they do not
// name fails this test, and so does a folder they name that has gone.
func TestImportsFollowArchitecture(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	ours := importTable(t, string(text), "| folder | may import |")
	theirs := importTable(t, string(text), "| module | imported by |")
	imports := projectImports(t)
	for folder := range ours {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(imports)), func(f string) bool { return ruleFolder(f) == folder }) {
			t.Errorf("ARCHITECTURE.md has a row for %s, which has no Go files", folder)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(imports)) {
		allowed, ok := ours[ruleFolder(folder)]
		if !ok {
			t.Errorf("%s has no row in ARCHITECTURE.md", folder)
			continue
		}
		for _, imported := range imports[folder] {
			if to, ok := strings.CutPrefix(imported, modulePath); ok {
				to = strings.TrimPrefix(to, "/")
				if to == "" {
					to = "simdb.go"
				}
				if !slices.Contains(allowed, ruleFolder(to)) {
					t.Errorf("%s imports %s, which ARCHITECTURE.md does not allow", folder, imported)
				}
			} else if module := moduleRule(theirs, imported); module == "" {
				t.Errorf("%s imports %s, which ARCHITECTURE.md does not name", folder, imported)
			} else if !slices.Contains(theirs[module], ruleFolder(folder)) {
				t.Errorf("%s imports %s, which ARCHITECTURE.md leaves to %v", folder, imported, theirs[module])
			}
		}
	}
	for module := range theirs {
		if !slices.ContainsFunc(slices.Concat(slices.Collect(maps.Values(imports))...), func(i string) bool { return moduleRule(theirs, i) == module }) {
			t.Errorf("ARCHITECTURE.md has a row for %s, which nothing imports", module)
		}
	}
}

var goFile = regexp.MustCompile("`([a-z_/]+\\.go)`")

// Every file that ARCHITECTURE.md names is somewhere, and no file of engine is
// left out of its table.
func TestArchitectureNamesFiles(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range goFile.FindAllStringSubmatch(string(text), -1) {
		named[path.Base(m[1])] = true
		found, err := filepath.Glob("*/" + path.Base(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(m[1]); err != nil && (strings.Contains(m[1], "/") || len(found) == 0) {
			t.Errorf("ARCHITECTURE.md names %s, which is not there", m[1])
		}
	}
	files, err := filepath.Glob("engine/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f = filepath.ToSlash(f); !strings.HasSuffix(f, "_test.go") && !named[path.Base(f)] {
			t.Errorf("ARCHITECTURE.md does not name %s", f)
		}
	}
}

// ruleFolder names the row a folder stands in: bench/ and cmd/ have one each.
func ruleFolder(folder string) string {
	if first, _, _ := strings.Cut(folder, "/"); first == "bench" || first == "cmd" {
		return first
	}
	return folder
}

// moduleRule returns the longest named path that the import lies in.
func moduleRule(table map[string][]string, imported string) string {
	longest := ""
	for module := range table {
		if (imported == module || strings.HasPrefix(imported, module+"/")) && len(module) > len(longest) {
			longest = module
		}
	}
	return longest
}

var codeWord = regexp.MustCompile("`([^`]+)`")

// importTable reads a table whose head starts as given: the first cell of a
// row names it in `code`, the code words of the second are its members.
func importTable(t *testing.T, text, head string) map[string][]string {
	t.Helper()
	_, text, found := strings.Cut(text, head)
	if !found {
		t.Fatalf("ARCHITECTURE.md has no table with the head %q", head)
	}
	_, text, _ = strings.Cut(text, "\n")
	table := map[string][]string{}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			break
		}
		name := codeWord.FindStringSubmatch(cells[1])
		if name == nil {
			continue // the rule under the head
		}
		members := []string{}
		for _, m := range codeWord.FindAllStringSubmatch(cells[2], -1) {
			members = append(members, strings.TrimSuffix(m[1], "/"))
		}
		table[strings.TrimSuffix(name[1], "/")] = members
	}
	if len(table) == 0 {
		t.Fatalf("the table %q of ARCHITECTURE.md has no rows", head)
	}
	return table
}

// projectImports returns, by folder, what the code outside of tests imports,
// without the standard library. The root folder is called simdb.go.
func projectImports(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" || isModule(name)) {
			return filepath.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder := path.Dir(filepath.ToSlash(name))
		if folder == "." {
			folder = "simdb.go"
		}
		imports[folder] = append(imports[folder], []string{}...)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && !slices.Contains(imports[folder], imported) {
				imports[folder] = append(imports[folder], imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports
}

func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}
