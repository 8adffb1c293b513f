package query

// The statements that the papers ask for.

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/run"
	"github.com/simdb/simdb/query/syntax"
)

// fakeReader is a snapshot whose answers are made up; it notes what it is asked.
type fakeReader struct {
	plan.Store
	asked  []string
	target api.Target // of the last search for one
}

func (f *fakeReader) ask(what string, args ...any) {
	f.asked = append(f.asked, what+" "+strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
}

func seqOf[T any](rows []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// searched shows a search; the bits of Args are shown as they are.
func searched(q engine.Search) string {
	return fmt.Sprintf("%s %+v access=%q min=%s limit=%d", q.Measure, q.Args, q.Access, q.Min, q.Limit)
}

// Find finds b at 8/10, c at 7/10 and d at 6/10, whatever is asked.
func (f *fakeReader) Find(_ context.Context, t api.Target, q engine.Search) (iter.Seq2[plan.Found, error], *api.Plan, error) {
	f.ask("Similar", t.ID, searched(q))
	f.target = t
	var rows []plan.Found
	for i, id := range []string{"b", "c", "d"} {
		s := uint64(8 - i)
		if q.Min.Admits(s, 10) {
			rows = append(rows, plan.Found{At: f, Match: api.Match{Collection: "docs", ID: id, Sim: float64(s) / 10, Shared: s, Union: 10, Of: 10, SI: api.SIValue{Value: int64(100 * s), Valid: true}}})
		}
	}
	return seqOf(rows), &api.Plan{}, nil
}

func (f *fakeReader) Pairs(_ context.Context, q engine.Search) (*engine.Result[api.PairMatch], error) {
	f.ask("Pairs", searched(q))
	rows := []api.PairMatch{{CollectionA: "docs", A: "a", CollectionB: "docs", B: "b", Sim: 0.9, Shared: 9, Union: 10, Of: 10}}
	return &engine.Result[api.PairMatch]{Plan: &api.Plan{}, All: seqOf(rows)}, nil
}

func (f *fakeReader) Clusters(_ context.Context, q engine.Search) (*engine.Result[api.ClusterMember], error) {
	f.ask("Clusters", searched(q))
	return &engine.Result[api.ClusterMember]{Plan: &api.Plan{}, All: seqOf[api.ClusterMember](nil)}, nil
}

// CompareBy gives each measure half, and has no value for entities.
func (f *fakeReader) CompareBy(_ context.Context, a, b api.Target, _ []string, methods []api.Method, _ api.Ignoring) ([]api.Comparison, error) {
	f.ask("CompareBy", a.ID, b.ID)
	var out []api.Comparison
	for _, m := range methods {
		out = append(out, api.Comparison{Method: m, Sim: 0.5, Shared: 3, Union: 6, Dist: 32, None: m.Measure == api.Entities})
	}
	return out, nil
}

func (f *fakeReader) Passages(_ context.Context, a, b api.Target, _ []string, args api.Args, _ api.Ignoring) ([]api.Passage, error) {
	f.ask("Passages", a.ID, b.ID, args.Min)
	return []api.Passage{{AStartByte: 1, AEndByte: 4, BStartByte: 2, BEndByte: 5, Chars: 2, A: "né", B: "né"}}, nil
}

func (f *fakeReader) Sentences(_ context.Context, a, b api.Target, _ []string, args api.Args) ([]api.SentencePair, error) {
	f.ask("Sentences", a.ID, b.ID, args.Bits)
	return []api.SentencePair{{Passage: api.Passage{AStartByte: 0, AEndByte: 2, BStartByte: 3, BEndByte: 5, A: "A.", B: "B."}, Dist: 3}}, nil
}

// Info gives b two indexes and all others none.
func (f *fakeReader) Info(collection, id string) (api.DocInfo, error) {
	info, err := f.Store.Info(collection, id)
	if id == "b" {
		info.SI = []api.SIValue{{Value: -7, Valid: true}, {Value: 8, Valid: true}}
	}
	return info, err
}

// Collection says that each keeps an index.
func (f *fakeReader) Collection(name string) (api.CollectionInfo, error) {
	c, err := f.Store.Collection(name)
	c.Settings.SI = "m43b k40"
	return c, err
}

// asked runs a statement against the fake and shows what it was asked, its
// columns, rows and notes.
func asked(t *testing.T, db *engine.DB, src string, args ...any) string {
	t.Helper()
	snap, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	s, err := syntax.Parse(src)
	if err != nil {
		return "error " + err.Error()
	}
	f := &fakeReader{Store: plan.Of(snap)}
	rows, err := run.Read(t.Context(), f, Options{}.with(args), s)
	if err != nil {
		return "error " + err.Error()
	}
	out := append(slices.Clone(f.asked), strings.Join(plan.NamesOf(rows.Columns), " "))
	for row, err := range rows.All {
		if err != nil {
			return "error " + err.Error()
		}
		out = append(out, strings.TrimSuffix(fmt.Sprintln(row...), "\n"))
	}
	for _, n := range notesOf(rows) {
		out = append(out, "-- "+n)
	}
	return strings.Join(out, "\n")
}

func notesOf(a *run.Answer) []string {
	if a.Notes == nil {
		return nil
	}
	return a.Notes()
}

// The methods of the papers reach the engine with their arguments, and their
// rows have the columns the measure fills.
func TestMethodsOfThePapers(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	answer(db, Options{}, "INSERT INTO docs (id, text) VALUES ('d', 'x')")
	const none = "{Alpha:1 Beta:1 Of:0 K:0 Min:0 Bits:0 Versions: TF:false IDF:false SI:}"
	theta := measure.DefaultVersions().Theta.String() // what scores so much is a version
	tests := []struct {
		src  string
		args []any
		want string
	}{
		{"SIMILAR TO a USING patricia(min=20, access='terms') WHERE sim >= 0.8", nil,
			`Similar a patricia {Alpha:1 Beta:1 Of:0 K:0 Min:20 Bits:0 Versions: TF:false IDF:false SI:} access="terms" min=0.8 limit=0
id sim shared union
b 0.8 8 10`},
		{"SIMILAR TO a USING patricia LIMIT 1", nil,
			"Similar a patricia " + none + ` access="" min=0.8 limit=1
id sim shared union
b 0.8 8 10
-- no threshold given: sim >= 0.8`},
		{"SIMILAR TO a USING versions(bits=0) WHERE sim >= 0.5 RETURNING id", nil,
			`Similar a versions {Alpha:1 Beta:1 Of:0 K:0 Min:0 Bits:-1 Versions: TF:false IDF:false SI:} access="" min=0.5 limit=0
id
b
c
d`},
		{"SIMILAR TO a USING versions WHERE sim >= 0 RETURNING count(*)", nil,
			"Similar a versions " + none + ` access="" min=0 limit=0
count
3`},
		{"CLUSTERS USING versions", nil,
			"Clusters versions " + none + ` access="" min=` + theta + ` limit=0
cluster id size
-- no threshold given: sim >= ` + theta},
		{"SIMILAR TO a USING entities(tf=on, bits=5, access=chunks) RETURNING count(*)", nil,
			`Similar a entities {Alpha:1 Beta:1 Of:0 K:0 Min:0 Bits:5 Versions: TF:true IDF:false SI:} access="chunks" min=0.5 limit=0
count
3
-- no threshold given: sim >= 0.5`},
		{"SIMILAR TO a USING words(idf=TRUE) WHERE sim >= 75%", nil,
			`Similar a words {Alpha:1 Beta:1 Of:0 K:0 Min:0 Bits:0 Versions: TF:false IDF:true SI:} access="" min=0.75 limit=0
id sim
b 0.8`},
		{"SIMILAR TO a USING words WHERE shared > 1", nil,
			`error 1:32: want a field of this statement, found "shared"; words has no shared and union`},

		{"SIMILAR TO a USING si", nil,
			"Similar a si " + none + ` access="" min=0.7 limit=0
id sim si
b 0.8 800
-- no threshold given: si WITHIN 30%`},
		{"SIMILAR TO a USING si(method=43, variation='B', k=40, access='range') WHERE si WITHIN 30% LIMIT 9", nil,
			`Similar a si {Alpha:1 Beta:1 Of:0 K:0 Min:0 Bits:0 Versions: TF:false IDF:false SI:m43b k40} access="range" min=0.7 limit=36
id sim si
b 0.8 800`},
		{"SIMILAR TO a USING si('m3b k16') WHERE sim >= 70%", nil,
			`Similar a si {Alpha:1 Beta:1 Of:0 K:0 Min:0 Bits:0 Versions: TF:false IDF:false SI:m3b k16} access="" min=0.7 limit=0
id sim si
b 0.8 800
c 0.7 700`},
		{"SIMILAR TO a USING si(method=7, w=5, n=200) WHERE si WITHIN ? AND sim < 0.8", []any{0.4},
			`Similar a si {Alpha:1 Beta:1 Of:0 K:0 Min:0 Bits:0 Versions: TF:false IDF:false SI:m7a w5 n200} access="" min=0.6 limit=0
id sim si
c 0.7 700`},
		{"SIMILAR TO a USING si WHERE NOT si WITHIN 30%", nil,
			"Similar a si " + none + ` access="" min=0 limit=0
id sim si
c 0.7 700
d 0.6 600`},
		{"SIMILAR TO a USING si WHERE si WITHIN ? OR si = 600", []any{"near"},
			`error 1:39: want a number for $1, found the string "near"`},
		{"SIMILAR TO a USING si WHERE si WITHIN ?", []any{30},
			`error 1:39: want a similarity between 0 and 1, found "30"; did you mean 30%?`},
		{"SIMILAR TO a USING si WHERE si WITHIN ?", []any{nil},
			"Similar a si " + none + ` access="" min=0 limit=0
id sim si`},
		{"SELECT id, si, sim FROM docs WHERE similarity('a' USING si) > 0.5 AND si WITHIN 35% ORDER BY si", nil,
			"Similar a si " + none + ` access="" min=0.65 limit=0
id si sim
c 700 0.7
b 800 0.8`},
		{"SIMILAR PAIRS USING si", nil,
			"Pairs si " + none + ` access="" min=0.7 limit=0
a b sim
a b 0.9
-- no threshold given: si WITHIN 30%
-- ` + "the measure is not symmetric, and only a is the query, whose id is less: DIRECTED, SIMILAR PAIRS NEAREST and SIMILAR TO ask both ways"},
		{"SIMILAR PAIRS USING si WHERE b.si < 10 RETURNING a, b.si, a.si", nil,
			"Pairs si " + none + ` access="" min=0.7 limit=0
a b.si a.si
a -7 <nil>
-- no threshold given: si WITHIN 30%
-- ` + "the measure is not symmetric, and only a is the query, whose id is less: DIRECTED, SIMILAR PAIRS NEAREST and SIMILAR TO ask both ways"},
		{"CLUSTERS USING si", nil,
			"Clusters si " + none + ` access="" min=0.7 limit=0
cluster id size
-- no threshold given: sim >= 70%`},
		{"CLUSTERS USING si WHERE si WITHIN 30%", nil,
			"error 1:25: want sim >= and a number as the only test of sim; CLUSTERS joins what is at or above one similarity; for single rows there is HAVING"},
		{"SELECT id, si FROM docs WHERE id = 'b' OR si = 8", nil, "id si\nb <nil>"},
		{"SELECT id, si FROM docs WHERE id = 'b'", nil, "id si\nb -7"},

		{"COMPARE a WITH b USING patricia(min=10), words(idf=on), si('m43b k40'), simhash, entities", nil,
			`CompareBy a b
measure sim shared union dist
patricia(min=10) 0.5 3 6 <nil>
words(idf='on') 0.5 <nil> <nil> <nil>
si('m43b k40') 0.5 <nil> <nil> <nil>
simhash 0.5 <nil> <nil> 32
entities <nil> <nil> <nil> <nil>`},
		{"COMPARE a WITH b USING patricia(min=10), patricia, patricia(min=10)", nil,
			"CompareBy a b\nmeasure sim shared union dist\npatricia(min=10) 0.5 3 6 <nil>\npatricia 0.5 3 6 <nil>"},
		{"COMPARE a WITH b SHOW PASSAGES", nil, "Passages a b 0\na_start_byte a_end_byte b_start_byte b_end_byte chars text\n1 4 2 5 2 né"},
		{"COMPARE a WITH b USING patricia(min=20) SHOW PASSAGES", nil,
			"Passages a b 20\na_start_byte a_end_byte b_start_byte b_end_byte chars text\n1 4 2 5 2 né"},
		{"COMPARE a WITH b USING versions(bits=0) SHOW SENTENCES", nil,
			"Sentences a b -1\na_start_byte a_end_byte b_start_byte b_end_byte dist a b\n0 2 3 5 3 A. B."},
		{"COMPARE a WITH FINGERPRINT ? SHOW SENTENCES", []any{strings.Repeat("01", 32)},
			"error 1:16: want an id, FILE or TEXT, found FINGERPRINT; a fingerprint compares only with fingerprints: USING simhash"},
	}
	for _, tt := range tests {
		if got := asked(t, db, tt.src, tt.args...); got != tt.want {
			t.Errorf("%s %v gives\n%s\nwant\n%s", tt.src, tt.args, got, tt.want)
		}
	}
}

// Paper 002, page 2, and page 27, table 21: the query that its author wished for. The probe of similarity(simhash, …) is a stored document or, where there is
// none of that id, a fingerprint.
func TestProbeByFingerprint(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	digits := strings.Repeat("0", 62) + "11"
	snap, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	probe := func(src string, args ...any) string {
		s, err := syntax.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		f := &fakeReader{Store: plan.Of(snap)}
		if _, err := run.Read(t.Context(), f, Options{}.with(args), s); err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%+v", f.target)
	}
	byID, byFingerprint := fmt.Sprintf("%+v", api.ByID("a")), fmt.Sprintf("%+v", api.ByFingerprint(3))
	for _, tt := range []struct {
		src  string
		args []any
		want string
	}{
		{"SELECT id FROM docs WHERE similarity(simhash, ['a']) >= 80%", nil, byID},
		{"SELECT id FROM docs WHERE similarity(simhash, [" + digits + "]) >= 80%", nil, byFingerprint},
		{"SELECT id FROM docs WHERE isSimilar(simhash, '" + digits + "')", nil, byFingerprint},
		{"SELECT id FROM docs WHERE isSimilar(simhash, ?)", []any{digits}, byFingerprint},
		{"SELECT id FROM docs WHERE isSimilar(simhash, FINGERPRINT ?)", []any{digits}, byFingerprint},
		{"SELECT id FROM docs WHERE similarity(FINGERPRINT ? USING simhash) > 0", []any{digits}, byFingerprint},
		{"SELECT id FROM docs WHERE similarity(FINGERPRINT ?) > 0", []any{digits},
			"1:38: want an id, FILE or TEXT, found FINGERPRINT; a fingerprint compares only with fingerprints: USING simhash"},
		{"SIMILAR TO FINGERPRINT ? USING simhash", []any{digits}, byFingerprint},
		{"SIMILAR TO FINGERPRINT ? USING simhash", []any{"a"}, `1:24: want 64 binary digits, found the string "a"`},
		{"SIMILAR TO ? USING simhash", []any{digits}, `1:12: want the id of a document in docs, found "` + digits[:40] + `…"; to compare with a text, write TEXT '…'`},
	} {
		if got := probe(tt.src, tt.args...); got != tt.want {
			t.Errorf("%s %v probes with %s, want %s", tt.src, tt.args, got, tt.want)
		}
	}
	answer(db, Options{}, "INSERT INTO docs (id, text) VALUES (?, 'x')", digits)
	snap2, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap2.Close()
	snap = snap2
	if got, want := probe("SELECT id FROM docs WHERE isSimilar(simhash, ?)", digits), fmt.Sprintf("%+v", api.ByID(digits)); got != want {
		t.Errorf("a stored id that reads as a fingerprint probes with %s, want %s", got, want)
	}
}

// Paper 002, page 16, table 14, and the queries of tables 11 (page 11), 19 (page 24) and 22
// (page 28): si_view holds both directions of every pair at or above its threshold, as a
// comparison of all with all does, and its order is by similarity.
func TestViewAgainstBruteForce(t *testing.T) {
	db := openStore(t)
	for i := range 40 {
		words := []string{"w", fmt.Sprint("w", i%5)}
		for j := range 25 {
			words = append(words, fmt.Sprint("w", (j*(1+i%3)+i/8)%31))
		}
		src := fmt.Sprintf("INSERT INTO %s (id, text) VALUES ('%d', '%s')", []string{"docs", "more"}[i%2], i/2, strings.Join(words, " "))
		if got := answer(db, Options{}, src); got != "inserted replaced\n1 0\n" {
			t.Fatal(got)
		}
	}
	hashes := map[string]string{} // collection and id
	for line := range strings.Lines(answer(db, Options{}, "SELECT collection, id, simhash FROM docs, more")) {
		if f := strings.Fields(line); strings.HasPrefix(line, `"`) {
			hashes[f[0]+f[1]] = f[2]
		}
	}
	for _, where := range []string{"", " WHERE distance <= 25", " WHERE similarity > 80%", " WHERE id = '3' AND similarity >= 0.5",
		" WHERE similar_id IN ('3', '4', 'x') AND similarity >= 0.5", " WHERE id = '3' AND similar_id = '4' AND distance < 64"} {
		want := map[string]bool{}
		for a, ha := range hashes {
			for b, hb := range hashes {
				dist := 0
				for i := range ha {
					dist += b2i(ha[i] != hb[i])
				}
				idA, idB := a[strings.Index(a, `""`)+1:], b[strings.Index(b, `""`)+1:]
				in := map[string]bool{
					"":                                      5*10*dist <= 3*5*64,
					" WHERE distance <= 25":                 dist <= 25,
					" WHERE similarity > 80%":               5*(64-dist) > 4*64,
					" WHERE id = '3' AND similarity >= 0.5": idA == `"3"` && dist <= 32,
					" WHERE similar_id IN ('3', '4', 'x') AND similarity >= 0.5": (idB == `"3"` || idB == `"4"`) && dist <= 32,
					" WHERE id = '3' AND similar_id = '4' AND distance < 64":     idA == `"3"` && idB == `"4"` && dist < 64,
				}[where]
				if in && a != b {
					want[fmt.Sprint(a, b, " ", dist)] = true
				}
			}
		}
		last, rows := -1, 0
		for line := range strings.Lines(answer(db, Options{}, "SELECT collection, id, similar_collection, similar_id, distance FROM si_view IN docs, more"+where)) {
			f := strings.Fields(line)
			if !strings.HasPrefix(line, `"`) {
				continue
			}
			rows++
			if key := fmt.Sprint(f[0]+f[1], f[2]+f[3], " ", f[4]); !want[key] {
				t.Errorf("si_view%s has %s, want no such row", where, key)
			}
			var dist int
			fmt.Sscan(f[4], &dist)
			if dist < last && !strings.Contains(where, "'3'") {
				t.Errorf("si_view%s: distance %d after %d", where, dist, last)
			}
			last = dist
		}
		if rows != len(want) || rows == 0 {
			t.Errorf("si_view%s has %d rows, want %d, which are some", where, rows, len(want))
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
