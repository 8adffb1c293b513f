package simdb_test

import (
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
		if !slices.ContainsFunc(slices.Collect(maps.Keys(imports)), func(f string) bool { return f == folder }) {
			t.Errorf("ARCHITECTURE.md has a row for %s, which has no Go files", folder)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(imports)) {
		allowed, ok := ours[folder]
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
				if !slices.Contains(allowed, to) {
					t.Errorf("%s imports %s, which ARCHITECTURE.md does not allow", folder, imported)
				}
			} else if module := moduleRule(theirs, imported); module == "" {
				t.Errorf("%s imports %s, which ARCHITECTURE.md does not name", folder, imported)
			} else if !slices.Contains(theirs[module], folder) {
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

// roomTables are the heads of the tables of rooms, by the folder that has the rooms.
var roomTables = map[string]string{
	"engine":    "| room | here is … | its files |",
	"cmd/simdb": "| room of the command | here is … | its files |",
}

// Every file that ARCHITECTURE.md names is there, and the tables of rooms name every
// file of the engine and of the command.
func TestArchitectureNamesFiles(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range goFile.FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(m[1]); err != nil && strings.Contains(m[1], "/") {
			t.Errorf("ARCHITECTURE.md names %s, which is not there", m[1])
		}
	}
	rooms := importTable(t, string(text), roomTables["engine"])
	maps.Copy(rooms, importTable(t, string(text), roomTables["cmd/simdb"]))
	for room, named := range rooms {
		files, err := filepath.Glob(room + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
		for i, f := range files {
			files[i] = filepath.Base(f)
			if !slices.Contains(named, files[i]) {
				t.Errorf("ARCHITECTURE.md does not name %s", f)
			}
		}
		for _, f := range named {
			if !slices.Contains(files, f) {
				t.Errorf("ARCHITECTURE.md names %s in %s, which is not there", f, room)
			}
		}
	}
}

// The rooms of the engine, and those of the command, stand on floors: none imports one that
// comes after it in the table of rooms, whatever the table of imports allows.
func TestRoomsAreFloors(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	imports := projectImports(t)
	for house, head := range roomTables {
		var floors []string
		_, table, _ := strings.Cut(string(text), head)
		for line := range strings.Lines(table) {
			if m := regexp.MustCompile("^\\| `(" + house + "/[a-z/]*)` ").FindStringSubmatch(line); m != nil {
				floors = append(floors, strings.TrimSuffix(m[1], "/"))
			} else if len(floors) > 0 {
				break
			}
		}
		for folder := range imports {
			if (folder == house || strings.HasPrefix(folder, house+"/")) && !slices.Contains(floors, folder) {
				t.Errorf("%s is no room of ARCHITECTURE.md", folder)
			}
		}
		for i, room := range floors {
			for _, imported := range imports[room] {
				to := strings.TrimPrefix(imported, modulePath+"/")
				if j := slices.Index(floors, to); j >= i {
					t.Errorf("%s imports %s, which stands above it", room, to)
				}
			}
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
		for _, m := range codeWord.FindAllStringSubmatch(cells[len(cells)-2], -1) {
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
