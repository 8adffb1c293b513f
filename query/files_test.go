package query_test

// Which files of this package may know which.

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// The files of the language know nothing of what stands behind it: they compile
// without the other files of the package, and without the engine.
func TestLanguageStandsAlone(t *testing.T) {
	names := []string{"lex.go", "split.go", "keywords.go", "ast.go", "print.go", "printcompare.go", "printgroup.go", "printrelated.go", "printwrite.go", "error.go", "number.go"}
	parsers, err := filepath.Glob("parse*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range parsers {
		if !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			if strings.Contains(spec.Path.Value, ".") {
				t.Errorf("%s imports %s, want the standard library alone", name, spec.Path.Value)
			}
		}
		files = append(files, f)
	}
	config := types.Config{Importer: importer.ForCompiler(set, "source", nil), Error: func(err error) { t.Error(err) }}
	config.Check("query", set, files, nil) // tells its errors one by one
}
