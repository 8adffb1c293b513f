package repetition

// These tests check the paper's method against its own examples, comparing all
// pairs and simdb, and the kept results against the code.

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	simdbindex "github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/internal/torture"
	"github.com/simdb/simdb/lab/corpora"
	"github.com/simdb/simdb/lab/results"
)

var nineTenths = api.Ratio(9, 10)

func documents(t testing.TB, k int, texts ...string) ([]document, []string) {
	t.Helper()
	var named []corpora.Doc
	for i, s := range texts {
		named = append(named, corpora.Doc{ID: fmt.Sprint(i), Text: s})
	}
	docs, alphabet, err := readDocuments(context.Background(), named, k)
	if err != nil {
		t.Fatal(err)
	}
	return docs, alphabet
}

func TestShingles(t *testing.T) {
	for _, tt := range []struct {
		text string
		k    int
		want map[string]uint32
	}{
		{"abcdabd", 2, map[string]uint32{"ab": 2, "bc": 1, "cd": 1, "da": 1, "bd": 1}}, // paper 003, page 2
		{"abcdhk", 2, map[string]uint32{"ab": 1, "bc": 1, "cd": 1, "dh": 1, "hk": 1}},  // page 4, figure 2
		{"ababmh", 2, map[string]uint32{"ab": 2, "ba": 1, "bm": 1, "mh": 1}},           // the same; it prints mn for mh
		{"ababol", 2, map[string]uint32{"ab": 2, "ba": 1, "bo": 1, "ol": 1}},           // the same; it names it D2
		{"a \n b  c", 3, map[string]uint32{"a b": 1, " b ": 1, "b c": 1}},
		{"äöäöä", 2, map[string]uint32{"äö": 2, "öä": 2}},
		{"abcd", 5, map[string]uint32{"abcd": 1}},
		{"abcde", 5, map[string]uint32{"abcde": 1}},
		{" ", 5, map[string]uint32{"": 1}},
	} {
		if got := shingles(tt.text, tt.k); !maps.Equal(got, tt.want) {
			t.Errorf("shingles(%q, %d) = %v, want %v", tt.text, tt.k, got, tt.want)
		}
	}
}

// The shingles spelt out here are those that simdb hashes: sizes and
// similarities are the same.
func TestShinglesAreThoseOfSimdb(t *testing.T) {
	texts := realtext.Lines(t, "nsf.jsonl.gz", 1000)
	docs, _ := documents(t, k, append(texts, "abc", "")...)
	a := shingle.Analysis{Unit: text.Char, K: k}
	first := a.Bag(texts[0])
	for i, d := range docs[:len(texts)] {
		bag := a.Bag(texts[i])
		if got, want := measure.SizeOf(d.bag), measure.SizeOf(bag); got != want {
			t.Errorf("document %d: size %v, want %v", i, got, want)
		}
		for _, m := range measures {
			if got, want := measure.FormulaOf(m, api.Args{}).Score(docs[0].bag, d.bag), measure.FormulaOf(m, api.Args{}).Score(first, bag); got != want {
				t.Errorf("%v(0, %d) = %v, want %v", m, i, got, want)
			}
		}
	}
}

func TestAlphabet(t *testing.T) {
	docs, alphabet := documents(t, 2, "abcdhk", "ababmh")
	if symbols, set := documents(t, 1, "dab"); len(symbols) != 1 || strings.Join(set, "") != "abd" { // paper 003, page 2
		t.Errorf("the set {d, a, b} is shown as %q, want abd", set)
	}
	if want := []string{"ab", "ba", "bc", "bm", "cd", "dh", "hk", "mh"}; !slices.Equal(alphabet, want) {
		t.Fatalf("alphabet = %q, want %q", alphabet, want)
	}
	b := docs[1].bag
	if !slices.Equal(b.Set, shingle.Set{0, 1, 3, 7}) || !slices.Equal(b.Counts, []uint32{2, 1, 1, 1}) || b.Total != 5 {
		t.Errorf("bag of ababmh = %+v", b)
	}
	if got := measure.FormulaOf(api.Repetition, api.Args{}).Score(docs[1].bag, docs[0].bag).Sim(); got != 0.3 {
		t.Errorf("eq. 3 of D2 and D1 = %v, want 0.3", got)
	}
}

// Paper 003, page 3: from 20 to 29 symbols its text takes two, its formula three.
func TestPrefixLen(t *testing.T) {
	for n, want := range map[int]int{1: 1, 9: 1, 10: 2, 19: 2, 20: 3, 29: 3, 30: 4, 100: 11} {
		if got := prefixLen(n, nineTenths); got != want {
			t.Errorf("prefixLen(%d) = %d, want %d", n, got, want)
		}
	}
}

// Paper 003, page 5, table 2.
func TestInterval(t *testing.T) {
	for r := uint32(1); r <= 1000; r++ {
		want := "ABCDEFGHIJK"[simdbindex.PaperIntervals.Of(r)]
		if got := interval(r); got != want {
			t.Errorf("interval(%d) = %c, want %c", r, got, want)
		}
	}
}

func TestRarestFirst(t *testing.T) {
	docs, alphabet := documents(t, 1, "ab", "abc", "ad")
	o := rarestFirst(docs, len(alphabet))
	if want := (order{3, 2, 0, 1}); !slices.Equal(o, want) { // c, d, b, a
		t.Errorf("rarestFirst = %v, want %v", o, want)
	}
	if got := o.prefix(docs[1], api.Ratio(1, 3)); !slices.Equal(got, []int{2, 1, 0}) {
		t.Errorf("prefix of abc = %v, want c, b, a", got)
	}
	if got := order(nil).prefix(docs[1], nineTenths); !slices.Equal(got, []int{0}) {
		t.Errorf("alphabetical prefix of abc = %v, want a", got)
	}
	if got := o.prefix(document{}, nineTenths); got != nil {
		t.Errorf("prefix of nothing = %v", got)
	}
}

// randomTexts has near-duplicates, repeated texts, short and empty ones.
func randomTexts(r *rand.Rand) []string {
	var texts []string
	for range 30 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteByte("abcd "[r.IntN(5)])
		}
		texts = append(texts, b.String())
		if r.IntN(2) == 0 {
			texts = append(texts, b.String()+"d")
		}
		if r.IntN(2) == 0 {
			texts = append(texts, strings.Repeat(b.String()+" ", 1+r.IntN(30)))
		}
	}
	return texts
}

// plainPairs judges every pair by nothing but the measures.
func plainPairs(docs []document, j api.Threshold) (found matches) {
	for a := range docs {
		for b := a + 1; b < len(docs); b++ {
			for i, m := range measures {
				if _, ok := measure.FormulaOf(m, api.Args{}).Match(docs[a].bag, docs[b].bag, j); ok {
					found[i] = append(found[i], pair{int32(a), int32(b)})
				}
			}
		}
	}
	return found
}

func equalMatches(a, b matches) bool {
	for i := range a {
		if !slices.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func TestAllPairs(t *testing.T) {
	total := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		docs, _ := documents(t, 1+r.IntN(4), randomTexts(r)...)
		for _, j := range []api.Threshold{api.Ratio(1, 2), api.Ratio(2, 3), nineTenths, api.Ratio(1, 1)} {
			got, err := allPairs(context.Background(), newJudge(docs, j))
			want := plainPairs(docs, j)
			if err != nil || !equalMatches(got, want) {
				t.Errorf("seed %d: allPairs at %v = %v, %v, want %v", seed, j, got, err, want)
			}
			total += len(want[0]) + len(want[1]) + len(want[2])
		}
	}
	if total < 1000 {
		t.Errorf("%d matches in all: too few to tell anything", total)
	}
}

// Without intervals the filters lose no match by resemblance, in either order;
// with them what is found is a match. A document that probes alone finds what
// the join finds.
func TestFilters(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		docs, alphabet := documents(t, 1+r.IntN(4), randomTexts(r)...)
		for _, j := range []api.Threshold{api.Ratio(1, 2), nineTenths} {
			exact, g := plainPairs(docs, j), newJudge(docs, j)
			for _, o := range []order{nil, rarestFirst(docs, len(alphabet))} {
				for _, intervals := range []bool{false, true} {
					m := method{o, intervals, j}
					many, err := m.manyMany(ctx, g)
					if err != nil {
						t.Fatal(err)
					}
					for i := range measures {
						if extra := without(many.found[i], exact[i]); len(extra) > 0 {
							t.Errorf("seed %d: %v, intervals %v: found %v, no matches", seed, measures[i], intervals, extra)
						}
					}
					if lost := without(exact[0], many.found[0]); !intervals && len(lost) > 0 {
						t.Errorf("seed %d: prefix and length filter at %v lost %v", seed, j, lost)
					}
					one, err := m.manyOne(ctx, g, 1)
					if err != nil {
						t.Fatal(err)
					}
					for i := range one.found {
						one.found[i] = slices.Compact(one.found[i])
					}
					if !equalMatches(one.found, many.found) || one.candidates != 2*many.candidates || one.comparisons != 2*many.comparisons {
						t.Errorf("seed %d: many-one does not find twice what many-many finds", seed)
					}
					if one.buckets != many.buckets || one.postings != many.postings {
						t.Errorf("seed %d: many-one made %d buckets, many-many %d", seed, one.buckets, many.buckets)
					}
				}
			}
		}
	}
}

// Searches by tiers and by prefix positions find every pair, and positions leave
// no more candidates.
func TestPositionsLoseNothing(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		docs, alphabet := documents(t, 1+r.IntN(4), randomTexts(r)...)
		x := newPositions(docs, rarestFirst(docs, len(alphabet)))
		for _, j := range positionThresholds {
			x.judge = newJudge(docs, j)
			var want []pair // both ways round
			for _, p := range plainPairs(docs, j)[0] {
				want = append(want, p, pair{p.b, p.a})
			}
			slices.SortFunc(want, pair.compare)
			tiered, err := x.byTiers(t.Context(), j, 1)
			if err != nil {
				t.Fatal(err)
			}
			placed, err := x.byPositions(t.Context(), j, 1)
			if err != nil {
				t.Fatal(err)
			}
			for way, found := range map[string][]pair{"tiers": tiered.found[0], "positions": placed.found[0]} {
				if lost, extra := without(want, found), without(found, want); len(lost)+len(extra) > 0 {
					t.Errorf("seed %d: %s at %v lost %v and found %v besides", seed, way, j, lost, extra)
				}
			}
			if placed.candidates > tiered.candidates {
				t.Errorf("seed %d at %v: %d candidates by positions, %d by tiers", seed, j, placed.candidates, tiered.candidates)
			}
		}
	}
}

// The constructed counter-example: a text repeated 50 and 51 times has the same
// shingles, which in the first text fall into E (41–50) and in the second into
// F (51–60). The four that straddle two copies occur once less, 49 and 50 times,
// both in E, and would still meet; they begin with "z", which keeps them out of
// the prefix.
func TestIntervalsLoseRepeatedText(t *testing.T) {
	copyOf := "a bcdefghijklmnopqrstuvwxyzäöüß0123456789 zzzz"
	docs, alphabet := documents(t, k, strings.Repeat(copyOf, 50), strings.Repeat(copyOf, 51))
	for _, o := range []order{nil, rarestFirst(docs, len(alphabet))} {
		m := method{o, true, nineTenths}
		for i, want := range []byte{'E', 'F'} {
			for _, b := range m.buckets(docs[i]) {
				if b.interval != want {
					t.Fatalf("%q of document %d is in interval %c, want %c", alphabet[b.symbol], i, b.interval, want)
				}
			}
		}
		g := newJudge(docs, nineTenths)
		with, err := m.manyMany(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		m.intervals = false
		plain, err := m.manyMany(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		for i, measure := range measures {
			if len(with.found[i]) != 0 || len(plain.found[i]) != 1 {
				t.Errorf("%v: %d pairs with intervals, want 0; %d without, want 1", measure, len(with.found[i]), len(plain.found[i]))
			}
		}
	}
	a, b := docs[0].bag, docs[1].bag
	if s := measure.FormulaOf(api.Repetition, api.Args{}).Score(a, b); s.Shared != s.Of {
		t.Errorf("eq. 3 = %v, want 1: all shingles are common", s)
	}
	if s := measure.FormulaOf(api.Multiset, api.Args{}).Score(a, b); s.Shared != a.Total || s.Of != b.Total {
		t.Errorf("multiset similarity = %v, want %d/%d", s, a.Total, b.Total)
	}
}

func TestWithout(t *testing.T) {
	all := []pair{{0, 1}, {0, 2}, {1, 2}}
	for _, tt := range []struct{ found, want []pair }{
		{nil, all}, {all, nil}, {[]pair{{0, 2}}, []pair{{0, 1}, {1, 2}}}, {[]pair{{0, 0}, {1, 2}, {5, 6}}, []pair{{0, 1}, {0, 2}}},
	} {
		if got := without(all, tt.found); !slices.Equal(got, tt.want) {
			t.Errorf("without(%v) = %v, want %v", tt.found, got, tt.want)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	docs, _ := documents(t, 2, "ab", "abc")
	g := newJudge(docs, nineTenths)
	if _, err := (method{j: nineTenths}).manyMany(ctx, g); err == nil {
		t.Error("manyMany goes on after its context has ended")
	}
	if _, err := (method{j: nineTenths}).manyOne(ctx, g, 1); err == nil {
		t.Error("manyOne goes on after its context has ended")
	}
	if _, err := allPairs(ctx, g); err == nil {
		t.Error("allPairs goes on after its context has ended")
	}
	if _, _, err := readDocuments(ctx, []corpora.Doc{{ID: "a"}}, 2); err == nil {
		t.Error("readDocuments goes on after its context has ended")
	}
}

// Paper 003, page 5, table 3, on other abstracts. The results kept beside this file are those of the code as it is: the rows of
// the corpus that has the paper's size. The two whole corpora take many minutes.
func TestKeptResults(t *testing.T) {
	if torture.Short() {
		t.Skip("repeats a part of the experiment: SIMDB_TORTURE=ci does")
	}
	dir := filepath.Dir(realtext.Path(t, paperSized.name+".jsonl.gz"))
	r, err := reportOf(t.Context(), dir, []corpus{paperSized}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := results.Check(r, ".", results.Part); err != nil {
		t.Error(err)
	}
}

// A small run, from files to the report and to simdb.
func TestReport(t *testing.T) {
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	f, err := os.Create(filepath.Join(in, "x.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	r := rand.New(rand.NewPCG(1, 5))
	lines := json.NewEncoder(z)
	for i, s := range append(randomTexts(r), strings.Repeat("lost by intervals ", 50), strings.Repeat("lost by intervals ", 70)) {
		if err := lines.Encode(corpora.Doc{ID: fmt.Sprint(i), Text: s}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	steps := 0
	o := report.Options{Progress: func(string, ...any) { steps++ }}
	made, err := reportOf(context.Background(), in, []corpus{{"x", 1000}, {"x", 0}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Write(out); err != nil {
		t.Fatal(err)
	}
	if steps == 0 {
		t.Error("no progress was told")
	}
	for name, want := range map[string]int{"corpora": 2, "many-many": 8, "many-one": 8, "lost": 8, "simdb": 8} {
		rows, err := results.ReadCSV(filepath.Join(out, name+".csv"))
		if err != nil || len(rows) != 1+want {
			t.Fatalf("%s.csv has %d rows, %v, want a head and %d", name, len(rows), err, want)
		}
		for _, row := range rows[1:] {
			switch {
			case name == "lost" && row[2] == "without" && row[4] != "0", name == "simdb" && row[2] != "interval" && row[5] != "0":
				t.Errorf("%s.csv: lost without intervals: %q", name, row)
			case name == "lost" && row[2] == "with" && row[4] == "0":
				t.Errorf("%s.csv: intervals lost nothing, not even the text made for it: %q", name, row)
			}
		}
	}
	if _, err := reportOf(context.Background(), in, []corpus{{"nosuch", 0}}, o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("report without its corpus = %v, want fs.ErrNotExist", err)
	}
}

// The distance of two parities is at most the number of symbols in which the
// sets differ, and as even or odd.
func TestParity(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		a, b := map[uint64]bool{}, map[uint64]bool{}
		for range r.IntN(3000) {
			s := r.Uint64N(20000)
			a[s] = true
			b[s] = r.IntN(10) > 0
		}
		maps.DeleteFunc(b, func(_ uint64, in bool) bool { return !in })
		p, q := parityOf(slices.Sorted(maps.Keys(a))), parityOf(slices.Sorted(maps.Keys(b)))
		if got, most := p.distance(&q), uint64(len(a)-len(b)); got > most || got%2 != most%2 {
			t.Errorf("seed %d: distance %d of sets that differ in %d symbols", seed, got, most)
		}
	}
}
