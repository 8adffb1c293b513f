package corpus

// The truth of the generated corpus: equal seeds give equal texts, with variants of the
// stated similarity.

import (
	"math"
	"strings"
	"testing"
)

// shingles returns the distinct runs of three words of a text.
func shingles(text string) map[string]bool {
	words := strings.Fields(text)
	set := map[string]bool{}
	for i := range max(len(words)-2, 0) {
		set[strings.Join(words[i:i+3], " ")] = true
	}
	return set
}

func resemblance(a, b map[string]bool) float64 {
	shared := 0
	for s := range a {
		if b[s] {
			shared++
		}
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}

func TestAtIsPure(t *testing.T) {
	const seed = 7
	docs := Texts(seed, 300)
	for i := len(docs) - 1; i >= 0; i-- { // an order other than that of Texts
		if got := At(seed, i); got != docs[i] {
			t.Fatalf("seed %d: At(%d) = %q, Texts has %q", seed, i, got.ID, docs[i].ID)
		}
	}
	for i, d := range All(seed) {
		if i == len(docs) {
			break
		}
		if d != docs[i] {
			t.Fatalf("seed %d: All yields %q as number %d, Texts has %q", seed, d.ID, i, docs[i].ID)
		}
	}
	if At(seed, 0).Text == At(seed+1, 0).Text {
		t.Errorf("At(%d, 0) and At(%d, 0) have the same text", seed, seed+1)
	}
}

func TestKnownAnswer(t *testing.T) {
	const want = "And overflowers copper cold outclearing "
	if got := At(1, 0).Text; !strings.HasPrefix(got, want) {
		t.Errorf("At(1, 0) starts %q, want %q: published figures name seeds, so the texts must not change", got[:40], want)
	}
}

func TestIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for i, d := range All(3) {
		if i == 5_000 {
			break
		}
		if seen[d.ID] {
			t.Fatalf("seed 3: document %d repeats the id %q", i, d.ID)
		}
		if d.Of != "" && !seen[d.Of] {
			t.Fatalf("seed 3: document %d, %q, comes before its original %q", i, d.ID, d.Of)
		}
		if !strings.HasPrefix(d.ID, d.Of) {
			t.Errorf("seed 3: the id %q does not start with that of its original, %q", d.ID, d.Of)
		}
		seen[d.ID] = true
	}
}

// The truth of a variant: its resemblance to the original follows from the changed
// share. Repeated shingles and short texts cause small deviations.
func TestVariantsResembleAsStated(t *testing.T) {
	const seed = 11
	texts := map[string]string{}
	kinds := map[Kind]int{}
	for _, d := range Texts(seed, 3_000) {
		texts[d.ID] = d.Text
		if d.Kind == Original || len(strings.Fields(texts[d.Of])) < 200 {
			continue
		}
		kinds[d.Kind]++
		p := float64(d.Percent) / 100
		kept := math.Pow(1-p, 3) // chance that all of three words are kept
		want := map[Kind]float64{Dup: 1, Deleted: 1 - p, Inserted: 1 / (1 + p), Edited: kept / (2 - kept)}[d.Kind]
		if got := resemblance(shingles(texts[d.Of]), shingles(d.Text)); math.Abs(got-want) > 0.1 || d.Kind == Dup && got != 1 {
			t.Errorf("seed %d: resemblance of %q and its original = %.3f, want about %.3f", seed, d.ID, got, want)
		}
	}
	for _, k := range []Kind{Dup, Deleted, Inserted, Edited} {
		if kinds[k] < 100 {
			t.Errorf("seed %d: %d variants of kind %q in 3,000 documents, want 100 or more", seed, kinds[k], k)
		}
	}
}

func TestOriginalsAreUnrelated(t *testing.T) {
	const seed = 5
	var sets []map[string]bool
	for _, d := range Texts(seed, 200) {
		if d.Kind == Original {
			sets = append(sets, shingles(d.Text))
		}
	}
	for i, a := range sets {
		for _, b := range sets[:i] {
			if got := resemblance(a, b); got > 0.1 {
				t.Errorf("seed %d: two originals have resemblance %.3f, want at most 0.1", seed, got)
			}
		}
	}
}

func TestLengths(t *testing.T) {
	const n = 2_000
	total := 0
	for _, d := range Texts(2, n) {
		if d.Text == "" {
			t.Fatalf("seed 2: %q is empty", d.ID)
		}
		total += len(d.Text)
	}
	if mean := total / n; mean < 1_500 || mean > 2_500 {
		t.Errorf("seed 2: mean length = %d bytes, want 1,500 to 2,500", mean)
	}
}

func BenchmarkAt(b *testing.B) {
	i, bytes := 0, 0
	for b.Loop() {
		bytes += len(At(1, i).Text)
		i++
	}
	b.SetBytes(int64(bytes / i))
}
