package simdb_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The packages that docs/promise.md names have no alias, whose documentation go doc would not print,
// and their exported signatures and fields name no type of another package of simdb.
func TestSignaturesNamePromisedTypes(t *testing.T) {
	promised := map[string]bool{modulePath: true, modulePath + "/api": true, modulePath + "/web": true, modulePath + "/render": true}
	for _, folder := range []string{".", "api", "web", "render"} {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatal(folder, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			foreign := map[string]bool{}
			for _, spec := range file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(imported, modulePath) && !promised[imported] {
					foreign[filepath.Base(imported)] = true
				}
			}
			for _, part := range exported(t, set, file) {
				ast.Inspect(part, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok {
						if of, ok := s.X.(*ast.Ident); ok && foreign[of.Name] {
							t.Errorf("%s: %s.%s is of a package without a promise", set.Position(s.Pos()), of.Name, s.Sel)
						}
					}
					return true
				})
			}
		}
	}
}

// exported lists the types in the exported declarations of a file.
func exported(t *testing.T, set *token.FileSet, file *ast.File) (parts []ast.Node) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || receiverIsExported(d)) {
				parts = append(parts, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok || !s.Name.IsExported() {
					continue
				}
				if s.Assign.IsValid() {
					t.Errorf("%s: %s is an alias", set.Position(s.Pos()), s.Name)
				}
				of, ok := s.Type.(*ast.StructType)
				if !ok {
					parts = append(parts, s.Type)
					continue
				}
				for _, f := range of.Fields.List {
					if len(f.Names) == 0 || f.Names[0].IsExported() {
						parts = append(parts, f.Type)
					}
				}
			}
		}
	}
	return parts
}

func receiverIsExported(d *ast.FuncDecl) bool {
	of := d.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	name, ok := of.(*ast.Ident)
	return ok && name.IsExported()
}
