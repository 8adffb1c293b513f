package simdb_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

var ctx = context.Background()

// open makes a database with three documents in a directory of its own.
func open() (*simdb.DB, func()) {
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	db, err := simdb.Open(filepath.Join(dir, "example.simdb"), nil)
	if err != nil {
		log.Fatal(err)
	}
	err = db.Put(ctx,
		api.Document{ID: "fox", Text: "the quick brown fox jumps over the lazy dog", Meta: api.Meta{"year": 2020}},
		api.Document{ID: "cat", Text: "the quick brown cat jumps over the lazy dog", Meta: api.Meta{"year": 2026}},
		api.Document{ID: "owl", Text: "an owl has seen nothing of all this"},
	)
	if err != nil {
		log.Fatal(err)
	}
	return db, func() {
		if err := errors.Join(db.Close(), os.RemoveAll(dir)); err != nil {
			log.Fatal(err)
		}
	}
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	db, err := simdb.Open(filepath.Join(dir, "corpus.simdb"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	if err := db.Put(ctx, api.Document{ID: "a", Text: "two texts with one word changed"}); err != nil {
		log.Fatal(err)
	}
	text := "two texts with one letter changed"
	for m, err := range db.Similar(ctx, api.ByText(text), simdb.MinSim(0.3)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.2f: %d of %d shingles\n", m.ID, m.Sim, m.Shared, m.Union)
	}
	// Output: a 0.33: 2 of 6 shingles
}

func ExampleDB_Query() {
	db, done := open()
	defer done()

	rows, err := db.Query(ctx, `SIMILAR TO ? WHERE sim >= 30% AND year > :since RETURNING id, sim, year`,
		"fox", simdb.Named("since", 2021))
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	fmt.Println(rows.Columns)
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row...)
	}
	// Output:
	// [id sim year]
	// cat 0.4 2026
}

func ExampleDB_Query_error() {
	db, done := open()
	defer done()

	_, err := db.Query(ctx, `SIMILAR TO fox WHERE sim >= 80`)
	var parse *api.ParseError
	if errors.As(err, &parse) {
		fmt.Printf("line %d, column %d: %s\n", parse.Line, parse.Col, parse.Suggestion)
	}
	// Output: line 1, column 29: did you mean 80%?
}

func ExampleDB_Similar() {
	db, done := open()
	defer done()

	for m, err := range db.Similar(ctx, api.ByID("fox"), simdb.Min(api.Ratio(2, 5)), simdb.Limit(10)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.ID, m.Sim, m.Shared, m.Union)
	}
	for m, err := range db.Similar(ctx, api.ByText("the lazy dog has seen nothing of all this"),
		simdb.Using(api.ContainmentOfDoc), simdb.MinSim(0.5)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.2f\n", m.ID, m.Sim)
	}
	// Output:
	// cat 0.4 4 10
	// owl 0.67
}

func ExampleDB_Pairs() {
	db, done := open()
	defer done()

	for p, err := range db.Pairs(ctx, simdb.MinSim(0.4)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.A, p.B, p.Sim)
	}
	// Output: cat fox 0.4
}

// Pairs of a collection and another one have their first document in In, and
// their second one in Against.
func ExampleAgainst() {
	db, done := open()
	defer done()

	if err := db.CreateCollection(ctx, "old", api.Settings{}); err != nil {
		log.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{Collection: "old", ID: "dog", Text: "a quick brown fox jumps over the lazy dog"}); err != nil {
		log.Fatal(err)
	}
	for p, err := range db.Pairs(ctx, simdb.In("docs"), simdb.Against("old"), simdb.MinSim(0.3)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.A, p.B, p.Sim)
	}
	// Output: fox dog 0.75
}

func ExampleDB_Clusters() {
	db, done := open()
	defer done()

	for m, err := range db.Clusters(ctx, simdb.MinSim(0.4)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Cluster, m.ID, m.Size)
	}
	// Output:
	// cat cat 2
	// cat fox 2
}

func ExampleDB_Dedupe() {
	db, done := open()
	defer done()

	o := api.DedupeOptions{Keep: api.KeepFirst, Delete: true}
	for d, err := range db.Dedupe(ctx, o, simdb.MinSim(0.4)) {
		if err != nil {
			log.Fatal(err)
		}
		if d.Keep {
			fmt.Println(d.ID, "stays")
		} else {
			fmt.Printf("%s is gone: sim %v to %s\n", d.ID, d.Sim, d.Like)
		}
	}
	// Output:
	// fox stays
	// cat is gone: sim 0.4 to fox
}

func ExampleKeepNumbers() {
	db, done := open()
	defer done()
	db.Put(ctx, api.Document{ID: "may", Text: "we thank you for order 12 of May and ask for payment of 80 euros within ten days"})
	db.Put(ctx, api.Document{ID: "june", Text: "we thank you for order 15 of May and ask for payment of 95 euros within ten days"})

	for d, err := range db.Dedupe(ctx, api.DedupeOptions{Keep: api.KeepFirst}, simdb.MinSim(0.4), simdb.KeepNumbers()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(d.ID, d.Keep, d.Numbers)
	}
	// Output:
	// fox true false
	// cat false false
	// may true false
	// june true true
}

func ExampleDB_Compare() {
	db, done := open()
	defer done()

	scores, err := db.Compare(ctx, api.ByID("fox"), api.ByText("the lazy dog"))
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range scores {
		if c.Measure == api.ContainmentOfDoc || c.Measure == api.Jaccard {
			fmt.Printf("%s %.3f\n", c.Measure, c.Sim)
		}
	}
	// Output:
	// jaccard 0.143
	// containment(of='doc') 1.000
}

func ExampleDB_Get() {
	db, done := open()
	defer done()

	d, err := db.Get(ctx, "docs", "cat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Text, d.Meta["year"])
	_, err = db.Get(ctx, "docs", "dog")
	fmt.Println(errors.Is(err, api.ErrNotFound))
	// Output:
	// the quick brown cat jumps over the lazy dog 2026
	// true
}

func ExampleDB_MaxDocBytes() {
	db, done := open()
	defer done()
	fmt.Println(db.MaxDocBytes()>>20, "MiB a text,", db.MemoryBytes()>>20, "MiB of memory")
	// Output: 16 MiB a text, 256 MiB of memory
}

func ExampleDB_PutNew() {
	db, done := open()
	defer done()
	err := db.PutNew(ctx, api.Document{ID: "fox", Text: "another fox"})
	fmt.Println(errors.Is(err, api.ErrExists))
	// Output: true
}

func ExampleDB_IsNew() {
	db, done := open()
	defer done()
	m, isNew, err := db.IsNew(ctx, api.Document{Text: "The quick brown fox jumps over the lazy dog!"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(isNew, m.ID, m.Sim)
	// Output: false fox 1
}

func ExampleDB_LinkedCheckpoint() {
	db, done := open()
	defer done()
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	// In no time and no room, but a file that is damaged on disk is damaged in both.
	fmt.Println(db.LinkedCheckpoint(ctx, filepath.Join(dir, "copy.simdb")))
	// Output: <nil>
}

func ExampleBuiltInEntities() {
	gazetteer := strings.NewReader("Reykjavik\nAkureyri\n")
	extractor, err := simdb.BuiltInEntities(gazetteer, nil)
	if err != nil {
		log.Fatal(err)
	}
	db, err := simdb.Open("", &simdb.Options{InMemory: true, Entities: extractor})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	err = db.CreateCollection(ctx, "news", api.Settings{Entities: true})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleDB_Put() {
	db, done := open()
	defer done()

	// Together or not at all; an equal id replaces.
	err := db.Put(ctx,
		api.Document{ID: "fox", Text: "no fox any more"},
		api.Document{Collection: "poems", ID: "1", Text: "roses are red"},
	)
	if err != nil {
		log.Fatal(err)
	}
	d, err := db.Get(ctx, "", "fox")
	fmt.Println(d.Text, err)
	// Output: no fox any more <nil>
}

func ExampleDB_Delete() {
	db, done := open()
	defer done()

	fmt.Println(db.Delete(ctx, "docs", "fox"))
	_, err := db.Get(ctx, "docs", "fox")
	fmt.Println(errors.Is(err, api.ErrNotFound))
	fmt.Println(db.Delete(ctx, "docs", "fox")) // it is gone already
	// Output:
	// <nil>
	// true
	// <nil>
}

func ExampleDB_Commit() {
	db, done := open()
	defer done()

	var b simdb.Batch
	b.Put(api.Document{ID: "hen", Text: "a hen in the yard"})
	b.Delete("docs", "owl")
	b.Note("progress", []byte("page 7"))
	stats, err := db.Commit(ctx, &b)
	if err != nil {
		log.Fatal(err)
	}
	note, err := db.Note("progress")
	fmt.Println(stats.Inserted, stats.Deleted, string(note), err)
	// Output: 1 1 page 7 <nil>
}

func ExampleDB_Load() {
	db, done := open()
	defer done()

	batches := func(yield func(*simdb.Batch, error) bool) {
		for i := range 3 {
			var b simdb.Batch
			b.Put(api.Document{ID: fmt.Sprint("n", i), Text: strings.Repeat("number ", i+1)})
			if !yield(&b, nil) {
				return
			}
		}
	}
	stored := 0
	err := db.Load(ctx, batches, func(_ *simdb.Batch, s api.BatchStats) { stored += s.Inserted })
	fmt.Println(stored, err)
	// Output: 3 <nil>
}

func ExampleDB_Snapshot() {
	db, done := open()
	defer done()

	s, err := db.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := db.Delete(ctx, "docs", "owl"); err != nil {
		log.Fatal(err)
	}
	for info, err := range s.Infos(ctx, "docs", "") { // as it was
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(info.ID, info.Shingles)
	}
	// Output:
	// cat 7
	// fox 7
	// owl 6
}

func ExampleDB_CreateCollection() {
	db, done := open()
	defer done()

	err := db.CreateCollection(ctx, "letters", api.Settings{Unit: "char", K: 4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(errors.Is(db.CreateCollection(ctx, "letters", api.Settings{}), api.ErrExists))
	fmt.Println(db.DropCollection(ctx, "letters"))
	// Output:
	// true
	// <nil>
}

func ExampleDB_EnsureCollection() {
	db, done := open()
	defer done()
	for _, k := range []int{4, 4, 5} { // each time the program begins
		err := db.EnsureCollection(ctx, "letters", api.Settings{Unit: "char", K: k})
		fmt.Println(errors.Is(err, api.ErrExists))
	}
	// Output:
	// false
	// false
	// true
}

func ExampleDB_DropCollection() {
	db, done := open()
	defer done()

	if err := db.DropCollection(ctx, "docs"); err != nil {
		log.Fatal(err)
	}
	_, err := db.Get(ctx, "docs", "fox")
	fmt.Println(errors.Is(err, api.ErrNotFound))
	// Output: true
}

func ExampleDB_Mark() {
	db, done := open()
	defer done()

	mark, err := db.Mark(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{ID: "dog", Text: "the quick brown dog jumps over the lazy dog"}); err != nil {
		log.Fatal(err)
	}
	for p, err := range db.Pairs(ctx, simdb.Since(mark), simdb.MinSim(0.4)) { // not fox and cat
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.A, p.B, p.Sim)
	}
	// Output:
	// cat dog 0.4
	// dog fox 0.4
}

func ExampleDB_Note() {
	db, done := open()
	defer done()

	note, err := db.Note("never set")
	fmt.Println(note == nil, err)
	// Output: true <nil>
}

func ExampleWithProgress() {
	db, _ := simdb.Open("", &simdb.Options{InMemory: true})
	defer db.Close()
	ctx := context.Background()
	db.Put(ctx, api.Document{ID: "a", Text: "a text of some words"}, api.Document{ID: "b", Text: "a text of some other words"})
	ctx = simdb.WithProgress(ctx, func(p api.Progress) { fmt.Println(p.Done, "of", p.Total, p.What) })
	rows, err := db.Query(ctx, "SELECT id FROM docs")
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for range rows.All() {
	}
	// Output: 0 of 2 documents read
}

func ExampleDB_Check() {
	db, done := open()
	defer done()

	report, err := db.Check(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Documents, "documents,", report.Found, "problems")
	// Output: 3 documents, 0 problems
}

// After a fault of the disk or the memory of a machine, a program makes a sound database of
// what can be read, before it opens it.
func ExampleSalvageInPlace() {
	tmp, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "db")
	db, err := simdb.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(db.Put(ctx, api.Document{ID: "a", Text: "the first text"}), db.Close()); err != nil {
		log.Fatal(err)
	}

	done, err := simdb.SalvageInPlace(ctx, dir, nil, func(what string) { fmt.Println("lost:", what) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Documents, "document;", "the damaged database is", filepath.Base(done.Old))
	// Output: 1 document; the damaged database is db.damaged
}

func ExampleDB_Compact() {
	db, done := open()
	defer done()

	fmt.Println(db.Compact(ctx))
	// Output: <nil>
}

func ExampleDB_Checkpoint() {
	db, done := open()
	defer done()
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	copied := filepath.Join(dir, "copy.simdb")
	if err := db.Checkpoint(ctx, copied); err != nil {
		log.Fatal(err)
	}
	backup, err := simdb.Open(copied, &simdb.Options{MustExist: true})
	if err != nil {
		log.Fatal(err)
	}
	defer backup.Close()
	d, err := backup.Get(ctx, "docs", "owl")
	fmt.Println(d.Text, err)
	// Output: an owl has seen nothing of all this <nil>
}

func ExampleDB_Metrics() {
	db, done := open()
	defer done()

	m := db.Metrics()
	fmt.Println(m.Documents, m.Sets)
	// Output: 3 3
}

func ExampleSalvage() {
	dir, err := os.MkdirTemp("", "simdb-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	broken, saved := filepath.Join(dir, "broken"), filepath.Join(dir, "saved")
	db, err := simdb.Open(broken, nil)
	if err != nil {
		log.Fatal(err)
	}
	err = errors.Join(db.Put(ctx, api.Document{ID: "a", Text: "the first text"}), db.Close(), os.Remove(filepath.Join(broken, "STATE")))
	if err != nil {
		log.Fatal(err)
	}

	done, err := simdb.Salvage(ctx, broken, saved, nil, func(what string) { fmt.Println("lost:", what) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Documents, "document salvaged")
	// Output:
	// lost: the UUID of the store, which STATE has: its marks and its history do not hold for the new one
	// 1 document salvaged
}
