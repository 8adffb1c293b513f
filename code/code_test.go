package code_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/code"
)

// shown formats tokens with their kinds.
func shown(text string, tokens []api.CodeToken) (out []string) {
	for _, t := range tokens {
		out = append(out, fmt.Sprintf("%d%s", t.Kind, text[t.Start:t.End]))
	}
	return out
}

func TestLex(t *testing.T) {
	for _, test := range []struct{ language, name, text, want string }{
		{"", "a/Main.java", "int x = f(3); // three\n", `0int 1x 0= 1f 43`},
		{"", "MAIN.JAVA", "/* all */ a.b(\"c d\", 'e');", `1a 2b 3"c|d" 3'e'`},
		{"", "x.py", "def f(n):\n    return n.m + 1 # one\n", `0def 1f 1n 0: 0return 1n 2m 0+ 41`},
		{"", "x.c", "#include <stdio.h>\nx->y = 1;", `0# 0include 0< 0stdio 0h 0> 1x 0- 0> 2y 0= 41`},
		{"java", "x.py", "x = null # a", `1x 0= 0null 0# 1a`},
		{"", "notes.xyz", "x = 3; // it's", `0x 0= 43 0/ 0/ 0it 0' 0s`},
		{"plain", "x.java", "int x", `0int 0x`},
		{"", "x.java", "a\r\n. b\r\n// c\r\n\"d\"", `1a 2b 3"d"`},
		{"", "x.java", "a\xff \"é\xfe\" b", "1a 0\xff 3\"é\xfe\" 1b"},
		{"", "x.java", "", ""},
	} {
		tokens, err := code.Lexer{}.Lex(test.language, test.name, test.text)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(test.want)
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "|", " ")
		}
		if got := shown(test.text, tokens); !slices.Equal(got, want) {
			t.Errorf("Lex(%q, %q, %q) = %q, want %q", test.language, test.name, test.text, got, want)
		}
	}
}

// ordered returns the first fault of tokens, "" if there is none.
func ordered(text string, tokens []api.CodeToken) string {
	end := 0
	for _, t := range tokens {
		if t.Start < end || t.End <= t.Start || t.End > len(text) || t.Kind > api.CodeNumber {
			return fmt.Sprintf("token %v after byte %d of %d", t, end, len(text))
		}
		end = t.End
	}
	return ""
}

// Every lexer of the library returns tokens in order, in texts of other languages too.
func TestEveryLanguage(t *testing.T) {
	texts := []string{
		"int f(a) { return a.b + \"x\\n\" + 'y'; } // c\r\n# d\n/* e */ <p class=\"q\">t</p>\n", "\xff\x00é\u2028\"'`", "<?php echo $x->y; ?> <% z %> {{ w }}\n",
	}
	unknown := 0
	for _, l := range lexers.GlobalLexerRegistry.Lexers {
		name := l.Config().Name
		if !(code.Lexer{}.Knows(name)) {
			unknown++
			continue
		}
		for _, text := range texts {
			tokens, err := code.Lexer{}.Lex(name, "", text)
			if wrong := ordered(text, tokens); err != nil || wrong != "" {
				t.Errorf("%s in %q: %v, %s", name, text, err, wrong)
			}
		}
	}
	if unknown > 2 {
		t.Errorf("%d languages are not known", unknown)
	}
}

func FuzzLex(f *testing.F) {
	f.Add("x.java", "class A { int b = c.d(\"e\"); } // f")
	f.Add("x.py", "def f():\r\n  '''g''' + 1\xff")
	f.Add("x.html", "<a href='b'>c</a><script>d(e)</script>")
	f.Fuzz(func(t *testing.T, name, text string) {
		tokens, err := code.Lexer{}.Lex("", name, text)
		if wrong := ordered(text, tokens); err == nil && wrong != "" {
			t.Error(wrong)
		}
	})
}

const (
	program = "class A {\n  // adds\n  int add(int a, int b) {\n    int sum = a + b;\n    System.out.println(\"the sum\" + sum);\n    return sum;\n  }\n}\n"
	renamed = "/** B. */\nclass B\n{\n\n  int plus(int x, int y)\n  {\n    int total = x + y; System.out.println(\"the sum\" + total);\n    return total;\n  }\n}\n"
	another = "class C {\n  void go() {\n    while (true) {\n      queue.take().run();\n    }\n  }\n}\n"
)

func TestRenamedNamesAreFolded(t *testing.T) {
	ctx := context.Background()
	for _, fold := range []string{"", "names", "all"} {
		db, err := simdb.Open("", &simdb.Options{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		err = db.CreateCollection(ctx, "src", api.Settings{Unit: "code", Fold: fold})
		for id, text := range map[string]string{"a.java": program, "b.java": renamed, "c.java": another} {
			err = errors.Join(err, db.Put(ctx, api.Document{Collection: "src", ID: id, Text: text}))
		}
		if err != nil {
			t.Fatal(err)
		}
		found, err := db.Compare(ctx, api.ByID("a.java"), api.ByText(renamed).Named("x.java"), simdb.In("src"), simdb.Using(api.Jaccard))
		if err != nil || (found[0].Sim == 1) != (fold != "") {
			t.Errorf("fold %q: a program with other names has %v, %v", fold, found, err)
		}
		passages, err := db.Passages(ctx, api.ByID("a.java"), api.ByID("b.java"), simdb.In("src"))
		if want := fold != ""; err != nil || (len(passages) == 1) != want {
			t.Fatalf("fold %q: passages %+v, %v", fold, passages, err)
		}
		for _, p := range passages {
			if p.ALine != 1 || p.BLine != 2 || p.A != program[p.AStartByte:p.AEndByte] || p.B != renamed[p.BStartByte:p.BEndByte] || !strings.HasPrefix(p.B, "class B") || !strings.HasSuffix(p.A, "return sum") {
				t.Errorf("fold %q: %+v", fold, p)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The passages equal those of a comparison of all places, from left to right.
func TestPassagesEqualBruteForce(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 68))
	words := strings.Fields("x y z 1 if ; ( w.x \"s\" /*c*/ + =")
	drawn := func() string {
		var b strings.Builder
		for range rng.IntN(60) {
			b.WriteString(words[rng.IntN(len(words))] + []string{" ", "\n"}[rng.IntN(2)])
		}
		return b.String()
	}
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.CreateCollection(ctx, "src", api.Settings{Unit: "code", Fold: "names", Language: "go"}); err != nil {
		t.Fatal(err)
	}
	read := func(text string) (out []string, places []api.CodeToken) {
		places, err := code.Lexer{}.Lex("go", "", text)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range places {
			out = append(out, text[p.Start:p.End])
			if p.Kind == api.CodeName {
				out[len(out)-1] = "a name"
			}
		}
		return out, places
	}
	for i := range 300 {
		a, least := drawn(), 1+rng.IntN(6)
		b := drawn() + a[:rng.IntN(len(a)+1)] + drawn()
		x, inA := read(a)
		y, inB := read(b)
		got, err := db.Passages(ctx, api.ByText(a), api.ByText(b), simdb.In("src"), simdb.Using(api.Patricia, api.Args{Min: least}))
		if err != nil {
			t.Fatal(err)
		}
		for j := 0; j < len(y); {
			most := 0
			for at := range x {
				n := 0
				for n < min(len(y)-j, len(x)-at) && y[j+n] == x[at+n] {
					n++
				}
				most = max(most, n)
			}
			if most <= least {
				j++
				continue
			}
			if len(got) == 0 {
				t.Fatalf("%d: %q and %q: no passage at token %d", i, a, b, j)
			}
			p, start, end := got[0], inB[j].Start, inB[j+most-1].End
			from := slices.IndexFunc(inA, func(t api.CodeToken) bool { return t.Start == p.AStartByte })
			if p.BStartByte != start || p.BEndByte != end || p.BLine != 1+strings.Count(b[:start], "\n") || p.ALine != 1+strings.Count(a[:p.AStartByte], "\n") ||
				from < 0 || !slices.Equal(x[from:from+most], y[j:j+most]) || inA[from+most-1].End != p.AEndByte {
				t.Fatalf("%d: %q and %q: %+v, want bytes %d to %d", i, a, b, p, start, end)
			}
			got, j = got[1:], j+most
		}
		if len(got) > 0 {
			t.Fatalf("%d: %q and %q: more passages: %+v", i, a, b, got)
		}
	}
}

func TestTextWithoutALanguage(t *testing.T) {
	ctx := context.Background()
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = errors.Join(db.CreateCollection(ctx, "any", api.Settings{Unit: "code"}), db.CreateCollection(ctx, "java", api.Settings{Unit: "code", Language: "java"}),
		db.Put(ctx, api.Document{Collection: "java", ID: "no extension", Text: program}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Compare(ctx, api.ByText(program), api.ByText(renamed), simdb.In("any")); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("a text without a name: %v", err)
	}
	found, err := db.Compare(ctx, api.ByText("// c\n"+program), api.ByID("no extension"), simdb.In("java"), simdb.Using(api.Jaccard))
	if err != nil || found[0].Sim != 1 {
		t.Errorf("in a collection of one language: %v, %v", found, err)
	}
	for _, s := range []api.Settings{{Unit: "code", Language: "jawa"}, {Unit: "code", Fold: "some"}, {Fold: "names"}, {Unit: "code", Versions: true}} {
		if err := db.CreateCollection(ctx, "wrong", s); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
