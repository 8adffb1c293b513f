package shingle_test

// Shingle sets and bags, and values derived from them, against a plain definition.

import (
	"fmt"
	"github.com/simdb/simdb/internal/realtext"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/internal/torture"
)

// The definition of docs/format.md without regard to speed; package text tests the
// tokens.

func plainMix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func plainWord(word string) uint64 {
	if len(word) > 16 {
		return xxhash.Sum64String(word)
	}
	var halves [2]uint64
	for i := range len(word) {
		halves[i/8] |= uint64(word[i]) << (i % 8 * 8)
	}
	hi, lo := bits.Mul64(halves[0]^0xa0761d6478bd64ff, (halves[0]<<32|halves[0]>>32)^halves[1]^0xe7b7c9d1a0f428db)
	return plainMix(hi ^ lo)
}

func plainTokens(a shingle.Analysis, doc string) []uint64 {
	var hashes []uint64
	norm := text.Normalize(nil, doc)
	if a.Unit == text.Word {
		for t := range text.Words(norm) {
			hashes = append(hashes, plainWord(string(norm[t.Start:t.End])))
		}
	}
	if hashes == nil {
		for _, r := range strings.Join(strings.FieldsFunc(string(norm), unicode.IsSpace), " ") {
			hashes = append(hashes, plainMix(0x9e3779b97f4a7c15+uint64(r)))
		}
	}
	return hashes
}

func plainBag(a shingle.Analysis, doc string) map[uint64]uint32 {
	tokens := plainTokens(a, doc)
	bag := map[uint64]uint32{}
	k := min(a.K, len(tokens))
	for i := range len(tokens) - k + 1 {
		var sum uint64
		for _, t := range tokens[i : i+k] {
			sum = sum*0x9fb21c651e98df23 + t
		}
		bag[plainMix(sum+uint64(k)*0xd1b54a32d192ed03)]++
	}
	return bag
}

// diff describes the difference of the fast bag from the definition, "" if there is
// none.
func diff(a shingle.Analysis, doc string) string {
	bag, want := a.Bag(doc), plainBag(a, doc)
	if keys := slices.Sorted(maps.Keys(want)); !slices.Equal(bag.Set, keys) {
		return fmt.Sprintf("%v: set of %.200q has %d members, want these %d", name(a), doc, len(bag.Set), len(keys))
	}
	var total uint64
	repeated := false
	for i, h := range bag.Set {
		if bag.Count(i) != want[h] {
			return fmt.Sprintf("%v: %.200q has a shingle %d times, want %d", name(a), doc, bag.Count(i), want[h])
		}
		total += uint64(want[h])
		repeated = repeated || want[h] > 1
	}
	if bag.Total != total || (bag.Counts != nil) != repeated {
		return fmt.Sprintf("%v: %.200q has total %d, counts %v, want %d, %v", name(a), doc, bag.Total, bag.Counts != nil, total, repeated)
	}
	if cap(bag.Set) > len(bag.Set)+len(bag.Set)/4+8 {
		return fmt.Sprintf("%v: a set of %d members has room for %d", name(a), len(bag.Set), cap(bag.Set))
	}
	return ""
}

var hostile = []string{
	"", " \t\n", "...", "_ __", "a", "a b", "a b c", "a b c d", "a a a a a a a", "\x00", "a\x00b c",
	"Cafe\u0301 CAFÉ cafe\u0301\u0323", "İstanbul ΟΔΟΣ Straße", "👩\u200d👩\u200d👧 👍🏽 🇩🇪🇫🇷 1️⃣",
	"שלום עולם مرحبا بالعالم", "สวัสดีชาวโลก 한국어 \u1112\u1161\u11ab 漢字かなカタカナ", "a\xffb \xe2\x82 \xff\xfe\xfd", " \u0301a \uff9e",
	strings.Repeat("ab ", 5000), strings.Repeat("x", 3000) + strings.Repeat("y", 3000), strings.Repeat("é", 999) + "a",
}

func TestDefinitionOnHostileTexts(t *testing.T) {
	for _, u := range []text.Unit{text.Word, text.Char} {
		for _, k := range []int{1, 2, 3, 5, 8, 1000} {
			for _, doc := range hostile {
				if d := diff(shingle.Analysis{Unit: u, K: k}, doc); d != "" {
					t.Error(d)
				}
			}
		}
	}
}

func TestDefinitionOnRandomTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := shingle.Analysis{Unit: text.Unit(rapid.IntRange(0, 1).Draw(t, "unit")), K: rapid.IntRange(1, 12).Draw(t, "k")}
		doc := rapid.OneOf(rapid.String(), rapid.StringMatching(`([ab ]{0,40}|[a-e .,']{100,400})`)).Draw(t, "text")
		if d := diff(a, doc); d != "" {
			t.Fatal(d)
		}
	})
}

func TestDefinitionOnCorpora(t *testing.T) {
	nth := 40
	if torture.Short() {
		nth = 400
	}
	for _, texts := range [][]string{realtext.Lines(t, "linuxdoc.jsonl.gz", nth), realtext.Lines(t, "nsf.jsonl.gz", nth)} {
		if len(texts) == 0 {
			t.Error("a corpus is empty")
		}
		for _, doc := range texts {
			for _, a := range analyses {
				if d := diff(a, doc); d != "" {
					t.Fatal(d)
				}
			}
		}
	}
}

// Paper 003, page 2: the 2-shingles of abcdabd are ab, bc, cd, da and bd, and ab occurs
// twice; a run of white space counts as one blank.
func TestShinglesOfPaper003(t *testing.T) {
	a := shingle.Analysis{Unit: text.Char, K: 2}
	bag := a.Bag("abcdabd")
	twice := 0
	for i := range bag.Set {
		twice += int(bag.Count(i)) - 1
	}
	if len(bag.Set) != 5 || bag.Total != 6 || twice != 1 {
		t.Errorf("abcdabd has %d shingles, %d with repetition, %d again; want 5, 6, 1", len(bag.Set), bag.Total, twice)
	}
	for _, pair := range []string{"ab", "bc", "cd", "da", "bd"} {
		if shingle.Shared(a.Bag(pair).Set, bag.Set, 0) != 1 {
			t.Errorf("abcdabd has no shingle %s", pair)
		}
	}
	if got, want := a.Bag("a \t\n b"), a.Bag("a b"); !slices.Equal(got.Set, want.Set) || got.Total != want.Total {
		t.Errorf("white space: %d shingles, want the %d of one blank", got.Total, want.Total)
	}
}

// The example of paper 001, pages 3 and 4. The paper's tokens keep the full stop
// ("branca."), unlike simdb's; the counts agree.
func TestPaperRosa(t *testing.T) {
	a := shingle.Analysis{Unit: text.Word, K: 4}
	p, c := a.Bag("uma rosa é uma rosa é uma rosa"), a.Bag("uma rosa é uma rosa vermelha ou branca.")
	if len(p.Set) != 3 || len(c.Set) != 5 || shingle.Shared(p.Set, c.Set, 0) != 2 {
		t.Errorf("|S(P)|, |S(C)|, common = %d, %d, %d, want 3, 5, 2", len(p.Set), len(c.Set), shingle.Shared(p.Set, c.Set, 0))
	}
}

func TestShortTextIsNoLongShingle(t *testing.T) {
	word := shingle.Analysis{Unit: text.Word, K: 3}
	seen := map[uint64]string{}
	for _, doc := range []string{"a", "b", "a b", "b a", "a a", "a a a", "a b a", "b a b", "c b a", "a b c"} {
		bag := word.Bag(doc)
		if len(bag.Set) != 1 {
			t.Fatalf("%q has %d shingles, want 1", doc, len(bag.Set))
		}
		if other, ok := seen[bag.Set[0]]; ok {
			t.Errorf("%q and %q have the same shingle", doc, other)
		}
		seen[bag.Set[0]] = doc
	}
}

func TestValidate(t *testing.T) {
	for a, valid := range map[shingle.Analysis]bool{
		{K: 1}: true, {Unit: text.Char, K: shingle.MaxK}: true,
		{}: false, {K: -1}: false, {K: shingle.MaxK + 1}: false, {Unit: 7, K: 3}: false,
	} {
		if err := a.Validate(); (err == nil) != valid {
			t.Errorf("%+v.Validate() = %v", a, err)
		}
	}
}

func randomSet(rng *rand.Rand, n int, mask uint64) shingle.Set {
	members := map[uint64]bool{}
	for range n {
		members[rng.Uint64()&mask] = true
	}
	return slices.Sorted(maps.Keys(members))
}

func common(a, b shingle.Set) int {
	n := 0
	for _, h := range a {
		if _, ok := slices.BinarySearch(b, h); ok {
			n++
		}
	}
	return n
}

func TestShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		mask := rapid.SampledFrom([]uint64{0x3f, 0xfff, 0xfffff}).Draw(t, "mask")
		size := rapid.SampledFrom([]int{0, 1, 5, 40, 3000})
		a, b := randomSet(rng, size.Draw(t, "a"), mask), randomSet(rng, size.Draw(t, "b"), mask)
		want := common(a, b)
		need := rapid.IntRange(-1, want+3).Draw(t, "need")
		got := shingle.Shared(a, b, need)
		if need <= want && got != want || need > want && got >= need {
			t.Fatalf("Shared of %d and %d members with need %d = %d, want %d", len(a), len(b), need, got, want)
		}
	})
}

func TestDigest(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	seen := map[[16]byte]string{}
	check := func(what string, b shingle.Bag) {
		for i := range b.Set {
			b.Total += uint64(b.Count(i))
		}
		if other, ok := seen[b.Digest()]; ok {
			t.Errorf("seed %d: %s has the digest of %s", seed, what, other)
		}
		seen[b.Digest()] = what
	}
	check("the empty bag", shingle.Bag{})
	for n := range 200 {
		s := randomSet(rng, n+1, 1<<64-1)
		check(fmt.Sprint("set ", n), shingle.Bag{Set: s})
		counts := slices.Repeat([]uint32{1}, len(s))
		for i := range counts {
			counts[i] = 2
			check(fmt.Sprint("set ", n, " with 2 of ", i), shingle.Bag{Set: s, Counts: slices.Clone(counts)})
			counts[i] = 1
		}
		if n > 0 {
			check(fmt.Sprint("set ", n, " less its first"), shingle.Bag{Set: s[1:]})
		}
	}
	s := shingle.Set{1, 5}
	if (shingle.Bag{Set: s, Total: 2}).Digest() != (shingle.Bag{Set: s, Counts: []uint32{1, 1}, Total: 2}).Digest() {
		t.Error("counts of 1 change the digest")
	}
}

func TestBagsShareNoMemory(t *testing.T) {
	a := analyses[0]
	first := a.Bag("one two three four five six")
	kept := slices.Clone(first.Set)
	for range 100 {
		a.Bag("other words than those of the first text")
	}
	if !slices.Equal(first.Set, kept) {
		t.Error("a later call changed the set of an earlier one")
	}
}
