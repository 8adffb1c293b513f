package api_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

var ctx = context.Background()

// open makes a database with three documents in memory.
func open() (*simdb.DB, func()) {
	db, err := simdb.Open("example", &simdb.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	err = db.Put(ctx,
		api.Document{ID: "fox", Text: "the quick brown fox jumps over the lazy dog"},
		api.Document{ID: "cat", Text: "the quick brown cat jumps over the lazy dog"},
		api.Document{ID: "owl", Text: "an owl has seen nothing of all this"},
	)
	if err != nil {
		log.Fatal(err)
	}
	return db, func() {
		if err := db.Close(); err != nil {
			log.Fatal(err)
		}
	}
}

// The arguments that the reading of paper 004 stands for.
func ExamplePaperVersions() {
	fmt.Println(api.PaperVersions())
	// Output: case='keep', stop='drop', agree='fingerprint', resemblance='off', of='query'
}

func ExampleParseFingerprint() {
	f, err := simdb.FingerprintOf("the quick brown fox jumps over the lazy dog", api.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	same, err := api.ParseFingerprint(f.String())
	fmt.Println(same == f, err, f.Distance(same), f.IsSimilar(^f, api.Ratio(1, 64)))
	// Output: true <nil> 0 false
}

func ExampleByFingerprint() {
	db, done := open()
	defer done()

	f, err := simdb.FingerprintOf("the quick brown fox jumps over the lazy dog", api.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	for m, err := range db.Similar(ctx, api.ByFingerprint(f), simdb.Using(api.SimHash)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Sim)
	}
	// Output:
	// fox 1
}

func ExampleFingerprint_Similarity() {
	a, err := api.ParseFingerprint("0000000000000000000000000000000000000000000000000000000101001111")
	if err != nil {
		log.Fatal(err)
	}
	b := a ^ 0b111 // three bits differ
	fmt.Println(a.Similarity(b), a.IsSimilar(b, api.Ratio(61, 64)), a.IsSimilar(b, api.Ratio(62, 64)))
	// Output: 0.953125 true false
}

// Which of several texts was one written from? Resemblance prefers a short note,
// containment does not see that the book has much else. Tversky with α = 1 and β = ½ finds
// the chapter: what only the document has counts half.
func ExampleWeights() {
	db, done := open()
	defer done()

	if err := db.CreateCollection(ctx, "tales", api.Settings{}); err != nil {
		log.Fatal(err)
	}
	const tale = "the ship left the harbour at dawn and sailed north along the coast"
	chapter := "In the spring of that year " + tale + " until the wind turned and she lay still"
	for id, text := range map[string]string{"note": "the ship left the harbour at dawn", "chapter": chapter,
		"book": "Many years ago my uncle built a ship and gave her the name of his youngest daughter. " + chapter +
			". So we waited for three days and saw nothing but gulls and the grey line of the land."} {
		if err := db.Put(ctx, api.Document{Collection: "tales", ID: id, Text: text}); err != nil {
			log.Fatal(err)
		}
	}
	for _, by := range []simdb.SearchOption{simdb.Using(api.Jaccard), simdb.Using(api.ContainmentOfQuery),
		simdb.Using(api.Tversky, api.Weights(1, 0.5))} {
		for m, err := range db.Similar(ctx, api.ByText(tale), by, simdb.In("tales"), simdb.Nearest(1)) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s %.2f\n", m.ID, m.Sim)
		}
	}
	// Output:
	// note 0.45
	// book 1.00
	// chapter 0.61
}

func ExampleParseWeight() {
	db, done := open()
	defer done()

	third, err := api.ParseWeight("1/3")
	if err != nil {
		log.Fatal(err)
	}
	by := api.Method{Measure: api.Tversky, Args: api.Args{Alpha: third}}
	rows, err := db.Compare(ctx, api.ByID("fox"), api.ByID("cat"), simdb.Using(by.Measure, by.Args))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(by.Measure.Describe(by.Args), rows[0].Sim)
	// Output: tversky(alpha=1/3) 0.5
}

func ExampleByTokens() {
	db, done := open()
	defer done()

	if err := db.CreateCollection(ctx, "code", api.Settings{Unit: "token", K: 2}); err != nil {
		log.Fatal(err)
	}
	lex := strings.Fields // yours is better
	for id, line := range map[string]string{"one": "for i := 0 ; i < n ; i ++ {", "two": "for j := 0 ; j < n ; j ++ {"} {
		d := api.Document{Collection: "code", ID: id, Text: line, Tokens: lex(line)}
		if err := db.Put(ctx, d); err != nil {
			log.Fatal(err)
		}
	}
	for m, err := range db.Similar(ctx, api.ByTokens(lex("i < n ; i ++ {")), simdb.In("code"), simdb.MinSim(0.1)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Shared, m.Union)
	}
	// Output:
	// one 6 10
	// two 3 13
}

func ExampleParseThreshold() {
	for _, s := range []string{"0.8", "80%", "4/5"} {
		t, err := api.ParseThreshold(s)
		fmt.Println(t, err, t.Cmp(api.Ratio(4, 5)))
	}
	// Output:
	// 0.8 <nil> 0
	// 0.8 <nil> 0
	// 0.8 <nil> 0
}

func ExampleByID() {
	db, done := open()
	defer done()
	for m, err := range db.Similar(ctx, api.ByID("fox"), simdb.MinSim(0.3)) {
		fmt.Println(m.ID, m.Shared, m.Of, err)
	}
	// Output:
	// cat 4 10 <nil>
}

func ExampleByText() {
	db, done := open()
	defer done()
	for m, err := range db.Similar(ctx, api.ByText("the quick brown fox jumps"), simdb.MinSim(0.3)) {
		fmt.Println(m.ID, m.Shared, m.Of, err)
	}
	// Output:
	// fox 3 7 <nil>
}

func ExampleRatio() {
	third := api.Ratio(1, 3)
	fmt.Println(third, third.Admits(1, 3), third.Admits(333, 1000), third.Ceil(100))
	// Output: 1/3 true false 34
}

func ExampleThresholdOf() {
	t, err := api.ThresholdOf(0.8)
	fmt.Println(t == api.Ratio(4, 5), err)
	// Output: true <nil>
}

func ExampleWeightOf() {
	half := api.WeightOf(0.5)
	fmt.Println(half, half.Given(), api.Weight{}.Given())
	// Output: 0.5 true false
}

func ExampleMeasures() {
	for _, m := range api.Measures() {
		if m.OfBags() && m.Symmetric(api.Args{}) {
			fmt.Println(m, "–", m.About())
		}
	}
	// Output:
	// jaccard – shared shingles as a share of all shingles of the two texts
	// multiset – shared shingles, with repetitions counted
	// dice – twice the shared shingles, divided by the sum of the shingle counts of both texts
	// overlap – how much of the smaller text is in the other
	// repetition – repetitions of shared shingles as a share of all repetitions
	// tversky – shared shingles, with weights for the shingles of only one text
	// weighted – shared shingles, where rare shingles weigh more
}

func ExampleAllSettings() {
	for _, s := range api.AllSettings()[:2] {
		fmt.Println(s.Name, s.Type)
	}
	// Output:
	// unit text
	// k integer
}

func ExampleSettingNamed() {
	settings := api.Settings{Versions: true}
	fmt.Println(*api.SettingNamed("versions").Switch(&settings), api.SettingNamed("nosuch"))
	// Output: true <nil>
}

func ExampleParseMeasure() {
	m, ok := api.ParseMeasure("containment")
	fmt.Println(m, ok, m.Symmetric(api.Args{}))
	// Output: containment(of='query') true false
}

func ExampleDefaultRules() {
	for _, r := range api.DefaultRules()[:3] {
		fmt.Println(r.Kind, r.Method.Measure, r.Min)
	}
	// Output:
	// copy jaccard 1
	// version jaccard 0.6
	// version versions 0.8
}

func ExampleCheckVersions() {
	fmt.Println(api.CheckVersions(3, api.QuerySide, api.Ratio(19, 20)))
	fmt.Println(api.CheckVersions(33, api.BothSides, api.Ratio(19, 20)))
	// Output:
	// <nil>
	// versions: 33 bits: want 0 to 32
}

// The names that people have for thresholds of the default settings.
func ExampleGrade() {
	least, err := api.ParseThreshold("nearly the same")
	fmt.Println(least, err, api.Grade(0.97), api.Grade(0.59) == "much in common", api.Grade(0.2) == "")
	// Output: 0.8 <nil> same true true
}

// What paper 004 reads otherwise.
func ExamplePaperRules() {
	for _, r := range api.PaperRules() {
		if r.Kind == api.KindVersion {
			fmt.Println(r.Method.Measure.Describe(r.Method.Args), r.Min)
		}
	}
	// Output:
	// jaccard 0.6
	// versions(case='keep', stop='drop', agree='fingerprint', resemblance='off', of='query') 0.8
	// versions(case='keep', stop='drop', agree='fingerprint', resemblance='off', of='doc') 0.8
}

func ExampleSetting() {
	s := api.Settings{Versions: true}
	for _, set := range api.AllSettings() {
		if on := set.Switch(&s); on != nil {
			fmt.Println(set.Name, *on)
		}
	}
	// Output:
	// versions true
	// entities false
	// words false
	// patricia false
	// ledger false
}

// A histogram as a table: the bounds of its buckets, and the calls in each.
func ExampleLatencyBound() {
	var h api.Histogram
	h.Buckets[1], h.Buckets[api.LatencyBuckets-1] = 5, 2
	for i, n := range h.Buckets {
		switch bound := api.LatencyBound(i); {
		case n > 0 && bound > 0:
			fmt.Println(n, "calls of at most", bound)
		case n > 0:
			fmt.Println(n, "longer calls")
		}
	}
	fmt.Println(h.Count(), "calls")
	// Output:
	// 5 calls of at most 20µs
	// 2 longer calls
	// 7 calls
}
