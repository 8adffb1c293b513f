package main

// Scripts are drawn from a seed: stores of a few short texts that are often like each
// other, and statements that ask for just what is on the edge.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A drawer draws the steps of one script. It goes through them in a world of its own, so
// that statements name documents, marks and similarities that are there.
type drawer struct {
	*rand.Rand
	w        *World
	names    []string // of collections, in the order in which statements name them
	vocab    int
	unit     string
	language string   // of code
	texts    []string // that were stored, to be copied and changed
	marks    int
	prose    bool     // texts have sentences and paragraphs, for the measures of texts
	words    []string // that texts are of, where they are as people have them: drawscripts.go
	script   *Script
}

// drawScript draws a script with about so many statements.
func drawScript(seed uint64, statements int) *Script {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 31)), w: newWorld()}
	d.script = &Script{Seed: seed, SegmentSets: pick(d, []uint32{0, 2, 3, 5, 8, 16}), MemoryBytes: pick(d, []int64{0, 0, 1 << 20, 64 << 10, 16 << 10})} // joins leave memory, or are refused
	d.script.KeepLog = d.one(2)
	if d.one(30) {
		return d.frequent(2 * statements)
	}
	if d.one(15) {
		return d.crowded(statements)
	}
	if d.one(15) {
		return d.equal(statements)
	}
	d.vocab = pick(d, []int{2, 3, 4, 6, 10, 26})
	d.unit = pick(d, []string{"word", "word", "word", "char", "token", "code"})
	d.prose = d.unit != "token" && d.unit != "code" && d.IntN(3) == 0
	if d.unit != "code" && d.one(2) {
		d.foreign()
	}
	d.language = pick(d, []string{"java", "go", "python", "plain"})
	d.create()
	size := pick(d, []int{1, 3, 8, 8, 15, 15, 25, 40})
	if d.IntN(50) == 0 {
		size = 150
		d.script.SegmentSets = pick(d, []uint32{16, 100}) // of 100 sets some share as much as is posted in columns
		d.script.MemoryBytes = pick(d, []int64{16 << 10, 64 << 10, 256 << 10})
	}
	for n := 0; d.documents() < size && n < 10*size; n++ { // unique_sim may refuse nearly all
		d.write(d.IntN(10))
	}
	for range statements {
		d.churn()
		d.ask()
	}
	d.step(&Step{Op: "tail"})
	return d.script
}

func pick[T any](d *drawer, of []T) T { return of[d.IntN(len(of))] }

func (d *drawer) one(of int) bool { return d.IntN(of) == 0 }

func (d *drawer) documents() (n int) {
	for _, c := range d.w.Collections {
		n += len(c.Docs)
	}
	return n
}

// step adds a step, and goes through it.
func (d *drawer) step(s *Step) {
	if s.Statement != nil {
		s.Text = s.Statement.String()
		if s.Statement.writes() {
			d.w.does(s.Statement)
		}
	}
	switch s.Op {
	case "tokens":
		for _, doc := range s.Docs {
			d.w.put(s.Collection, doc)
		}
	case "mark":
		d.w.marks[s.Mark] = d.w.clock
	case "backup", "dump":
		clear(d.w.marks)
	}
	d.script.Steps = append(d.script.Steps, s)
}

func (d *drawer) state(s *Statement) { d.step(&Step{Op: "statement", Statement: s}) }

// create makes one to three collections. Most are of the same settings, so that they can
// be joined.
func (d *drawer) create() {
	first := d.settings()
	for _, n := range []string{"docs", "aa", "zz"}[:1+d.IntN(3)] {
		d.names = append(d.names, n)
		settings := maps.Clone(first)
		if d.one(2) {
			others := d.settings()
			for _, k := range slices.Sorted(keys(others)) {
				if k != "unit" && k != "k" && k != "fold" && k != "language" && k != "normalize" || d.one(8) && d.unit != "token" {
					settings[k] = others[k]
				}
			}
		}
		if n != "docs" || len(settings) > 0 || d.one(2) {
			d.state(&Statement{Kind: "create", Name: n, Settings: settings, Limit: -1})
			if d.one(3) {
				d.state(d.createGroups(n))
			}
		}
	}
	d.Shuffle(len(d.names), func(i, j int) { d.names[i], d.names[j] = d.names[j], d.names[i] })
}

func (d *drawer) settings() map[string]string {
	s := map[string]string{}
	if d.unit != "word" {
		s["unit"] = literal(d.unit)
	}
	if d.unit == "code" {
		s["language"] = literal(d.language)
		if fold := pick(d, []string{"", "names", "names", "all"}); fold != "" {
			s["fold"] = literal(fold)
		}
	}
	if d.one(2) || d.unit == "char" {
		s["k"] = strconv.Itoa(1 + d.IntN(4))
	}
	if normalize := d.normalize(); d.words != nil && normalize != "" && d.one(2) {
		s["normalize"] = literal(normalize)
	}
	for _, drawn := range []struct {
		name   string
		values []string
	}{{"intervals", []string{"'paper'", "'1-2, 3-4'"}}, {"index", []string{"'year'", "'year, tags'", "'lang'"}}} {
		if d.one(3) {
			s[drawn.name] = pick(d, drawn.values)
		}
	}
	if d.one(3) {
		s["ledger"] = "ON"
	}
	if d.one(12) && d.unit != "token" {
		s["unique_sim"] = pick(d, []string{"0.9", "0.9", "0.5", "1/3", "0.05"})
	}
	if d.prose {
		for _, name := range []string{"versions", "entities", "words", "patricia"} {
			if d.one(2) {
				s[name] = "ON"
			}
		}
		if d.one(2) {
			s["si"] = pick(d, []string{"'m3a k4'", "'m41b k1'", "'m1c k3, m41b k1'"})
		}
	}
	return s
}

// token is one of a few, the first more often than the last.
func (d *drawer) token() string {
	n := min(d.IntN(d.vocab), d.IntN(d.vocab)+d.IntN(2))
	if d.words != nil {
		word := d.words[n%len(d.words)]
		if d.prose && d.one(6) {
			word += pick(d, []string{".", "。", "!¶", "؟", "।"})
		}
		return word
	}
	if d.prose {
		return proseWords[n%len(proseWords)]
	}
	if d.unit == "code" {
		return codeWords[n%len(codeWords)]
	}
	return string(rune('a' + n))
}

var proseWords = strings.Fields("the ship left Oak Hill harbour at dawn and sailed north along Carol Bay coast until wind turned Paris Trophy she lay still for three days")

// tokens draws a new text, or changes one that was stored.
func (d *drawer) tokens() (out []string) {
	if len(d.texts) > 0 && !d.one(3) {
		out = strings.Fields(pick(d, d.texts))
		for n := pick(d, []int{0, 0, 1, 1, 2, 5}); n > 0; n-- {
			switch i := d.IntN(len(out) + 1); d.IntN(4) {
			case 0:
				out = slices.Insert(out, i, d.token())
			case 1:
				out = slices.Delete(out, min(i, len(out)), min(i+1, len(out)))
			case 2:
				out = out[:i]
			default:
				out = append(out, d.token(), d.token())
				if d.prose {
					out = append(out, strings.Fields(pick(d, proseSentences))...)
				}
			}
		}
		return out
	}
	if d.prose && d.one(4) {
		return d.filled()
	}
	if d.prose && d.one(4) {
		return d.lines()
	}
	if d.prose && !d.one(4) {
		sentences := proseSentences
		if d.words != nil {
			sentences = foreignSentences
		}
		for range 1 + d.IntN(7) {
			out = append(out, strings.Fields(pick(d, sentences))...)
		}
		return out
	}
	lengths := []int{0, 1, 2, 3, 5, 8, 8, 13, 13, 21, 34}
	if d.words != nil {
		lengths = []int{0, 0, 1, 1, 2, 2, 3, 4, 8, 13}
	}
	for range pick(d, lengths) {
		out = append(out, d.token())
	}
	return out
}

// filled draws a form with entries: numbers, names and identifiers.
func (d *drawer) filled() (out []string) {
	form := "Invoice No. # for # units of tolls and dues at @ harbour by @ in all # kr. x.$( # ) = $ [ # ] ; the keeper pays $ = # till @ comes at noon."
	for word := range strings.FieldsSeq(form) {
		word = strings.ReplaceAll(word, "#", strconv.Itoa(10+d.IntN(90)))
		word = strings.ReplaceAll(word, "$", pick(d, []string{"size", "sum", "größe", "n_1", "cost"}))
		out = append(out, strings.ReplaceAll(word, "@", pick(d, []string{"Oak", "Paris", "ǅon", "Éva", "Carol"})))
	}
	return out
}

// proseSentences are those of texts for the measures of texts. They name things, and ¶ is
// the end of a paragraph.
var proseSentences = []string{
	"The ship left Oak Hill harbour at dawn.", "The ship left Oak Hill harbour at noon.¶", "She sailed north along Carol Bay until the wind turned.",
	"She sailed north along Carol Bay until the night fell.¶", "In Paris the Golf Trophy was won by Peter Long on 12 March 2010.¶",
	"In Paris the Golf Trophy was lost by Peter Long on 13 March 2010.¶", "Nobody came.", "It rained for three days and three nights.¶",
	"Peter Long said that the New York Times and the mayor of Carol Bay were both wrong about the ship and its long way home.",
	"We met Anna Berg at Oak Hill.¶", "We met Anna Berg at Oak Hall.¶", "small letters begin this one and it has no names at all",
}

// foreignSentences are others, of several scripts.
var foreignSentences = []string{
	"我们的船在黎明时离开了港口,沿着海岸向北航行,直到风向改变为止。", "他们的船在黎明时离开了港口,沿着海岸向北航行,直到风向改变为止。¶", "船は夜明けに港を出て、風が変わるまで北へ進んだ。",
	"เรือออกจากท่าเรือตอนรุ่งสางแล้วแล่นขึ้นเหนือ", "ເຮືອອອກຈາກທ່າເຮືອໃນຕອນເຊົ້າ¶", "កប៉ាល់បានចាកចេញពីកំពង់ផែនៅពេលព្រឹក", "L’équipage s’est réveillé à l’aube, d’un seul coup.",
	"L'équipage s'est réveillé à l'aube, d'un seul coup.¶", "Die Größe der Straße maß 5,00 €, „groß“ war sie nicht.", "Die Grösse der Strasse mass 5,00 €, \"gross\" war sie nicht.¶",
	"غادرت السفينة الميناء عند الفجر.", "غادرت السفيـنة المينـاء عند الفجر¶", "जहाज़ सुबह बंदरगाह से निकला।", "Корабль вышел из гавани на рассвете.", "The ship left Oak Hill harbour at dawn.", "C++ costs $5.00, C# -5%.¶",
	"3 14 15 92 65 35 89 79 32 38 46 26 43 38 32 79.", "3 14 15 92 65 35 89 79 32 38 46 26 43 38 32 80.", "ACGTTGCA ACGTACGT TTGACCA GATTACA.", "😂😂😂 👍🏽!",
}

func (d *drawer) text() string {
	text := strings.Join(d.tokens(), " ")
	d.texts = append(d.texts, text)
	text = strings.NewReplacer("¶ ", "\n\n", "¶", "", "␤ ", "\n", "␤", "\n").Replace(text)
	if d.words != nil {
		text = d.vary(text)
	}
	return text
}

func (d *drawer) document(id string) Document {
	doc := Document{ID: id, Meta: fields{}}
	if d.unit == "token" {
		doc.Tokens = append(d.tokens(), d.token())
		d.texts = append(d.texts, strings.Join(doc.Tokens, " "))
	} else {
		doc.Text = d.text()
	}
	if d.one(2) {
		doc.Meta["year"] = integer(2000 + d.IntN(5))
		if d.one(6) {
			doc.Meta["year"] = strconv.Itoa(2000 + d.IntN(5))
		}
	}
	if d.one(3) {
		doc.Meta["lang"] = pick(d, []string{"en", "de", "eng", ""})
	}
	if d.one(3) {
		doc.Meta["tags"] = pick(d, []value{[]value{"x"}, []value{"x", "y"}, "x", []value{"y", "z", "x"}})
	}
	if d.one(4) {
		doc.Meta["draft"] = d.one(2)
	}
	return doc
}

// id is a new one, or one that may be there.
func (d *drawer) id() string { return fmt.Sprintf("d%02d", d.IntN(max(40, 2*d.documents()))) }

// some returns a stored document; nil if there is none.
func (d *drawer) some() (*Collection, *Document) {
	name := pick(d, d.names)
	c := d.w.collection(name)
	if c == nil || len(c.Docs) == 0 {
		return nil, nil
	}
	return c, pick(d, c.sorted())
}

// write puts a few documents.
func (d *drawer) write(n int) {
	name := pick(d, d.names)
	c := d.w.collection(name)
	if c == nil {
		return
	}
	var docs []Document
	for range 1 + n {
		docs = append(docs, d.document(d.id()))
	}
	switch {
	case d.unit == "token" || !stated(docs) && c.Settings["unique_sim"] == "":
		d.step(&Step{Op: "tokens", Collection: name, Docs: docs})
	default:
		for i := range docs {
			docs[i].Text = visible(docs[i].Text)
		}
		s := &Statement{Kind: "insert", Name: name, Rows: docs, Limit: -1}
		if d.one(6) {
			s.Unless = true
			s.Method = pick(d, []*Method{nil, {Name: "jaccard"}, {Name: "multiset"}, {Name: "containment", Args: []Arg{{"of", "'query'"}}}, {Name: "simhash"}})
			if d.one(2) || s.Method != nil {
				s.Where = &Pred{Op: ">=", Field: "sim", Values: constants{pick(d, []value{number(1, 10), number(1, 2), number(9, 10), number(1, 1)})}}
			}
		}
		d.state(s)
	}
}

// several names so many of the collections that are there, or fewer.
func (d *drawer) several(most int) (out []string) {
	for _, n := range d.names {
		if d.w.collection(n) != nil && len(out) < most {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return []string{"docs"}
	}
	d.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:1+d.IntN(len(out))]
}

func (d *drawer) views(in []string) (out []*Collection) {
	if len(in) == 0 {
		in = []string{"docs"}
	}
	for _, n := range in {
		if c := d.w.collection(n); c != nil {
			out = append(out, c)
		}
	}
	return out
}
