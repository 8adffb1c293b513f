package disk_test

// The golden stores of the next release, made: together they have every unit, every setting,
// every kind of operation, and every state in which a store can be found.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/code"
	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/wal"
)

// goldenStores make a store each in the directory.
var goldenStores = map[string]func(g *maker){
	"empty":    func(g *maker) { g.open(nil) },
	"units":    makeUnits,
	"options":  makeOptions,
	"measures": makeMeasures,
	"books":    makeDictionaries,
	"unclosed": makeUnclosed,
	"history":  makeHistory,
	"backup":   makeBackup,
}

// remakeGolden makes all stores of the next release. The scripts stay, and get new answers.
func remakeGolden(t *testing.T) {
	for name, fill := range goldenStores {
		g := &maker{T: t, dir: filepath.Join(t.TempDir(), name)}
		fill(g)
		g.closed()
		if g.packed == "" {
			g.packed = g.dir
		}
		pack(t, g.packed, filepath.Join(goldenNext, name+".tar.gz"))
	}
	for name, damage := range goldenDamages {
		dir := filepath.Join(t.TempDir(), name)
		damage(&maker{T: t, dir: dir})
		pack(t, dir, filepath.Join(goldenNext, name+".tar.gz"))
	}
}

// maker makes a store. What fails ends the test.
type maker struct {
	*testing.T
	dir    string
	db     *simdb.DB
	later  bool   // dictionaries come with some hundred texts, as they do by default
	packed string // what is packed if it is not dir
}

func (g *maker) must(err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

// open opens the store. Unless it is to learn phrases later, segments get few sets, so that
// small stores have some.
func (g *maker) open(o *simdb.Options) {
	g.Helper()
	if o == nil {
		o = &simdb.Options{}
	}
	if !g.later {
		o.SegmentSets = 8
	}
	var err error
	g.db, err = simdb.Open(g.dir, o)
	g.must(err)
}

func (g *maker) closed() {
	if g.db != nil {
		g.must(g.db.Close())
		g.db = nil
	}
}

func (g *maker) exec(statement string, args ...any) {
	g.Helper()
	rows, err := g.db.Query(context.Background(), statement, args...)
	g.must(err)
	for _, err := range rows.All() {
		g.must(err)
	}
	g.must(rows.Close())
}

func (g *maker) put(docs ...api.Document) {
	g.Helper()
	g.must(g.db.Put(context.Background(), docs...))
}

func (g *maker) compact() { g.must(g.db.Compact(context.Background())) }

// fill puts generated texts number from to to into a collection, all in one batch.
func (g *maker) fill(collection string, from, to int) {
	g.Helper()
	var docs []api.Document
	for i := from; i < to; i++ {
		docs = append(docs, goldenText(collection, i))
	}
	g.put(docs...)
}

// goldenText is a generated text of some 30 words, with metadata. Of ten texts four are
// like one of the others.
func goldenText(collection string, i int) api.Document {
	d := corpus.At(16, i)
	words := strings.Fields(d.Text)
	return api.Document{
		Collection: collection, ID: d.ID, Text: strings.Join(words[:min(30, len(words))], " "),
		Meta: api.Meta{"year": 2000 + i%25, "tags": []any{"even", "odd"}[i%2 : i%2+1], "author": map[string]any{"name": string(rune('a' + i%5))}},
	}
}

// odd texts: what a reader of the format has to get right.
func oddTexts(collection string) []api.Document {
	docs := []api.Document{
		{ID: "empty", Text: ""},
		{ID: "no words", Text: "… — !"},
		{ID: "one", Text: "word"},
		{ID: "not UTF-8", Text: "caf\xe9 au lait \xff\xfe with milk and sugar"},
		{ID: "id \xff not UTF-8", Text: "the id of this text is not UTF-8"},
		{ID: "dotted", Text: "İstanbul and ΣΊΣΥΦΟΣ, <b>é</b> and e\u0301 & co\u2028"},
		{ID: "twice", Text: "these words make one set of two texts"},
		{ID: "twice, again", Text: "These words make: one set of two texts!"},
		{ID: "long", Text: strings.Repeat("long texts repeat what they have said before, again and again. ", 300)},
		{ID: "metadata", Text: "some words with much metadata", Meta: api.Meta{
			"a<b>&c": "\u2028 <é>", "null": nil, "number": 1.5e300, "big": 9007199254740993, "list": []any{1, "two", true, nil, []any{}},
			"deep": map[string]any{"er": map[string]any{"": ""}}, "when": "2026-01-31T12:00:00Z",
		}},
	}
	for i := range docs {
		docs[i].Collection = collection
	}
	return docs
}

func makeUnits(g *maker) {
	g.open(nil)
	g.exec("CREATE COLLECTION chars WITH (unit = 'char', k = 4)")
	g.exec("CREATE COLLECTION own WITH (unit = 'token', k = 2)")
	g.exec("CREATE COLLECTION folded WITH (normalize = 'diacritics, arabic, persian, hyphenation', patricia = on)")
	g.put(
		api.Document{Collection: "folded", ID: "plain", Text: "The cafe on the corner of the market was closed, and the whole company went home."},
		api.Document{Collection: "folded", ID: "marked", Text: "The café on the corner of the mar-\nket was closed, and the whole com\u00ad\npany went home."})
	for _, c := range []string{"docs", "chars"} {
		g.put(oddTexts(c)...)
		g.fill(c, 0, 30)
	}
	g.put(
		api.Document{Collection: "own", ID: "none", Text: "a text without tokens", Tokens: []string{}},
		api.Document{Collection: "own", ID: "some", Text: "some", Tokens: []string{"a", "b", "c", "", "\xff"}},
		api.Document{Collection: "own", ID: "like", Text: "", Tokens: []string{"a", "b", "c", "", "d"}},
		api.Document{Collection: "own", ID: "long", Text: "x", Tokens: strings.Fields(strings.Repeat("one two three ", 500))})
	g.must(g.db.CreateCollection(context.Background(), "code", api.Settings{Unit: "code", Fold: "names", Language: "java"}))
	api.RegisterLexer(code.Lexer{})
	g.put(api.Document{Collection: "code", ID: "a", Text: "IF a  b IF"}, api.Document{Collection: "code", ID: "b", Text: "IF x  y IF"}, api.Document{Collection: "code", ID: "none", Text: " "})
	g.note("a note", []byte("of a caller\x00\xff"))
	g.note("an empty note", []byte{})
	g.note("a note that goes", []byte("soon"))
	g.note("a note that goes", nil)
	g.exec("CREATE COLLECTION dropped")
	g.fill("dropped", 0, 5)
	g.exec("DROP COLLECTION dropped")
	g.exec("CREATE COLLECTION \"with nothing in it\" WITH (k = 1)")
	g.must(g.db.Delete(context.Background(), "docs", "doc-0000003", "twice"))
	g.put(api.Document{ID: "one", Text: "this document was replaced by a longer text"})
	g.exec("UPDATE docs SET year = NULL, seen = TRUE WHERE id GLOB 'doc-000001*'")
}

func makeOptions(g *maker) {
	g.open(nil)
	g.exec("CREATE COLLECTION unique WITH (intervals = 'paper', unique_sim = 0.9)")
	g.exec("CREATE COLLECTION counted WITH (intervals = '1-10,11-20', index = 'year, tags, author.name')")
	g.exec("CREATE COLLECTION twos WITH (k = 2)")
	g.exec("CREATE COLLECTION told WITH (ledger = on)")
	g.exec("CREATE GROUPS stars ON counted USING simhash WHERE dist <= 24 STARS KEEP LONGEST")
	for i := range 20 {
		_, _, err := g.db.PutUnlessSimilar(context.Background(), goldenText("told", i), simdb.MinSim(0.5))
		g.must(err)
	}
	collections := []string{"unique", "counted", "twos"}
	for _, c := range collections[1:] {
		g.fill(c, 0, 40)
	}
	for i := range 40 {
		_, _, err := g.db.PutUnlessSimilar(context.Background(), goldenText("unique", i))
		g.must(err)
	}
	g.compact()
	for _, c := range collections {
		g.must(g.db.Delete(context.Background(), c, "doc-0000004"))
		g.put(api.Document{Collection: c, ID: "doc-0000005", Text: "replaced in the tail of " + c, Meta: api.Meta{"year": "1999"}})
	}
}

func makeMeasures(g *maker) {
	g.open(nil)
	g.exec("CREATE COLLECTION kept WITH (si = 'm43b k40, m3a k4', versions = on, entities = on, words = on, patricia = on, index = 'year')")
	people := []string{"Ada Lovelace met Charles Babbage in London.", "Charles Babbage wrote to Ada Lovelace. She lived in London.", "Mary Somerville of Jedburgh taught her mathematics."}
	for i, text := range people {
		g.put(api.Document{Collection: "kept", ID: fmt.Sprint("people ", i), Text: strings.Repeat(text+"\n\n", 3)})
	}
	g.must(g.db.CreateCollection(context.Background(), "listed", api.Settings{Entities: true, Gazetteer: "# towns\nJedburgh\n", Synonyms: "taught, wrote to"}))
	g.put(
		api.Document{Collection: "listed", ID: "taught", Text: "she taught in jedburgh"},
		api.Document{Collection: "listed", ID: "wrote", Text: "from jedburgh he wrote to her"})
	g.fill("kept", 0, 40)
	g.compact()
	g.fill("kept", 40, 50)
	g.must(g.db.Delete(context.Background(), "kept", "doc-0000001"))
}

func makeDictionaries(g *maker) {
	g.open(nil)
	g.fill("docs", 0, 120) // enough to choose phrases from
	g.awaitDictionary()
	g.fill("docs", 120, 180)
	g.put(oddTexts("docs")...)
	g.compact()
	g.fill("docs", 180, 200)
	for i := 0; i < 40; i += 7 {
		g.must(g.db.Delete(context.Background(), "docs", goldenText("", i).ID))
	}
}

// awaitDictionary waits until the log has a dictionary of phrases, which is made behind the writer. It
// is in the file with the next record that is waited for.
func (g *maker) awaitDictionary() {
	const dictionary = 6
	time.Sleep(500 * time.Millisecond)
	g.note("before the dictionary, or behind it", []byte{1})
	if !slices.Contains(g.logged(), dictionary) {
		g.Fatal("no dictionary was made; is the machine so busy?")
	}
}

func (g *maker) note(name string, value []byte) {
	var b simdb.Batch
	b.Note(name, value)
	_, err := g.db.Commit(context.Background(), &b)
	g.must(err)
}

// logged is the kind of the first operation of each record in the log.
func (g *maker) logged() (kinds []byte) {
	files, err := wal.Files(vfs.Default, filepath.Join(g.dir, "log"))
	g.must(err)
	for _, f := range files {
		r, err := wal.OpenFile(vfs.Default, f)
		g.must(err)
		for {
			_, payload, err := r.Next()
			if err != nil { // the end
				break
			}
			kinds = append(kinds, payload[0])
		}
		g.must(r.Close())
	}
	return kinds
}

// makeUnclosed leaves operations of every kind in the log, some on what is in tables.
func makeUnclosed(g *maker) {
	g.later = true
	g.open(nil)
	g.put(oddTexts("docs")...)
	g.fill("docs", 0, 20)
	g.closed()
	g.open(nil)
	g.fill("docs", 20, 120)
	g.awaitDictionary()
	g.exec("CREATE GROUPS tied ON docs WHERE sim >= 0.4")
	g.exec("CREATE GROUPS gone ON docs WHERE sim >= 0.9 STARS")
	g.fill("docs", 120, 140)
	g.exec("DROP GROUPS gone")
	g.exec("CREATE COLLECTION own WITH (unit = 'token', k = 1)")
	g.put(api.Document{Collection: "own", ID: "some", Text: "some", Tokens: []string{"a", "b", "c"}})
	g.exec("CREATE COLLECTION dropped")
	g.fill("dropped", 0, 3)
	g.exec("DROP COLLECTION dropped")
	g.must(g.db.Delete(context.Background(), "docs", "doc-0000002", "twice, again", "doc-0000030"))
	g.put(api.Document{ID: "one", Text: "replaced, and replaced again"}, api.Document{ID: "doc-0000031", Text: "replaced in the log"})
	g.exec("UPDATE docs SET year = NULL, seen = TRUE, \"a<b>&c\" = 'é' WHERE id IN ('metadata', 'doc-0000032', 'doc-0000005', 'empty')")
	g.exec("UPDATE docs SET year = NULL, tags = NULL, author = NULL WHERE id = 'doc-0000033'")
	g.note("a note", []byte("in the log"))
	g.exec("DELETE FROM docs WHERE id = 'doc-0000034' ERASE")
	g.exec("CREATE COLLECTION told WITH (ledger = on, unique_sim = 1)")
	g.exec("INSERT INTO told (id, text) VALUES (1, 'these words are there'), (2, 'These words: are there') UNLESS SIMILAR")
	g.copyOpen()
}

// copyOpen packs the files as they are while the store is open.
func (g *maker) copyOpen() {
	g.packed = g.dir + "-copy"
	g.must(os.CopyFS(g.packed, os.DirFS(g.dir)))
}

func makeHistory(g *maker) { fillHistory(g, true) }

// fillHistory writes in several sessions, each of which leaves a segment, with a dictionary or not.
func fillHistory(g *maker, long bool) {
	g.later = true
	keep := &simdb.Options{KeepLog: &api.KeepLog{Bytes: 1 << 20}}
	g.open(keep)
	g.fill("docs", 0, 5)
	g.exec("CREATE COLLECTION own WITH (unit = 'token')")
	g.closed()
	g.open(keep)
	g.put(api.Document{Collection: "own", ID: "some", Text: "some", Tokens: []string{"a", "b", "c"}})
	g.exec("UPDATE docs SET year = NULL, seen = TRUE WHERE year > 2002")
	g.must(g.db.Delete(context.Background(), "docs", "doc-0000001"))
	g.closed()
	g.open(keep)
	if long {
		g.fill("docs", 5, 120)
		g.awaitDictionary()
		g.closed()
		g.open(keep)
	}
	g.fill("docs", 120, 130)
	g.exec("DROP COLLECTION own")
	g.copyOpen()
}

// makeBackup packs a backup that was extended.
func makeBackup(g *maker) {
	ctx := context.Background()
	g.open(&simdb.Options{KeepLog: &api.KeepLog{Bytes: 1 << 20}})
	g.fill("docs", 0, 3)
	g.packed = g.dir + "-backup"
	g.must(g.db.Checkpoint(ctx, g.packed))
	g.fill("docs", 3, 5)
	g.must(g.db.Delete(ctx, "docs", "doc-0000000"))
	_, err := simdb.ExtendBackup(ctx, g.dir, g.packed)
	g.must(err)
}
