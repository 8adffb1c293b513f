package simdb_test

// What callers see of this package: everything has a comment and an Example, and no
// method of the engine that is for callers is missing.

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/engine"
)

// shownIn names, of what has no Example of its own, the one that shows it.
var shownIn = map[string]string{
	"In":     "Against",
	"Limit":  "DB_Similar",
	"Min":    "DB_Similar",
	"MinSim": "DB_Similar",
	"Named":  "DB_Query",

	"Batch.Put":        "Batch",
	"Batch.PutNew":     "Batch",
	"Batch.UpdateMeta": "Batch",
	"Batch.Delete":     "Batch",
	"Batch.Erase":      "Batch",
	"Batch.Len":        "Batch",
	"Batch.Note":       "DB_Commit",

	"Batch.PutNewUnlessSimilar": "Batch_PutUnlessSimilar",
	"Batch.Dropped":             "Batch_PutUnlessSimilar",
	"Batch.Evicted":             "Batch_PutReplacingSimilar",

	"Rows.All":   "Rows",
	"Rows.Notes": "Rows",
	"Rows.Plan":  "Rows",
	"Rows.Close": "Rows",

	"DB.DropGroups":      "DB_CreateGroups",
	"DB.Groups":          "DB_CreateGroups",
	"Snapshot.Groupings": "Snapshot_GroupMembers",
	"Snapshot.Groups":    "Snapshot_GroupMembers",
	"Snapshot.GroupOf":   "Snapshot_GroupMembers",
	"Snapshot.Group":     "Snapshot_GroupMembers",

	"ShardsSnapshot.Stores":     "Shards_Snapshot",
	"ShardsSnapshot.Store":      "Shards_Snapshot",
	"ShardsSnapshot.Home":       "Shards_Snapshot",
	"ShardsSnapshot.Collection": "Shards_Snapshot",
	"ShardsSnapshot.Close":      "Shards_Snapshot",

	"Rules":               "DB_Related",
	"WithPlan":            "Snapshot",
	"Snapshot.Close":      "Snapshot",
	"Snapshot.Collection": "Snapshot",
	"Snapshot.Dedupe":     "Snapshot",
	"Snapshot.Documents":  "Snapshot",
	"Snapshot.IDs":        "Snapshot",
	"Snapshot.Infos":      "Snapshot",
	"Snapshot.Mark":       "Snapshot",
	"Snapshot.Notes":      "Snapshot",
	"Snapshot.Spread":     "Snapshot",

	"DB.Erasing":     "DB_Erase",
	"DB.Collections": "DB_Info",
	"DB.MemoryBytes": "DB_MaxDocBytes",

	"Since":    "DB_Mark",
	"WithMeta": "Where",

	"RegisteredLexer": "RegisterLexer", // of api
}

// ofReader has the methods of Reader, and QueryWith.
var ofReader = map[string]bool{"QueryWith": true}

func init() {
	for r, i := reflect.TypeFor[simdb.Reader](), 0; i < r.NumMethod(); i++ {
		ofReader[r.Method(i).Name] = true
	}
}

func TestEverythingHasAnExample(t *testing.T) {
	haveExamples(t, ".", modulePath, true)
	haveExamples(t, "load", modulePath+"/load", true)
	haveExamples(t, "web", modulePath+"/web", true)
	haveExamples(t, "api", modulePath+"/api", false)
	for name := range shownIn {
		t.Errorf("the list has %s, which is not there", name)
	}
}

// haveExamples checks that the functions and methods of a package have comments, and
// Examples: the methods only if they are asked for.
func haveExamples(t *testing.T, folder, path string, methods bool) {
	set := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(set, files, path)
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]*doc.Example{}
	funcs := slices.Clone(pkg.Funcs)
	note := func(list []*doc.Example) {
		for _, e := range list {
			examples[e.Name] = e
		}
	}
	for _, typ := range pkg.Types {
		funcs = slices.Concat(funcs, typ.Funcs, typ.Methods)
		note(typ.Examples)
	}
	for _, f := range funcs {
		note(f.Examples)
	}
	for _, f := range funcs {
		name := f.Name
		if f.Recv != "" {
			name = strings.TrimPrefix(f.Recv, "*") + "." + name
		}
		if strings.TrimSpace(f.Doc) == "" {
			t.Errorf("%s has no comment", name)
		}
		if of, method, ok := strings.Cut(name, "."); ok && of != "DB" && ofReader[method] {
			continue // Examples of DB show them
		}
		in, listed := shownIn[name]
		switch {
		case listed && len(f.Examples) > 0:
			t.Errorf("%s has an Example of its own: take it from the list", name)
		case listed && (examples[in] == nil || !mentions(examples[in], f.Name)):
			t.Errorf("Example%s does not show %s", in, name)
		case !listed && len(f.Examples) == 0 && (methods || f.Recv == ""):
			t.Errorf("%s has no Example", name)
		}
		delete(shownIn, name)
	}
}

// mentions says whether the code of an Example has a name.
func mentions(e *doc.Example, name string) (found bool) {
	ast.Inspect(e.Code, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return true
	})
	return found
}

// otherwise lists the methods of the engine that callers have in another form.
var otherwise = map[string]string{
	"PutUnlessSimilar":    "with the options of searches",
	"PutNewUnlessSimilar": "with the options of searches",
	"Snapshot":            "as a Reader",
	"IsNew":               "with the options of searches",
	"DeleteDuplicates":    "as Dedupe with Delete",
	"EraseTraces":         "as the statement ERASE",
}

// Callers have DB, not engine.DB: each method of that one is here too.
func TestMethodsOfTheEngineAreHere(t *testing.T) {
	inside, outside := reflect.TypeFor[*engine.DB](), reflect.TypeFor[*simdb.DB]()
	for i := range inside.NumMethod() {
		m := inside.Method(i)
		if otherwise[m.Name] != "" {
			continue
		}
		have, ok := outside.MethodByName(m.Name)
		if !ok {
			t.Errorf("simdb.DB lacks %s%s", m.Name, strings.TrimPrefix(m.Type.String(), "func"))
			continue
		}
		if got, want := signature(have.Type), signature(m.Type); got != want {
			t.Errorf("simdb.DB.%s is %s, engine.DB's is %s", m.Name, got, want)
		}
	}
}

// signature is a method's type without its receiver. A type of the engine stands for that of the
// same name here.
func signature(m reflect.Type) string {
	_, rest, _ := strings.Cut(m.String(), "DB")
	return strings.NewReplacer("/engine.", ".", "*engine.", "*simdb.").Replace(rest)
}
