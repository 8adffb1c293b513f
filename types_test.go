package simdb_test

// The types of this package are other names of types that callers cannot look up: go doc
// shows of an alias its comment alone. So the comment of each is a copy of all that go
// doc would show of the type itself.

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the comments of types_*.go anew")

func TestTypesAreDocumented(t *testing.T) {
	names, err := filepath.Glob("types_*.go")
	if err != nil {
		t.Fatal(err)
	}
	s := sources{set: token.NewFileSet(), packages: map[string]*doc.Package{}, aliases: map[string]*ast.TypeSpec{}, imports: map[string]map[string]string{}}
	var list []alias
	for _, name := range names {
		if name == "types_test.go" {
			continue
		}
		list = append(list, s.aliasesOf(t, name)...)
	}
	renamed := map[string]string{} // package.Type as it is declared → the name here
	for i := range list {
		a := &list[i]
		a.dir, a.typ = s.resolve(t, a.dir, a.typ)
		renamed[path.Base(a.dir)+"."+a.typ.Name] = a.name
	}
	for _, name := range names {
		if name == "types_test.go" {
			continue
		}
		old, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(old), "\n)\n")
		var b bytes.Buffer
		b.WriteString(head + "\n)\n")
		for _, a := range list {
			if a.file == name {
				b.WriteString("\n" + s.comment(t, a, renamed) + "type " + a.spec + "\n")
			}
		}
		switch {
		case bytes.Equal(old, b.Bytes()):
		case *update:
			if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is stale: go test . -run TestTypesAreDocumented -update", name)
		}
	}
}

// alias is a type of this package, and where it is declared.
type alias struct {
	file, name, spec string
	dir              string
	typ              *doc.Type
}

// sources are the packages that the types come from, by folder.
type sources struct {
	set      *token.FileSet
	packages map[string]*doc.Package
	aliases  map[string]*ast.TypeSpec     // folder.Name → an alias there
	imports  map[string]map[string]string // folder.Name of an alias → name of a package → its folder
}

// aliasesOf reads the types that a file of this package declares, in their order. What
// they stand for is a name in another package until resolve has found it.
func (s *sources) aliasesOf(t *testing.T, name string) (out []alias) {
	t.Helper()
	f, err := parser.ParseFile(s.set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		spec := g.Specs[0].(*ast.TypeSpec)
		if spec.Assign == 0 {
			t.Errorf("%s: %s is no alias", name, spec.Name.Name)
			continue
		}
		text := src[s.set.Position(spec.Pos()).Offset:s.set.Position(spec.End()).Offset]
		pkg, typ := selected(spec.Type)
		out = append(out, alias{file: name, name: spec.Name.Name, spec: string(text), dir: importsOf(f)[pkg], typ: &doc.Type{Name: typ}})
	}
	return out
}

// selected takes p.T or p.T[…] apart.
func selected(e ast.Expr) (pkg, typ string) {
	if x, ok := e.(*ast.IndexExpr); ok {
		e = x.X
	}
	x := e.(*ast.SelectorExpr)
	return x.X.(*ast.Ident).Name, x.Sel.Name
}

func importsOf(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		if dir, ok := strings.CutPrefix(p, modulePath+"/"); ok {
			out[path.Base(dir)] = dir
		}
	}
	return out
}

// load reads a package as go doc does.
func (s *sources) load(t *testing.T, dir string) {
	t.Helper()
	if s.packages[dir] != nil {
		return
	}
	names, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(s.set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, spec := range g.Specs {
					if spec := spec.(*ast.TypeSpec); spec.Assign != 0 {
						s.aliases[dir+"."+spec.Name.Name] = spec
						s.imports[dir+"."+spec.Name.Name] = importsOf(f)
					}
				}
			}
		}
	}
	if s.packages[dir], err = doc.NewFromFiles(s.set, files, modulePath+"/"+dir); err != nil {
		t.Fatal(err)
	}
}

// resolve follows a name through aliases to the type that it stands for.
func (s *sources) resolve(t *testing.T, dir string, typ *doc.Type) (string, *doc.Type) {
	t.Helper()
	s.load(t, dir)
	if spec := s.aliases[dir+"."+typ.Name]; spec != nil {
		pkg, name := selected(spec.Type)
		return s.resolve(t, s.imports[dir+"."+typ.Name][pkg], &doc.Type{Name: name})
	}
	for _, have := range s.packages[dir].Types {
		if have.Name == typ.Name {
			return dir, have
		}
	}
	t.Fatalf("%s has no type %s", dir, typ.Name)
	return "", nil
}

var qualified = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`)

// comment is all that go doc shows of a type, as a comment.
func (s *sources) comment(t *testing.T, a alias, renamed map[string]string) string {
	t.Helper()
	own := path.Base(a.dir)
	code := func(node ast.Node) string {
		ast.Inspect(node, func(n ast.Node) bool { // a type that has another name here
			if f, ok := n.(*ast.Field); ok {
				ast.Inspect(f.Type, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && renamed[own+"."+id.Name] != "" {
						id.Name = renamed[own+"."+id.Name]
					}
					return true
				})
			}
			return true
		})
		var b bytes.Buffer
		if err := format.Node(&b, s.set, node); err != nil {
			t.Fatal(err)
		}
		return qualified.ReplaceAllStringFunc(b.String(), func(q string) string {
			m := qualified.FindStringSubmatch(q)
			if name := renamed[m[0]]; name != "" {
				return name
			}
			if m[1] == "engine" || m[1] == "query" {
				return m[2]
			}
			return q
		})
	}
	var b strings.Builder
	line := func(text string) {
		b.WriteString(strings.TrimRight("// "+text, " ") + "\n")
	}
	indented := func(text string) {
		for l := range strings.Lines(text) {
			b.WriteString(strings.TrimRight("//\t"+strings.TrimRight(l, "\n"), "\t") + "\n")
		}
	}
	text := strings.TrimSpace(a.typ.Doc)
	if a.name != a.typ.Name {
		text = fmt.Sprintf("%s is %s in the package it comes from. ", a.name, a.typ.Name) + text
	}
	for l := range strings.Lines(text) {
		line(strings.TrimRight(l, "\n"))
	}
	if a.typ.Decl != nil {
		a.typ.Decl.Doc = nil
		for _, spec := range a.typ.Decl.Specs {
			spec.(*ast.TypeSpec).Doc = nil
		}
		line("")
		indented(strings.Replace(code(a.typ.Decl), "type "+a.typ.Name, "type "+a.name, 1))
	}
	if len(a.typ.Methods) > 0 {
		line("")
		line("Its methods:")
	}
	for _, m := range a.typ.Methods {
		m.Decl.Doc, m.Decl.Body = nil, nil
		line("")
		indented(code(m.Decl))
		for l := range strings.Lines(strings.TrimSpace(m.Doc)) {
			indented(strings.TrimRight("    "+strings.TrimSpace(l), " "))
		}
	}
	return b.String()
}
