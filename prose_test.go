package simdb_test

// The English of comments and pages is held by counts: some words mark a sentence that a reader
// has to read twice. A count finds places; an editor's ear decides.

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A habit of stilted prose, and its highest rate in comments, per 1,000 words. Well-written
// projects (Pebble, bbolt, zoekt, tsdb, bleve) stay below a third of these rates, and have 10 to
// 18 passives. Pages may have twice as many.
var habits = []struct {
	name string
	most float64
	re   *regexp.Regexp
}{
	{"what for a noun", 1.5, regexp.MustCompile(`(?i)\bwhat\b`)},
	{"who for an actor", .8, regexp.MustCompile(`(?i)\bwho(m|se|ever)?\b`)},
	{"those that for a noun", 1, regexp.MustCompile(`(?i)\b(those|ones?) (that|which|who|of)\b`)},
	{"programs that talk", 1, regexp.MustCompile(`(?i)\b(ask(s|ed)|tells?|told|say|says|said)\b`)},
	{"anew, meanwhile, beside, behind", 2, regexp.MustCompile(`(?i)\b(anew|meanwhile|beside|behind)\b`)},
	{"passive", 18, regexp.MustCompile(`(?i)\b(is|are|was|were|be|been)\s+(not\s+)?(\w+ed|begun|built|done|found|given|held|kept|known|left|made|put|read|shown|taken|told|written)\b`)},
}

// opening matches a comment that begins with a question word instead of a name or an actor (Where is a name);
// mostOpenings bounds their share of all comments.
var opening = regexp.MustCompile(`^((?i:what|who|how|whether)|where) `)

const mostOpenings = .005

// code matches the parts of a page that are no prose.
var code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

// prose is a body of text whose rates are bounded together.
type prose struct {
	name   string
	factor float64 // of the limits
	texts  []string
}

func TestProse(t *testing.T) {
	root, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	rootPages, err := fs.Glob(os.DirFS("."), "*.md")
	if err != nil {
		t.Fatal(err)
	}
	bodies := []prose{
		{"the root package", 1, commentsOf(t, root)},
		{"docs", 2, pagesOf(t, filesBelow(t, "docs", ".md"))},
		{"the pages of the root", 2, pagesOf(t, rootPages)},
	}
	for _, dir := range []string{"api", "cmd", "code", "engine", "index", "internal", "load", "observe", "query", "render", "wal", "web"} {
		bodies = append(bodies, prose{dir, 1, commentsOf(t, filesBelow(t, dir, ".go"))})
	}
	for _, p := range bodies {
		p.check(t)
	}
}

// check fails the test for each rate above its limit.
func (p prose) check(t *testing.T) {
	words, openings := 0, 0
	for _, text := range p.texts {
		words += len(strings.Fields(text))
		if opening.MatchString(text) {
			openings++
		}
	}
	if words == 0 {
		t.Errorf("%s has no prose", p.name)
		return
	}
	for _, h := range habits {
		n := 0
		for _, text := range p.texts {
			n += len(h.re.FindAllStringIndex(text, -1))
		}
		rate := 1000 * float64(n) / float64(words)
		if most := h.most * p.factor; rate > most {
			t.Errorf("%s: %s: %.2f per 1,000 words, want at most %.2f", p.name, h.name, rate, most)
		}
	}
	if share := float64(openings) / float64(len(p.texts)); share > mostOpenings*p.factor {
		t.Errorf("%s: %.2f %% of the comments begin with a question word", p.name, 100*share)
	}
}

// commentsOf returns the comments of Go files, without tests.
func commentsOf(t *testing.T, files []string) (texts []string) {
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range parsed.Comments {
			if text := strings.TrimSpace(c.Text()); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// pagesOf returns the prose of Markdown files.
func pagesOf(t *testing.T, files []string) (texts []string) {
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, code.ReplaceAllString(string(b), ""))
	}
	return texts
}

// filesBelow lists the files below dir that have the extension, without test data.
func filesBelow(t *testing.T, dir, ext string) (files []string) {
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == "testdata":
			return filepath.SkipDir
		case !e.IsDir() && filepath.Ext(name) == ext:
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
