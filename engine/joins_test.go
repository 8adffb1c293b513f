// Joins: all ways alike, of equal and nearly equal documents, and on a disk that fails.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
)

// 5,000 equal documents are one set: no pair is listed before it is asked for.
func TestEqualDocuments(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, err := Open(filepath.Join(t.TempDir(), "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const n = 5000
	var b Batch
	for i := range n {
		b.Put(api.Document{ID: fmt.Sprintf("same-%04d", i), Text: "one text that is stored again and again"})
	}
	for i := range 50 {
		b.Put(api.Document{ID: fmt.Sprintf("other-%d", i), Text: fmt.Sprintf("text number %d differs from all %d others %d", i, i*7, i*i)})
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	for _, limit := range []int{10, 0} {
		r, err := s.Pairs(ctx, Search{Min: api.Ratio(4, 5), Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		last := api.PairMatch{}
		for m, err := range r.All {
			if err != nil {
				t.Fatal(err)
			}
			if m.A >= m.B || m.A < last.A || m.A == last.A && m.B <= last.B || m.Shared != m.Union {
				t.Fatalf("row %d: %+v after %+v", rows, m, last)
			}
			last = m
			if rows++; rows == limit {
				break
			}
		}
		if want := n * (n - 1) / 2; limit == 0 && rows != want {
			t.Errorf("%d pairs, want %d", rows, want)
		}
		if r.Plan.Candidates > 2000 {
			t.Errorf("%d candidates for equal documents", r.Plan.Candidates)
		}
	}
	r, err := s.Clusters(ctx, Search{Min: api.Ratio(4, 5)})
	members := collect(t, r, err)
	if len(members) != n || members[0].Size != n || members[0].Cluster != "same-0000" {
		t.Errorf("%d members in clusters, the first %+v", len(members), members[0])
	}
}

// A clump of near-copies has the pairs of brute force, also when its sets do not
// fit in memory together.
func TestPairsOfAClump(t *testing.T) {
	const seed, documents = 4, 130
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, memory := range []int64{1 << 26, 1 << 18} {
		o := testOptions(vfs.NewMem())
		o.MemoryBytes = memory
		db := openTest(t, o)
		m := newModel(analysisOf(api.Settings{}))
		for i := range documents {
			words := strings.Fields(strings.Repeat("a b c d e f g h i j k l m n o p q r s t ", 6))
			for range 1 + i%4 {
				words[rng.IntN(len(words))] = fmt.Sprint(rng.IntN(8))
			}
			id, text := fmt.Sprintf("d%03d", i), strings.Join(words, " ")
			if err := db.Put(context.Background(), api.Document{ID: id, Text: text}); err != nil {
				t.Fatal(err)
			}
			m.put(id, text)
		}
		s, _ := db.Snapshot()
		for _, min := range []string{"0.9", "1/2", "0.2"} {
			q := Search{}
			q.Min, _ = api.ParseThreshold(min)
			if got, want := pairRows(t, s, q), m.pairs(q); !slices.Equal(got, want) {
				t.Errorf("seed %d: %d bytes of memory, sim >= %s: %d pairs, want %d\n%s", seed, memory, min, len(got), len(want), difference(got, want))
			}
			if q.Access = api.AccessPrefix; min == "0.2" {
				continue // no postings are for it
			}
			if got, want := pairRows(t, s, q), m.pairs(q); !slices.Equal(got, want) {
				t.Errorf("seed %d: %d bytes of memory, sim >= %s by postings: %d pairs, want %d", seed, memory, min, len(got), len(want))
			}
		}
		s.Close()
		db.Close()
	}
}

// All ways of a join give the same pairs, and so do wide signatures.
func TestJoinsAgree(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	for i := range 120 {
		text := ""
		for w := range 30 {
			if w < 3*(i%4) {
				text += fmt.Sprint(" own", i, "word", w)
			} else {
				text += fmt.Sprint(" w", i/4*100+w)
			}
		}
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, at := range []api.Threshold{api.Ratio(1, 2), api.Ratio(4, 5)} {
		var want []api.PairMatch
		for _, access := range []api.Access{api.AccessScan, api.AccessPrefix, api.AccessSignature, api.AccessAuto} {
			r, err := s.Pairs(ctx, Search{Min: at, Access: access})
			if err != nil {
				t.Fatal(err)
			}
			var got []api.PairMatch
			for m, err := range r.All {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, m)
			}
			if access == api.AccessScan {
				want = got
			}
			if len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("pairs at %s by %q = %d rows, want %d", at, access, len(got), len(want))
			}
		}
	}
}

// A join whose runs find no room on disk ends with why, and has not hurt the store.
func TestJoinOnAFailingDisk(t *testing.T) {
	ctx := context.Background()
	mem := vfs.NewMem()
	failing := errorfs.Toggle{Injector: errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite && strings.Contains(op.Path, "JOIN-") {
			return errors.New("disk full")
		}
		return nil
	})}
	o := testOptions(errorfs.Wrap(mem, &failing))
	o.MemoryBytes = 1 << 10 // room for nine edges
	db := openTest(t, o)
	for i := range 30 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("many words that are the same everywhere but for number ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	q := Search{Min: api.Ratio(1, 2)}
	failing.On()
	if _, err := s.Pairs(ctx, q); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("Pairs = %v, want that the disk is full", err)
	}
	failing.Off()
	if n := len(pairRows(t, s, q)); n != 30*29/2 {
		t.Errorf("%d pairs, want %d", n, 30*29/2)
	}
	s.Close()
	if err := errors.Join(db.Put(ctx, api.Document{ID: "a", Text: "one two three four"}), db.Close()); err != nil {
		t.Errorf("a failed join has hurt the store: %v", err)
	}
	names, err := mem.List("db")
	if err != nil || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "JOIN-") }) {
		t.Errorf("%v are left, %v", names, err)
	}
}
