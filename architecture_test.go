package simdb_test

import (
	"cmp"
	"go/ast"
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

const (
	modulePath = "github.com/simdb/simdb"
	rootFolder = "simdb.go" // in the rules
)

// Imports follow the rules: every import is in the table, a folder imports only folders above
// it, and every row is of use.
func TestImportsFollowTheRules(t *testing.T) {
	folders, ours := rules(t, mayImport)
	modules, theirs := rules(t, importedBy)
	imports := projectImports(t)
	for i, folder := range folders {
		if _, ok := imports[folder]; !ok {
			t.Errorf("the rules have a row for %s, which has no Go files", folder)
		}
		for _, to := range ours[folder] {
			if above := slices.Index(folders, to); above < 0 || above >= i {
				t.Errorf("%s may import %s, which does not stand above it", folder, to)
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(imports)) {
		allowed, ok := ours[folder]
		if !ok {
			t.Errorf("%s has no row in the rules", folder)
			continue
		}
		for _, imported := range imports[folder] {
			if to, ok := strings.CutPrefix(imported, modulePath); ok {
				to = cmp.Or(strings.TrimPrefix(to, "/"), rootFolder)
				if !slices.Contains(allowed, to) {
					t.Errorf("%s imports %s, which the rules do not allow", folder, imported)
				}
			} else if module := moduleOf(modules, imported); module == "" {
				t.Errorf("%s imports %s, which the rules do not name", folder, imported)
			} else if !slices.Contains(theirs[module], folder) {
				t.Errorf("%s imports %s, which the rules leave to %v", folder, imported, theirs[module])
			}
		}
	}
	all := slices.Concat(slices.Collect(maps.Values(imports))...)
	for _, module := range modules {
		if !slices.ContainsFunc(all, func(i string) bool { return moduleOf(modules, i) == module }) {
			t.Errorf("the rules have a row for %s, which nothing imports", module)
		}
	}
}

// rules reads a table of the rules: "name: member member …", where a line that begins with a
// tab continues the row before it.
func rules(t *testing.T, table string) (names []string, members map[string][]string) {
	t.Helper()
	members = map[string][]string{}
	for row := range strings.Lines(strings.ReplaceAll(strings.TrimSpace(table), "\n\t", " ")) {
		name, of, ok := strings.Cut(row, ":")
		if _, twice := members[name]; !ok || twice {
			t.Fatalf("the rules have the row %q", row)
		}
		names = append(names, name)
		members[name] = strings.Fields(of)
	}
	return names, members
}

// moduleOf returns the longest named path that contains the import.
func moduleOf(modules []string, imported string) string {
	longest := ""
	for _, module := range modules {
		if (imported == module || strings.HasPrefix(imported, module+"/")) && len(module) > len(longest) {
			longest = module
		}
	}
	return longest
}

var goFile = regexp.MustCompile("`([A-Za-z0-9_/.]+\\.go)`")

// Every file that ARCHITECTURE.md names exists.
func TestArchitectureNamesFiles(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range goFile.FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", m[1])
		}
	}
}

// What is too large to be read is cut: no file has more than 400 lines, no struct of
// the engine more than 15 fields. Every file opens with a comment that says what it
// holds.
func TestFilesAreReadable(t *testing.T) {
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (name == "tools" || name != "." && strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata") {
			return filepath.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if n := strings.Count(string(src), "\n"); n > 400 {
			t.Errorf("%s has %d lines", name, n)
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if !opens(file) && !ast.IsGenerated(file) {
			t.Errorf("%s does not say what it holds before its first declaration", name)
		}
		if strings.HasPrefix(filepath.ToSlash(name), "engine/") {
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.StructType); ok && s.Fields.NumFields() > 15 {
					t.Errorf("%s: a struct has %d fields", files.Position(s.Pos()), s.Fields.NumFields())
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// opens says whether a comment stands before the first declaration of a file that
// is not an import.
func opens(file *ast.File) bool {
	end := file.End()
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			end = d.Pos()
			break
		}
	}
	for _, c := range file.Comments {
		if c.Pos() < end && !strings.HasPrefix(c.List[0].Text, "//go:") {
			return true
		}
	}
	return false
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
		if e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" && name != "testdata" || isModule(name)) {
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
			folder = rootFolder
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
