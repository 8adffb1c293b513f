package entity_test

// Entities by example and on real texts.

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/sketch"
)

func TestBuiltIn(t *testing.T) {
	for paragraph, want := range map[string][]string{
		"":                               nil,
		"Nothing here to name.":          nil,
		"Once there was a dog. He slept": nil,
		"We met Ann in New York.":        {"ann", "new york"},
		"Anna met Ben. Anna left with Anna's dog, as Anna does": {"anna", "ben", "anna", "anna", "anna"},
		"The University of Leeds, in the North of it":           {"university of leeds", "north"},
		"Jason Dufner won. PGA officials said so.":              {"jason dufner", "pga"},
		"A score of 270, 5 less than the 36-year-old had":       {"270", "36"},
		"It was on 12 March 2010 or May 1, 2011.":               {"12 march 2010", "may 1 2011"},
		"In May 10 of us march 2 miles":                         {"may 10"},
		"A walk is a walk; walking, though, is not":             {"walk", "walk"},
		"the blue whale sings, a blue whale dives":              {"blue whale", "blue whale"},
		"我们来了你好a²b³我来²":                                         nil, // words without spaces between
		"O'Brien and McGregor's dog, an Élan and ÉLAN":          {"o'brien", "mcgregor", "élan", "élan"},
	} {
		if got := (entity.BuiltIn{}).Entities(paragraph); !slices.Equal(got, want) {
			t.Errorf("Entities(%q) = %q, want %q", paragraph, got, want)
		}
	}
}

// A paragraph may have more terms than the initial size of the table.
func TestLongParagraph(t *testing.T) {
	var b strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&b, "%05d ", i%20_000)
	}
	found := entity.BuiltIn{}.Entities(b.String())
	slices.Sort(found)
	if n := len(slices.Compact(found)); len(found) != 40_000 || n != 20_000 {
		t.Errorf("%d entities, %d distinct, want 40000 and 20000", len(found), n)
	}
}

func builtIn(t testing.TB, gazetteer, synonyms string) entity.BuiltIn {
	t.Helper()
	g, err := entity.ReadGazetteer(strings.NewReader(gazetteer))
	if err != nil {
		t.Fatal(err)
	}
	s, err := entity.ReadSynonyms(strings.NewReader(synonyms))
	if err != nil {
		t.Fatal(err)
	}
	return entity.BuiltIn{Gazetteer: g, Synonyms: s}
}

func TestGazetteerAndSynonyms(t *testing.T) {
	b := builtIn(t, "\ufeff# sports\n\n  GOLF \r\ngolf title\nOak Hill", "golf title, Golf  Trophy\n#\nwon,took,got\nwon,claimed\n")
	for paragraph, want := range map[string][]string{
		"they play golf":               {"golf"},
		"his golf title":               {"golf title", "golf trophy"},
		"he took it":                   {"took", "got", "won"},
		"she won the Golf-trophy":      {"won", "claimed", "got", "took", "golf trophy", "golf title"},
		"at oak hill, not oak or hill": {"oak hill"},
	} {
		if got := b.Entities(paragraph); !slices.Equal(got[:min(len(got), len(want))], want) {
			t.Errorf("Entities(%q) = %q, want %q", paragraph, got, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	gazetteer := func(r io.Reader) error { _, err := entity.ReadGazetteer(r); return err }
	synonyms := func(r io.Reader) error { _, err := entity.ReadSynonyms(r); return err }
	for _, c := range []struct {
		read func(io.Reader) error
		file string
		want string // "" for none
	}{
		{gazetteer, "", ""},
		{gazetteer, "# none", ""},
		{gazetteer, "Oak\n\n--\n", `gazetteer: line 3: "--" has no word`},
		{gazetteer, "Oak\n" + strings.Repeat("x", 1<<17), "gazetteer: line 2: bufio.Scanner: token too long"},
		{synonyms, "a,b", ""},
		{synonyms, "a,b\nc", `synonyms: line 2: "c": want at least two terms with a comma between`},
		{synonyms, "c, C", `synonyms: line 1: "c, C": want at least two terms with a comma between`},
		{synonyms, "a,,b", `synonyms: line 1: term "" has no word`},
	} {
		err := c.read(strings.NewReader(c.file))
		if got := fmt.Sprint(err); c.want != "" && got != c.want || c.want == "" && err != nil {
			t.Errorf("reading %.20q: %v, want %q", c.file, err, c.want)
		}
	}
	broken := errors.New("broken")
	for _, read := range []func(io.Reader) error{gazetteer, synonyms} {
		if err := read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
			t.Errorf("reading what breaks: %v, want %v", err, broken)
		}
	}
}

// fields treats every word as an entity.
type fields struct{}

func (fields) Entities(paragraph string) []string { return strings.Fields(paragraph) }

// none finds no entity.
type none struct{}

func (none) Entities(string) []string { return nil }

func TestFingerprints(t *testing.T) {
	of := func(tf bool, paragraphs ...string) (prints []uint32) {
		for _, p := range paragraphs {
			prints = append(prints, sketch.Phrases(strings.Fields(p), tf))
		}
		slices.Sort(prints)
		return slices.Compact(prints)
	}
	for _, c := range []struct {
		e         entity.Extractor
		doc       string
		plain, tf []uint32
	}{
		{fields{}, "golf golf PGA\n\ntiger\n\nPGA golf\n", of(false, "golf PGA", "tiger"), of(true, "golf golf PGA", "golf PGA", "tiger")},
		{fields{}, "a b\n\nb a", of(false, "a b"), of(true, "a b", "b a")},
		{fields{}, "a b c a b c", of(false, "a b c"), of(true, "a b c a b c")},
		{fields{}, "", nil, nil},
		{none{}, "golf\n\ntiger", nil, nil},
	} {
		for tf, want := range map[bool][]uint32{false: c.plain, true: c.tf} {
			if got := entity.Fingerprints(c.e, c.doc, tf); !slices.Equal(got, want) {
				t.Errorf("Fingerprints by %T of %q, tf %v = %x, want %x", c.e, c.doc, tf, got, want)
			}
		}
		if plain, tf := entity.Both(c.e, c.doc); !slices.Equal(plain, c.plain) || !slices.Equal(tf, c.tf) {
			t.Errorf("Both by %T of %q = %x, %x, want %x, %x", c.e, c.doc, plain, tf, c.plain, c.tf)
		}
	}
}

// Both equals two calls of Fingerprints.
func TestBothOfRealTexts(t *testing.T) {
	for _, doc := range realtext.Lines(t, "linuxdoc.jsonl.gz", 97) {
		plain, tf := entity.Both(entity.BuiltIn{}, doc)
		if want := entity.Fingerprints(entity.BuiltIn{}, doc, false); !slices.Equal(plain, want) {
			t.Fatalf("%.60q: Both without tf = %x, want %x", doc, plain, want)
		}
		if want := entity.Fingerprints(entity.BuiltIn{}, doc, true); !slices.Equal(tf, want) {
			t.Fatalf("%.60q: Both with tf = %x, want %x", doc, tf, want)
		}
	}
}

func ExampleFingerprints() {
	doc := "Ada Lovelace wrote to Charles Babbage.\n\nIt rained.\n\nCharles Babbage answered Ada Lovelace."
	fmt.Println(len(entity.Fingerprints(entity.BuiltIn{}, doc, false))) // two of the paragraphs name the same entities
	// Output: 1
}

func ExampleBuiltIn_Entities() {
	for _, e := range (entity.BuiltIn{}).Entities("The Royal Society met on 5 June 1833, and Babbage spoke.") {
		fmt.Println(e)
	}
	// Output:
	// royal society
	// 5 june 1833
	// babbage
}

func BenchmarkBoth(b *testing.B) {
	docs := realtext.Lines(b, "linuxdoc.jsonl.gz", 50)
	size := 0
	for _, d := range docs {
		size += len(d)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, d := range docs {
			entity.Both(entity.BuiltIn{}, d)
		}
	}
}

// Any bytes have deterministic entities, none of them empty.
func FuzzEntities(f *testing.F) {
	b := builtIn(f, "golf\noak hill", "won,took\ngolf title,golf trophy")
	f.Add("Jason Dufner won his golf title on 12 March 2010 at Oak Hill.")
	f.Add("\xff\xfeA\u0301 's İ ſ 12")
	f.Fuzz(func(t *testing.T, paragraph string) {
		got := b.Entities(paragraph)
		if slices.Contains(got, "") {
			t.Errorf("Entities(%q) = %q, with an empty one", paragraph, got)
		}
		if again := b.Entities(paragraph); !slices.Equal(got, again) {
			t.Errorf("Entities(%q) = %q, then %q", paragraph, got, again)
		}
	})
}

// An invalid file is an error with the number of the line.
func FuzzReadSynonyms(f *testing.F) {
	f.Add("a,b\n#c\nd,e,f")
	f.Fuzz(func(t *testing.T, file string) {
		_, err := entity.ReadSynonyms(strings.NewReader(file))
		if err != nil && !strings.HasPrefix(err.Error(), "synonyms: line ") {
			t.Errorf("ReadSynonyms(%q): %v", file, err)
		}
		if _, err := entity.ReadGazetteer(strings.NewReader(file)); err != nil && !strings.HasPrefix(err.Error(), "gazetteer: line ") {
			t.Errorf("ReadGazetteer(%q): %v", file, err)
		}
	})
}
