package measure_test

// The measures of chunks, versions and entities.

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
)

func TestMatchChunks(t *testing.T) {
	for _, c := range []struct {
		query, doc []uint32
		dist       int
		want       measure.ChunkMatch
	}{
		{nil, nil, 3, measure.ChunkMatch{}},
		{[]uint32{1}, nil, 32, measure.ChunkMatch{Query: 1}},
		{[]uint32{0b0000, 0b0111, 1 << 31}, []uint32{0b0001, 0b0011}, 0, measure.ChunkMatch{Query: 3, Doc: 2}},
		{[]uint32{0b0000, 0b0111, 1 << 31}, []uint32{0b0001, 0b0011}, 1, measure.ChunkMatch{Query: 3, Doc: 2, QueryMatched: 2, DocMatched: 2}},
		{[]uint32{0b0000, 0b0111, 1 << 31}, []uint32{0b0001}, 2, measure.ChunkMatch{Query: 3, Doc: 1, QueryMatched: 3, DocMatched: 1}},
		{[]uint32{1537307734}, []uint32{1218804829}, 7, measure.ChunkMatch{Query: 1, Doc: 1}},
		{[]uint32{1537307734}, []uint32{1218804829}, 8, measure.ChunkMatch{Query: 1, Doc: 1, QueryMatched: 1, DocMatched: 1}},
	} {
		if got := measure.MatchChunks(c.query, c.doc, c.dist); got != c.want {
			t.Errorf("MatchChunks(%b, %b, %d) = %+v, want %+v", c.query, c.doc, c.dist, got, c.want)
		}
	}
}

// A chunk has a partner iff a list of only that chunk matches the other list.
func TestMatchChunksOneByOne(t *testing.T) {
	const seed = 44
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 300 {
		most := 40
		if n%25 == 0 {
			most = 2000 // long lists use another algorithm
		}
		list := func() (chunks []uint32) {
			for range rng.IntN(most) {
				chunks = append(chunks, rng.Uint32()&rng.Uint32()&rng.Uint32())
			}
			slices.Sort(chunks)
			return slices.Compact(chunks)
		}
		query, doc, dist := list(), list(), n%8
		got := measure.MatchChunks(query, doc, dist)
		want := measure.ChunkMatch{Query: len(query), Doc: len(doc)}
		for _, q := range query {
			want.QueryMatched += measure.MatchChunks([]uint32{q}, doc, dist).QueryMatched
		}
		for _, d := range doc {
			want.DocMatched += measure.MatchChunks(query, []uint32{d}, dist).DocMatched
		}
		if got != want {
			t.Fatalf("seed %d: MatchChunks at %d = %+v, want %+v", seed, dist, got, want)
		}
	}
}

func BenchmarkMatchChunks(b *testing.B) {
	for _, n := range []int{20, 10000} {
		rng := rand.New(rand.NewPCG(1, 1))
		query, doc := make([]uint32, n), make([]uint32, n)
		for i := range n {
			query[i], doc[i] = rng.Uint32(), rng.Uint32()
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				measure.MatchChunks(query, doc, 3)
			}
		})
	}
}

func ratOf(s measure.Score) *big.Rat { return rat(s.Shared, s.Of) }

func TestVersionScore(t *testing.T) {
	rule := measure.VersionRule{Bits: 3, Share: api.Ratio(3, 5), Theta: api.Ratio(4, 5)}
	for _, c := range []struct {
		m        measure.ChunkMatch
		num, den uint64
	}{
		{measure.ChunkMatch{Query: 5, Doc: 5}, 0, 1},
		{measure.ChunkMatch{Query: 5, Doc: 5, QueryMatched: 5, DocMatched: 5}, 1, 1},
		{measure.ChunkMatch{Query: 5, Doc: 5, QueryMatched: 3, DocMatched: 3}, 4, 5},   // at Share
		{measure.ChunkMatch{Query: 5, Doc: 5, QueryMatched: 4, DocMatched: 4}, 9, 10},  // half way from 0.6 to 1
		{measure.ChunkMatch{Query: 5, Doc: 5, QueryMatched: 3, DocMatched: 2}, 2, 3},   // 0.5/0.6·0.8
		{measure.ChunkMatch{Query: 3, Doc: 5, QueryMatched: 3, DocMatched: 3}, 7, 8},   // Dice 3/4
		{measure.ChunkMatch{Query: 1, Doc: 99, QueryMatched: 1, DocMatched: 1}, 2, 75}, // 0.02/0.6·0.8
	} {
		if got := rule.Score(c.m); ratOf(got).Cmp(rat(c.num, c.den)) != 0 {
			t.Errorf("Score(%+v) = %d/%d, want %d/%d", c.m, got.Shared, got.Of, c.num, c.den)
		}
	}
	if got := rule.Score(measure.ChunkMatch{}); got.Sim() != 0 || rule.Theta.Admits(got.Shared, got.Of) {
		t.Errorf("Score of no chunks = %+v, want none", got)
	}
	all := measure.VersionRule{Share: api.Ratio(1, 1), Theta: api.Ratio(1, 2)}
	if got := all.Score(measure.ChunkMatch{Query: 1, Doc: 1, QueryMatched: 1, DocMatched: 1}); got.Sim() != 1 {
		t.Errorf("share 1: Score of all = %+v, want 1", got)
	}
	if got := all.Score(measure.ChunkMatch{Query: 4, Doc: 4, QueryMatched: 4, DocMatched: 3}); ratOf(got).Cmp(rat(7, 16)) != 0 {
		t.Errorf("share 1: Score of 7 in 8 = %+v, want 7/16", got)
	}
}

// rises checks that a score grows with the matches, is at least theta iff related
// holds, and is a similarity.
func rises(t *testing.T, score func(measure.ChunkMatch) measure.Score, theta api.Threshold, related func(measure.ChunkMatch) bool) {
	t.Helper()
	for _, sizes := range [][2]int{{1, 1}, {1, 4}, {3, 5}, {7, 7}} {
		for q := range sizes[0] + 1 {
			for d := range sizes[1] + 1 {
				m := measure.ChunkMatch{Query: sizes[0], Doc: sizes[1], QueryMatched: q, DocMatched: d}
				s := score(m)
				if s.Of == 0 || s.Shared > s.Of || s.Union != s.Of {
					t.Fatalf("Score(%+v) = %+v, want a ratio up to 1", m, s)
				}
				if got := theta.Admits(s.Shared, s.Of); got != related(m) {
					t.Errorf("Score(%+v) = %+v: at least %v is %v, want %v", m, s, theta, got, related(m))
				}
				if (s.Shared == s.Of) != (q == sizes[0] && d == sizes[1]) {
					t.Errorf("Score(%+v) = %+v, want 1 for all chunks only", m, s)
				}
				if q+d == 0 && s.Shared != 0 {
					t.Errorf("Score(%+v) = %+v, want 0", m, s)
				}
				for _, less := range []measure.ChunkMatch{{Query: m.Query, Doc: m.Doc, QueryMatched: q - 1, DocMatched: d}, {Query: m.Query, Doc: m.Doc, QueryMatched: q, DocMatched: d - 1}} {
					if less.QueryMatched >= 0 && less.DocMatched >= 0 && ratOf(score(less)).Cmp(ratOf(s)) > 0 {
						t.Errorf("Score(%+v) = %+v is less than that of %+v", m, s, less)
					}
				}
			}
		}
	}
}

func TestVersionScoreRises(t *testing.T) {
	for _, rule := range []measure.VersionRule{
		measure.DefaultVersions(),
		{Share: api.Ratio(1, 3), Theta: api.Ratio(9, 10)},
		{Share: api.Ratio(1, 32768), Theta: api.Ratio(2, 3)},
		{Share: api.Ratio(32767, 32768), Theta: api.Ratio(32767, 32768)},
	} {
		rises(t, rule.Score, rule.Theta, func(m measure.ChunkMatch) bool {
			return rule.Share.Admits(uint64(m.QueryMatched+m.DocMatched), uint64(m.Query+m.Doc))
		})
	}
}

// The greatest possible numbers do not overflow.
func TestVersionScoreOfManyChunks(t *testing.T) {
	rule := measure.VersionRule{Share: api.Ratio(16383, 32768), Theta: api.Ratio(32767, 32768)}
	const most = 1 << 32
	for _, matched := range []int{1, most / 3, most / 2, most - 1, most} {
		m := measure.ChunkMatch{Query: most, Doc: most, QueryMatched: matched, DocMatched: matched}
		share, theta, one := rat(16383, 32768), rat(32767, 32768), rat(1, 1)
		want := rat(uint64(matched), most)
		if want.Cmp(share) < 0 {
			want.Quo(want.Mul(want, theta), share)
		} else {
			want.Sub(want, share).Mul(want, new(big.Rat).Sub(one, theta)).Quo(want, new(big.Rat).Sub(one, share)).Add(want, theta)
		}
		if got := rule.Score(m); ratOf(got).Cmp(want) != 0 {
			t.Errorf("Score(%+v) = %+v, want %v", m, got, want)
		}
	}
}

func TestRulesCheck(t *testing.T) {
	half := api.Ratio(1, 2)
	small, err := api.ParseThreshold("1/32769")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []interface{ Check() error }{
		measure.VersionRule{Share: half}, measure.VersionRule{Theta: half},
		measure.VersionRule{Share: small, Theta: half}, measure.VersionRule{Share: half, Theta: small},
		measure.VersionRule{Bits: 33, Share: half, Theta: half}, measure.VersionRule{Bits: -1, Share: half, Theta: half},
		measure.EntityRule{Bits: 3}, measure.EntityRule{Bits: 33, Paragraphs: 1}, measure.EntityRule{Bits: -1, Paragraphs: 1},
	} {
		if r.Check() == nil {
			t.Errorf("Check(%+v) = nil, want an error", r)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Score by %+v did not panic", r)
				}
			}()
			switch r := r.(type) {
			case measure.VersionRule:
				r.Score(measure.ChunkMatch{})
			case measure.EntityRule:
				r.Score(measure.ChunkMatch{})
			}
		}()
	}
	for _, r := range []interface{ Check() error }{measure.DefaultVersions(), measure.DefaultEntities(), measure.VersionRule{Bits: 32, Share: half, Theta: half}} {
		if err := r.Check(); err != nil {
			t.Errorf("Check(%+v) = %v", r, err)
		}
	}
}

func TestEntityScore(t *testing.T) {
	one, two := measure.EntityRule{Paragraphs: 1}, measure.EntityRule{Paragraphs: 2}
	for _, c := range []struct {
		rule     measure.EntityRule
		m        measure.ChunkMatch
		num, den uint64
	}{
		{one, measure.ChunkMatch{Query: 3, Doc: 5}, 0, 1},
		{one, measure.ChunkMatch{Query: 3, Doc: 5, QueryMatched: 1, DocMatched: 1}, 10, 16},
		{one, measure.ChunkMatch{Query: 3, Doc: 5, QueryMatched: 3, DocMatched: 5}, 1, 1},
		{two, measure.ChunkMatch{Query: 3, Doc: 5, QueryMatched: 1, DocMatched: 2}, 1, 4},
		{two, measure.ChunkMatch{Query: 3, Doc: 5, QueryMatched: 2, DocMatched: 2}, 12, 16},
		{two, measure.ChunkMatch{Query: 1, Doc: 5, QueryMatched: 1, DocMatched: 1}, 8, 12}, // it has no second chunk
	} {
		if got := c.rule.Score(c.m); ratOf(got).Cmp(rat(c.num, c.den)) != 0 {
			t.Errorf("%+v: Score(%+v) = %+v, want %d/%d", c.rule, c.m, got, c.num, c.den)
		}
	}
	if got := one.Score(measure.ChunkMatch{Query: 4}); got.Sim() != 0 {
		t.Errorf("Score without paragraphs = %+v, want 0", got)
	}
}

func TestEntityScoreRises(t *testing.T) {
	for _, rule := range []measure.EntityRule{measure.DefaultEntities(), {Paragraphs: 1}, {Paragraphs: math.MaxInt}} {
		rises(t, rule.Score, api.Ratio(1, 2), func(m measure.ChunkMatch) bool {
			fewer := min(m.QueryMatched, m.DocMatched)
			return fewer > 0 && fewer >= min(rule.Paragraphs, m.Query, m.Doc)
		})
	}
}
