package sketch_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/sketch"
)

// plainChunk is the definition of paper 004, page 7, literally.
func plainChunk(s string) uint32 {
	features := map[uint64]bool{}
	for i := 0; i+1 < len(s); i++ {
		features[uint64(s[i])*256+uint64(s[i+1])] = true
	}
	if len(s) == 1 {
		features[uint64(s[0])] = true
	}
	var sums [32]int
	for f := range features {
		h := f * 27644437 % (1 << 32)
		for i := range sums {
			if h>>i&1 == 1 {
				sums[i]++
			} else {
				sums[i]--
			}
		}
	}
	var chunk uint32
	for i, sum := range sums {
		if sum > 0 {
			chunk |= 1 << i
		}
	}
	return chunk
}

func TestChunk(t *testing.T) {
	const seed = 42
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 500 {
		s := make([]byte, n)
		for i := range s {
			s[i] = byte('a' + rng.IntN(1+n%26))
			if n%3 == 0 {
				s[i] = byte(rng.Uint32())
			}
		}
		if got, want := sketch.Chunk(s), plainChunk(string(s)); got != want {
			t.Fatalf("seed %d: Chunk(%q) = %d, want %d", seed, s, got, want)
		}
	}
	for in, want := range map[string]uint32{
		"":    0,
		"a":   97 * 27644437 % (1 << 32),
		"ab":  (97*256 + 98) * 27644437 % (1 << 32),
		"aaa": (97*256 + 97) * 27644437 % (1 << 32),
		"aba": ((97*256 + 98) * 27644437 % (1 << 32)) & ((98*256 + 97) * 27644437 % (1 << 32)), // a sum of 0 gives a 0 bit
	} {
		if got := sketch.Chunk([]byte(in)); got != want {
			t.Errorf("Chunk(%q) = %d, want %d", in, got, want)
		}
	}
}

// Paper 004, pages 9 and 10: the entities of a paragraph in one fingerprint, once or repeated.
func TestPhrases(t *testing.T) {
	hash := func(pair string) uint32 { return sketch.Chunk([]byte(pair)) }
	// majority sets the bits that are set in at least two of three numbers.
	majority := func(a, b, c uint32) uint32 { return a&b | a&c | b&c }
	for _, c := range []struct {
		phrases  []string
		repeated bool
		want     uint32
	}{
		{nil, false, 0},
		{[]string{""}, true, 0},
		{[]string{"golf"}, false, hash("golf")},
		{[]string{"golf", "golf"}, false, hash("golf")},
		{[]string{"ab", "cd", "e"}, false, majority(hash("ab"), hash("cd"), hash("e"))}, // neither bc nor de
		{[]string{"e", "cd", "ab"}, false, majority(hash("ab"), hash("cd"), hash("e"))},
		{[]string{"ab", "e", "ab"}, true, hash("ab")},
		{[]string{"ab", "e", "e"}, true, hash("e")},
		{[]string{"ab", "e", "e", "ab"}, false, hash("ab") & hash("e")},
	} {
		if got := sketch.Phrases(c.phrases, c.repeated); got != c.want {
			t.Errorf("Phrases(%q, %v) = %x, want %x", c.phrases, c.repeated, got, c.want)
		}
	}
}

// Fingerprints of DNA and the like are near each other regardless of content.
func TestHasDistinctPairs(t *testing.T) {
	for _, c := range []struct {
		phrases []string
		want    bool
	}{
		{nil, true},
		{[]string{"jason dufner", "pga", "jason dufner"}, true},
		{[]string{"cgaaccactagaaaaggttcagaccccggagcccagccgtcacgattgttatgcgtataa"}, false},
		{[]string{"aaaaaa"}, false},
		{[]string{"aaaa"}, true}, // a third
	} {
		if got := sketch.HasDistinctPairs(c.phrases); got != c.want {
			t.Errorf("HasDistinctPairs(%q) = %v, want %v", c.phrases, got, c.want)
		}
	}
}

// Paper 004, page 7, figure 10: "the difference in bits in these two hash values is 8".
func TestChunkDistanceOfPaper(t *testing.T) {
	if got := bits.OnesCount32(1537307734 ^ 1218804829); got != 8 {
		t.Errorf("the two differ in %d bits, want 8", got)
	}
	query, doc := []uint32{1537307734}, []uint32{1218804829}
	for dist, want := range map[int]int{7: 0, 8: 1} {
		if pairs, _ := sketch.NearChunks(query, doc, dist); len(pairs) != want {
			t.Errorf("NearChunks at %d bits = %v, want %d", dist, pairs, want)
		}
	}
}

func TestChunks(t *testing.T) {
	a, b := sketch.Chunk([]byte("a small step.")), sketch.Chunk([]byte("really?"))
	want := []uint32{min(a, b), max(a, b)}
	for _, doc := range []string{
		"A small step. Really?",
		"Really?\n\na  SMALL\nstep.\n\nREALLY?",
		"=====\nA small\u00a0step.\n-----\n\n Really? ",
	} {
		if got := sketch.Chunks(doc); !slices.Equal(got, want) {
			t.Errorf("Chunks(%q) = %d, want %d", doc, got, want)
		}
	}
	for _, doc := range []string{"", " \n", "----"} {
		if got := sketch.Chunks(doc); len(got) != 0 {
			t.Errorf("Chunks(%q) = %d, want none", doc, got)
		}
	}
}

// plainNear compares all pairs.
func plainNear(query, doc []uint32, dist int) (pairs []sketch.ChunkPair) {
	for q := range query {
		for d := range doc {
			if bits.OnesCount32(query[q]^doc[d]) <= dist {
				pairs = append(pairs, sketch.ChunkPair{Query: q, Doc: d})
			}
		}
	}
	return pairs
}

// The search finds only pairs within the distance, each once, in order, and all at
// distance 0.
func TestNearChunks(t *testing.T) {
	const seed = 43
	rng := rand.New(rand.NewPCG(seed, 0))
	lost := 0
	for n := range 300 {
		centre := rng.Uint32()
		list := func() []uint32 {
			chunks := make([]uint32, rng.IntN(20))
			for i := range chunks {
				chunks[i] = rng.Uint32()
				if rng.IntN(2) == 0 { // near another chunk
					chunks[i] = centre ^ 1<<rng.IntN(32) ^ 1<<rng.IntN(32)
				}
			}
			return chunks
		}
		query, doc, dist := list(), list(), n%9
		got, comparisons := sketch.NearChunks(query, doc, dist)
		want := plainNear(query, doc, dist)
		if comparisons < len(got) {
			t.Fatalf("seed %d: %d pairs from %d comparisons", seed, len(got), comparisons)
		}
		if dist == 0 && !slices.Equal(got, want) {
			t.Fatalf("seed %d: NearChunks at 0 = %v, want %v", seed, got, want)
		}
		rest := want
		for _, p := range got {
			i := slices.Index(rest, p)
			if i < 0 {
				t.Fatalf("seed %d: NearChunks at %d = %v, not a part of %v", seed, dist, got, want)
			}
			rest = rest[i+1:]
		}
		lost += len(want) - len(got)
	}
	if lost == 0 {
		t.Error("nothing was lost: the search is declared lossy")
	}
}

// The loss of the walk on real sentences. The bounds lie below the measured values.
func TestNearChunksRecall(t *testing.T) {
	docs := realtext.Lines(t, "linuxdoc.jsonl.gz", 500)
	for dist, atLeast := range map[int]int{1: 95, 3: 90, 6: 80} {
		found, all, comparisons, pairs := 0, 0, 0, 0
		for i, d := range docs[1:] {
			q, c := sketch.Chunks(docs[i]), sketch.Chunks(d)
			got, n := sketch.NearChunks(q, c, dist)
			found += len(got)
			all += len(plainNear(q, c, dist))
			comparisons += n
			pairs += len(q) * len(c)
		}
		t.Logf("%d bits: found %d of %d pairs with %d comparisons; all with all are %d", dist, found, all, comparisons, pairs)
		if all == 0 || found*100 < all*atLeast {
			t.Errorf("%d bits: found %d of %d pairs, want %d %%", dist, found, all, atLeast)
		}
	}
}

func ExampleChunk() {
	a := sketch.Chunk([]byte("the cat sat on the mat"))
	b := sketch.Chunk([]byte("the cats sat on the mat"))
	fmt.Println(bits.OnesCount32(a ^ b))
	// Output: 2
}
