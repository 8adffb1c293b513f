package web_test

// Answers against their definitions.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/web"
)

// filled is a site with n more documents, in a collection of its own, many of them alike.
func filled(t *testing.T, n int) site {
	s := open(t, &web.Options{Writable: true})
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	if err := s.db.CreateCollection(t.Context(), "many", api.Settings{SI: "m3b k4", Words: true}); err != nil {
		t.Fatal(err)
	}
	var docs []api.Document
	for i := range n {
		words := strings.Fields(strings.Repeat("all of these texts begin with the same words but end with others ", 2))
		for range i * 7 % 25 {
			words[rng.IntN(len(words))] = fmt.Sprintf("w%d", rng.IntN(50))
		}
		docs = append(docs, api.Document{Collection: "many", ID: fmt.Sprintf("%c/%d", 'a'+rune(i%3), i), Text: strings.Join(words, " ")})
	}
	if err := s.db.Put(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	return s
}

// Pages of /similar, one after the other, are what the database finds, and each counts all.
func TestSimilarPages(t *testing.T) {
	s := filled(t, 300)
	for _, m := range []struct {
		name  string
		is    api.Measure
		least float64
	}{{"jaccard", api.Jaccard, 0.3}, {"simhash", api.SimHash, 0.7}, {"words", api.Words, 0.5}, {"containment(of='doc')", api.ContainmentOfDoc, 0.2}} {
		var want []api.Match
		for match, err := range s.db.Similar(t.Context(), api.ByID("a/0"), simdb.In("many"), simdb.Using(m.is), simdb.MinSim(m.least)) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, match)
		}
		if len(want) < 15 {
			t.Fatalf("%s finds %d documents, which is no test of pages", m.name, len(want))
		}
		var got []object
		compared := int64(0)
		for offset := 0; ; offset += 7 {
			a := s.post("similar", fmt.Sprintf(`{"id":"a/0","collections":["many"],"measure":%q,"threshold":%v,"limit":7,"offset":%d}`, m.name, m.least, offset))
			if a["total"] != json.Number(fmt.Sprint(len(want))) || a["total_exact"] != true {
				t.Errorf("%s counts %v, want %d", m.name, a["total"], len(want))
			}
			for _, row := range a["matches"].([]any) {
				got = append(got, row.(object))
			}
			took := map[string]int64{}
			for name, v := range a["plan"].(object) {
				if n, ok := v.(json.Number); ok {
					took[name], _ = n.Int64()
				}
			}
			compared += took["verify_micros"]
			if took["find_micros"]+took["verify_micros"] > took["micros"] {
				t.Errorf("%s: the parts of the time exceed it: %v", m.name, a["plan"])
			}
			if a["more"] != true {
				break
			}
		}
		if compared == 0 && m.is != api.SimHash {
			t.Errorf("%s: comparing took no time", m.name)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d rows on all pages, want %d", m.name, len(got), len(want))
		}
		for i, w := range want {
			g := got[i]
			shared := any(json.Number(fmt.Sprint(w.Shared)))
			if !m.is.OfBags() {
				shared = nil
			}
			if sim, _ := g["sim"].(json.Number).Float64(); g["id"] != w.ID || sim != w.Sim || g["shared"] != shared {
				t.Errorf("%s: row %d is %v, want %+v", m.name, i, g, w)
			}
		}
	}
}

// Without matches the answer names a threshold that gives some, and the nearest document.
func TestSimilarNamesALowerThreshold(t *testing.T) {
	s := filled(t, 100)
	for _, measure := range []string{"jaccard", "simhash", "words", "multiset", "patricia"} {
		for _, id := range []string{"a/0", "b/1", "c/2", "a/3"} {
			body := fmt.Sprintf(`"id":%q,"collections":["many"],"measure":%q`, id, measure)
			a := s.post("similar", "{"+body+`,"threshold":1}`)
			if a["total"] != json.Number("0") { // an equal one is there
				continue
			}
			l, ok := a["lower"].(object)
			if !ok {
				t.Errorf("%s: nothing is similar to %s: %v", measure, id, a["notes"])
				continue
			}
			b := s.post("similar", fmt.Sprintf(`{%s,"threshold":%v}`, body, l["threshold"]))
			first := b["matches"].([]any)[0].(object)
			if first["id"] != l["id"] || first["sim"] != l["sim"] {
				t.Errorf("%s: at %v the first is %v, want %v", measure, l["threshold"], first, l)
			}
		}
	}
}

// The nearest, and all with anything in common, are those of the database.
func TestSimilarNearest(t *testing.T) {
	s := filled(t, 100)
	for _, measure := range []api.Measure{api.Jaccard, api.SimHash} {
		var want []string
		for m, err := range s.db.Similar(t.Context(), api.ByID("a/0"), simdb.In("many"), simdb.Using(measure), simdb.Nearest(30)) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, m.ID)
		}
		a := s.post("similar", fmt.Sprintf(`{"id":"a/0","collections":["many"],"measure":%q,"nearest":30,"limit":10,"offset":10}`, measure))
		if got := idsOf(a["matches"]); !slices.Equal(got, want[10:20]) || a["total"] != json.Number("30") || a["more"] != true {
			t.Errorf("%s: %v of %v, want %v of 30", measure, got, a["total"], want[10:20])
		}
		a = s.post("similar", fmt.Sprintf(`{"id":"a/0","collections":["many"],"measure":%q,"threshold":0,"limit":10,"offset":10}`, measure))
		if got := idsOf(a["matches"]); !slices.Equal(got, want[10:20]) || a["total_exact"] != false || a["more"] != true {
			t.Errorf("%s from 0 on: %v, want %v", measure, got, want[10:20])
		}
	}
}

func idsOf(list any) (ids []string) {
	for _, row := range list.([]any) {
		ids = append(ids, row.(object)["id"].(string))
	}
	return ids
}

// Paper 002, page 20, table 17: what has no content is said. What has no content and nothing in common is told apart.
func TestSimilarSaysWhyNot(t *testing.T) {
	s := open(t, nil)
	for body, want := range map[string]string{
		`{"id":"empty"}`:                         "This object has no content.",
		`{"text":" \n"}`:                         "This object has no content.",
		`{"text":"…!?"}`:                         "no other document has anything in common",
		`{"id":"other","measure":"containment"}`: "no other document has anything in common",
	} {
		if notes := fmt.Sprint(s.post("similar", body)["notes"]); !strings.Contains(notes, want) {
			t.Errorf("%s: %s, want %q", body, notes, want)
		}
	}
	for body, want := range map[string]string{
		`{"id":"a","measure":"jacard"}`:     `there is no measure "jacard"; there are jaccard`,
		`{"id":"a","threshold":80}`:         "did you mean 80%?",
		`{"id":"a","text":"b"}`:             "not both",
		`{}`:                                "name the target as id or as text",
		`{"id":"a","arguments":{"min":20}}`: "jaccard takes no argument",
		`{"id":"a","measure":"tversky","arguments":{"alpha":-1}}`:      "alpha",
		`{"id":"a","arguments":{"case":"keep"}}`:                       "jaccard takes no argument",
		`{"id":"a","measure":"versions","arguments":{"of":"smaller"}}`: `of: "smaller" is not one of both, query, doc`,
		`{"id":"a","measure":"versions","arguments":{"share":2}}`:      "share 2: want at most 1",
		`{"id":"a","arguments":{"k":101}}`:                             "k is 101",
		`{"id":"a","measure":"si","arguments":{"k":1}}`:                "si",
	} {
		if got := s.refused("POST", "/api/v1/similar", body, 400); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", body, got, want)
		}
	}
	s.refused("POST", "/api/v1/similar", `{"id":"a","collections":["nosuch"]}`, 404)
}

// Ids come in order, by pages and by prefixes.
func TestDocuments(t *testing.T) {
	s := filled(t, 100)
	var all []string
	for i := range 100 {
		all = append(all, fmt.Sprintf("%c/%d", 'a'+rune(i%3), i))
	}
	slices.Sort(all)
	for _, prefix := range []string{"", "b", "c/", "c/4", "nosuch", "d"} {
		want := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !strings.HasPrefix(id, prefix) })
		var got []string
		next := any("")
		for next != nil {
			a := s.get("documents?collection=many&limit=7&prefix=" + url.QueryEscape(prefix) + "&after=" + url.QueryEscape(next.(string)))
			got = append(got, idsOf(a["documents"])...)
			next = a["next"]
		}
		if !slices.Equal(got, want) {
			t.Errorf("prefix %q: %v, want %v", prefix, got, want)
		}
	}
	s.refused("GET", "/api/v1/documents?collection=nosuch", "", 404)
}

// A document that is put is there as it was sent, and gone once it is deleted.
func TestPutAndDelete(t *testing.T) {
	s := open(t, &web.Options{Writable: true})
	id := "?id=" + url.QueryEscape("../a b/ü?&#%\x01")
	if a := s.json("PUT", "document"+id, `{"text":"one two","metadata":{"n":12345678901234567890123,"list":[1,"x",null]}}`, 200); a["replaced"] != false {
		t.Errorf("a new one: %v", a)
	}
	if a := s.json("PUT", "document"+id, `{"text":"one two three","metadata":{"n":12345678901234567890123}}`, 200); a["replaced"] != true {
		t.Errorf("once more: %v", a)
	}
	a := s.get("document" + id)
	if a["text"] != "one two three" || a["metadata"].(object)["n"] != json.Number("12345678901234567890123") {
		t.Errorf("what was put: %v", a)
	}
	for _, there := range []bool{true, false} {
		if a := s.json("DELETE", "document"+id, "", 200); a["deleted"] != there {
			t.Errorf("deleted: %v, want %v", a, there)
		}
	}
	s.refused("GET", "/api/v1/document"+id, "", 404)
	if err := s.db.Put(t.Context(), api.Document{ID: "\xff\x00", Text: "bytes that are no text"}); err != nil {
		t.Fatal(err)
	}
	if a := s.get("document?id=%FF%00"); a["text"] != "bytes that are no text" {
		t.Errorf("an id of bytes: %v", a)
	}
	s.refused("PUT", "/api/v1/document?id=x", `{}`, 400)
	s.refused("PUT", "/api/v1/document?id="+strings.Repeat("x", 5000), `{"text":""}`, 413)
}

// Groups are those of Dedupe, the largest first, on pages, and remove deletes those that go.
func TestClusters(t *testing.T) {
	s := filled(t, 200)
	for i, n := range []int{2, 4, 3} { // further groups, not in the order of their sizes
		for j := range n {
			text := fmt.Sprintf("a group of its own has number %d and these words %d", i, i)
			if err := s.db.Put(t.Context(), api.Document{Collection: "many", ID: fmt.Sprint("0", i, j), Text: strings.ReplaceAll(text, " ", fmt.Sprintf("%c ", 'a'+i))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	type row struct {
		id    string
		stays bool
		like  string
	}
	var found [][]row
	goes, documents, last := 0, 0, 0
	for d, err := range s.db.Dedupe(t.Context(), api.DedupeOptions{Keep: api.KeepNewest}, simdb.In("many"), simdb.MinSim(0.3)) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Cluster != last {
			found, last = append(found, nil), d.Cluster
		}
		found[len(found)-1] = append(found[len(found)-1], row{d.ID, d.Keep, d.Like})
		documents++
		if !d.Keep {
			goes++
		}
	}
	slices.SortStableFunc(found, func(a, b []row) int { return len(b) - len(a) })
	want := slices.Concat(found...)
	if len(found) < 3 || len(found[0]) == len(found[len(found)-1]) {
		t.Fatalf("%d groups show no order", len(found))
	}
	var got []row
	for offset := 0; ; offset++ {
		a := s.post("clusters", fmt.Sprintf(`{"collections":["many"],"threshold":0.3,"keep":"newest","limit":1,"offset":%d}`, offset))
		if a["documents"] != json.Number(fmt.Sprint(documents)) || a["goes"] != json.Number(fmt.Sprint(goes)) {
			t.Fatalf("%v of %v go, want %d of %d", a["goes"], a["documents"], goes, documents)
		}
		for _, g := range a["groups"].([]any) {
			members := g.(object)["members"].([]any)
			if g.(object)["size"] != json.Number(fmt.Sprint(len(members))) {
				t.Errorf("%v of %d members", g.(object)["size"], len(members))
			}
			for _, m := range members {
				like, _ := m.(object)["like"].(string)
				got = append(got, row{m.(object)["id"].(string), m.(object)["stays"].(bool), like})
			}
		}
		if a["more"] != true {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("groups %v\nwant %v", got, want)
	}
	if a := s.post("clusters/remove", `{"collections":["many"],"threshold":0.3,"keep":"newest"}`); a["removed"] != json.Number(fmt.Sprint(goes)) {
		t.Errorf("removed %v, want %d", a["removed"], goes)
	}
	for _, r := range want {
		if _, err := s.db.Get(context.Background(), "many", r.id); errors.Is(err, api.ErrNotFound) == r.stays {
			t.Errorf("%s: %v, and it stays: %v", r.id, err, r.stays)
		}
	}
}

// An overview counts the pairs of a join by percent, lists the most similar ones, and names each
// document with its best pair. It follows writes.
func TestOverview(t *testing.T) {
	s := filled(t, 200)
	for _, by := range []api.Measure{api.Overlap, api.Jaccard, api.SimHash} {
		var counts [101]int
		var rows []api.PairMatch
		best, total := map[string]float64{}, 0
		for p, err := range s.db.Pairs(t.Context(), simdb.In("many"), simdb.Using(by), simdb.MinSim(0.3)) {
			if err != nil {
				t.Fatal(err)
			}
			percent := int(p.Sim*100 + 1e-9)
			if num, den := p.Ratio(); by.Counts() {
				percent = int(num * 100 / den)
			}
			counts[percent]++
			total++
			rows = append(rows, p)
			best[p.A], best[p.B] = max(best[p.A], p.Sim), max(best[p.B], p.Sim)
		}
		slices.SortStableFunc(rows, func(a, b api.PairMatch) int {
			return cmp.Or(cmp.Compare(b.Sim, a.Sim), cmp.Compare(b.Shared, a.Shared))
		})
		a := s.post("overview", fmt.Sprintf(`{"collection":"many","measure":%q,"threshold":0.3}`, by))
		if total == 0 || a["total"] != json.Number(fmt.Sprint(total)) || a["similar"] != json.Number(fmt.Sprint(len(best))) || fmt.Sprint(a["counts"]) != fmt.Sprint(counts) {
			t.Errorf("%v: %v pairs of %v documents, %v; want %d of %d, %v", by, a["total"], a["similar"], a["counts"], total, len(best), counts)
		}
		for i, p := range a["pairs"].([]any) {
			if p := p.(object); p["a"] != rows[i].A || p["b"] != rows[i].B {
				t.Errorf("%v: pair %d is %v, want %+v", by, i, p, rows[i])
			}
		}
		for _, o := range a["outliers"].([]any) {
			o := o.(object)
			sim, _ := o["best"].(object)["sim"].(json.Number).Float64()
			if id := o["id"].(string); sim != best[id] {
				t.Errorf("%v: the best pair of %s has %v, want %v", by, id, sim, best[id])
			}
		}
	}
	before := s.post("overview", `{"collection":"many"}`)
	if again := s.post("overview", `{"collection":"many"}`); fmt.Sprint(again["pairs"]) != fmt.Sprint(before["pairs"]) {
		t.Error("two overviews of one state differ")
	}
	p := before["pairs"].([]any)[0].(object)
	if err := s.db.Delete(t.Context(), "many", p["a"].(string)); err != nil {
		t.Fatal(err)
	}
	if after := s.post("overview", `{"collection":"many"}`)["pairs"].([]any); len(after) > 0 && fmt.Sprint(after[0]) == fmt.Sprint(p) {
		t.Errorf("a deleted document is still in the overview: %v", p)
	}
	if got := s.refused("POST", "/api/v1/overview", "", 400); !strings.Contains(got, "the body is empty; send a JSON object, such as {}") {
		s.Errorf("an empty body: %q", got)
	}
	s.refused("POST", "/api/v1/overview", `{"measure":"containment"}`, 400)
	s.refused("POST", "/api/v1/overview", `{"collection":"nosuch"}`, 404)
}

// One pair has one number: in an overview, beside an excerpt, and by COMPARE.
func TestOneNumber(t *testing.T) {
	s := filled(t, 200)
	for _, ignoring := range []string{`{}`, `{"more_than":5}`} {
		for _, p := range s.post("overview", `{"collection":"many","ignoring":`+ignoring+`}`)["pairs"].([]any)[:5] {
			p := p.(object)
			excerpt := s.post("excerpts", fmt.Sprintf(`{"id":%q,"collection":"many","ignoring":%s,"of":[{"id":%q,"collection":"many"}]}`, p["a"], ignoring, p["b"]))
			compared := s.post("compare", fmt.Sprintf(`{"a":{"id":%q,"collection":"many"},"b":{"id":%q,"collection":"many"},"ignoring":%s}`, p["a"], p["b"], ignoring))
			beside := excerpt["excerpts"].([]any)[0].(object)["overlap"].(object)
			m := compared["measures"].([]any)[0].(object)
			if m["measure"] != "overlap" || m["sim"] != p["sim"] || m["of"] != p["of"] || beside["sim"] != p["sim"] || beside["of"] != p["of"] {
				t.Errorf("%v and %v, ignoring %s: %v, %v and %v", p["a"], p["b"], ignoring, p, beside, m)
			}
		}
	}
}

func must[T interface{ Close() error }](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { v.Close() })
		return v
	}
}

// A rejected statement has the place of its fault, for a caret.
func TestQueryErrors(t *testing.T) {
	s := open(t, nil)
	a := s.json("POST", "query", `{"statement":"SIMILAR TO 'a'\n WHERE sim >= high"}`, 400)["error"].(object)
	if a["line"] != json.Number("2") || a["column"] != json.Number("15") || a["expected"] != `a number after ">="` || a["found"] != `"high"` || a["code"] != "rejected" {
		t.Errorf("the error is %v", a)
	}
	if a := s.json("POST", "query", `{"statement":"SIMILAR TO 'a' WHERE sim >= 80"}`, 400)["error"].(object); a["hint"] != "did you mean 80%?" {
		t.Errorf("the error is %v", a)
	}
	rows := s.post("query", `{"statement":"SELECT id, size FROM docs WHERE size > ? AND id != $2","params":[10,"b"]}`)["rows"].([]any)
	named := s.post("query", `{"statement":"SELECT id, size FROM docs WHERE size > :n AND id != :id","params":{"n":10,"id":"b"}}`)["rows"].([]any)
	if len(rows) != len(texts)-3 || fmt.Sprint(rows) != fmt.Sprint(named) {
		t.Errorf("%v and %v", rows, named)
	}
}
