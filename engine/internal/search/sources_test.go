package search_test

// SOURCES OF against its definition, computed one passage at a time.

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/internal/torture"
)

// plainCover is the definition: of all pieces of passages that are free the longest, until
// there is none.
func plainCover(ctx context.Context, t *testing.T, s *engine.Snapshot, query string, self api.Document, q api.Sources) api.Cover {
	least := cmp.Or(q.Min, 30)
	own := text.Align(query)
	longest := min(2*least, utf8.RuneCount(own.Norm)/10)
	type piece struct {
		api.Document
		at, from, to, chars int
		of                  int // the characters of all passages of the document
	}
	var all []piece
	align := map[[2]string]text.Alignment{}
	for _, c := range q.In {
		for d, err := range s.Documents(ctx, c) {
			if err != nil {
				t.Fatal(err)
			}
			info, err := s.Info(c, d.ID)
			if err != nil {
				t.Fatal(err)
			}
			if info.Shingles == 0 || d.ID == self.ID && c == self.Collection {
				continue
			}
			d.Collection = c
			a := text.Align(d.Text)
			align[[2]string{c, d.ID}] = a
			index := measure.NewSiStringsAt(a.Norm, text.TermStarts(a.Norm))
			passages := index.Passages(own.Norm, least)
			if !slices.ContainsFunc(passages, func(p measure.Passage) bool { return p.Chars > longest }) {
				continue
			}
			for _, p := range passages {
				all = append(all, piece{d, p.P, p.C, p.C + p.Bytes, p.Chars, index.Matched(own.Norm, least)})
			}
		}
	}
	taken := make([]bool, len(own.Norm))
	found := map[[2]string]*api.Source{}
	for {
		var best *piece
		for _, p := range all {
			for from := p.from; from < p.to; from++ {
				if taken[from] || from > p.from && !taken[from-1] {
					continue
				}
				to := from
				for to < p.to && !taken[to] {
					to++
				}
				x := piece{p.Document, p.at + from - p.from, from, to, utf8.RuneCount(own.Norm[from:to]), p.of}
				if x.chars > least && (best == nil || cmp.Or(cmp.Compare(best.chars, x.chars), cmp.Compare(best.of, x.of), cmp.Compare(x.from, best.from),
					cmp.Compare(x.ID, best.ID), cmp.Compare(x.Collection, best.Collection), cmp.Compare(x.at, best.at)) < 0) {
					best = &x
				}
			}
		}
		if best == nil {
			break
		}
		for i := best.from; i < best.to; i++ {
			taken[i] = true
		}
		key := [2]string{best.Collection, best.ID}
		if found[key] == nil {
			found[key] = &api.Source{Collection: best.Collection, ID: best.ID}
		}
		p := api.Passage{Chars: best.chars}
		p.AStartByte, p.AEndByte = own.Raw(best.from, best.to)
		p.BStartByte, p.BEndByte = align[key].Raw(best.at, best.at+best.to-best.from)
		p.A, p.B = query[p.AStartByte:p.AEndByte], best.Text[p.BStartByte:p.BEndByte]
		if norm := text.Char.Normalize; strings.TrimSpace(string(own.Norm[best.from:best.to])) != string(norm(nil, p.B)) {
			t.Fatalf("passage %q is %q in %s", p.A, p.B, best.ID)
		}
		found[key].Chars += p.Chars
		found[key].Passages = append(found[key].Passages, p)
	}
	out := api.Cover{Chars: utf8.RuneCount(own.Norm)}
	for _, x := range found {
		slices.SortFunc(x.Passages, func(a, b api.Passage) int { return a.AStartByte - b.AStartByte })
		out.Sources = append(out.Sources, *x)
	}
	slices.SortFunc(out.Sources, func(a, b api.Source) int {
		return cmp.Or(b.Chars-a.Chars, cmp.Compare(a.ID, b.ID), cmp.Compare(a.Collection, b.Collection))
	})
	return out
}

// composed puts a text together of pieces of others and of words of its own.
func composed(rng *rand.Rand, from []string) string {
	var b strings.Builder
	for range 1 + rng.IntN(12) {
		if rng.IntN(3) == 0 {
			for range rng.IntN(12) {
				fmt.Fprintf(&b, "own%d ", rng.IntN(1000))
			}
			continue
		}
		x := from[rng.IntN(len(from))]
		i := rng.IntN(len(x))
		b.WriteString(strings.ToValidUTF8(x[i:min(len(x), i+1+rng.IntN([]int{25, 400}[rng.IntN(2)]))], ""))
		b.WriteString([]string{" ", "\n\n", ""}[rng.IntN(3)])
	}
	return b.String()
}

func TestSources(t *testing.T) {
	t.Parallel()
	t.Run("generated", func(t *testing.T) {
		g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(7, 3)), Prose: true}
		var from []string
		for range 60 {
			from = append(from, g.Next()+" "+g.Next())
		}
		checkSources(t, from)
	})
	t.Run("licences", func(t *testing.T) {
		var from []string
		for _, x := range realtext.Files(t, "spdx") {
			from = append(from, strings.ToValidUTF8(x[:min(len(x), 3000)], ""))
		}
		checkSources(t, from[:min(len(from), 60)])
	})
}

func checkSources(t *testing.T, from []string) {
	ctx, rng := t.Context(), rand.New(rand.NewPCG(1, 5))
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	kinds := []api.Settings{{}, {Patricia: true}, {Patricia: true, Unit: "char", K: 5, Words: true}}
	put := func(id int) {
		x := composed(rng, from)
		if rng.IntN(2) == 0 {
			x = from[id%len(from)]
		}
		for i := range kinds {
			if err := db.Put(ctx, api.Document{Collection: fmt.Sprint("c", i), ID: fmt.Sprint(id), Text: x}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, s := range kinds {
		if err := db.CreateCollection(ctx, fmt.Sprint("c", i), s); err != nil {
			t.Fatal(err)
		}
	}
	found, several, queries := 0, 0, torture.Few(6, 60)
	for round := range 3 {
		for id := range 40 {
			if round == 0 || rng.IntN(4) == 0 {
				put(id + rng.IntN(3)*100)
			}
		}
		if round == 1 {
			enginetest.Settled(t, db)
		}
		if round == 2 { // some without postings, some gone
			for range 10 {
				if err := db.Delete(ctx, "c1", fmt.Sprint(rng.IntN(40))); err != nil {
					t.Fatal(err)
				}
			}
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for range queries {
			q := api.Sources{Min: []int{0, 1, 14, 15, 16, 26, 27, 28, 50, 200}[rng.IntN(10)]}
			for i := range kinds {
				if rng.IntN(2) == 0 {
					q.In = append(q.In, fmt.Sprint("c", i))
				}
			}
			if len(q.In) == 0 {
				continue
			}
			query, self, target := composed(rng, from[:[]int{4, len(from)}[rng.IntN(2)]]), api.Document{}, api.Target{}
			if target = api.ByText(query); rng.IntN(3) == 0 {
				self.Collection = q.In[0]
				for id, err := range s.IDs(ctx, q.In[0], "") {
					if err != nil {
						t.Fatal(err)
					}
					if self.ID = id; rng.IntN(20) == 0 {
						break
					}
				}
				d, err := s.Get(self.Collection, self.ID)
				if err != nil {
					t.Fatal(err)
				}
				query, target = d.Text, api.ByID(self.ID)
			}
			got, err := s.Sources(ctx, target, q)
			if err != nil {
				t.Fatal(err)
			}
			want := plainCover(ctx, t, s, query, self, q)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("round %d, %+v, %q:\n%+v\nwant\n%+v", round, q, query, got, want)
			}
			if len(got.Sources) > 0 {
				found++
			}
			if len(got.Sources) > 1 {
				several++
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if found < queries/2 || several < queries/3 {
		t.Errorf("%d texts have sources, %d several: too few to tell", found, several)
	}
}
