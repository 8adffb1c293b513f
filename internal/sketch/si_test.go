package sketch

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/text"
)

// all yields the 656 indexes of the paper's grid.
func all(yield func(SI) bool) {
	for method := range 55 {
		for v := byte('A'); v <= 'D'; v++ {
			for _, run := range [][2]int{{4, 5}, {8, 12}, {16, 25}, {40, 100}} {
				si := SI{method, v, run[0], run[1], DefaultN}
				if si.Validate() == nil && !yield(si) {
					return
				}
			}
		}
	}
}

func TestEveryMethodWorks(t *testing.T) {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(8, 8))
	for range 600 { // 600 words with stop words and repeats
		fmt.Fprintf(&b, "%c%c%c ", 'a'+rng.IntN(26), 'a'+rng.IntN(26), 'a'+rng.IntN(26))
		if rng.IntN(4) == 0 {
			b.WriteString("the ")
		}
	}
	n, empty := 0, 0
	values := map[int64]bool{}
	for si := range all {
		n++
		v, ok := si.Value(b.String())
		if again, okAgain := si.Value(b.String()); again != v || okAgain != ok {
			t.Errorf("%v: two values %d and %d of one text", si, v, again)
		}
		if !ok {
			empty++
			continue
		}
		values[v] = true
		if _, ok := si.Value("too short"); ok && si.base() != 13 && si.K > 9 {
			t.Errorf("%v has a value where there is no k-gram", si)
		}
		if got := Within(v, v, 3, 10); got != (v != 0) {
			t.Errorf("%v: Within(%d, itself) = %v", si, v, got)
		}
	}
	// The 24 variants of method 13 with other k are equal; a few variations happen to
	// select the same hashes.
	if len(values) < 600 {
		t.Errorf("%d indexes give only %d different values", n, len(values))
	}
	if n != 656 || empty != 0 {
		t.Errorf("%d indexes, %d of them without a value, want 656 and 0", n, empty)
	}
}

// The whole computation again, step by step, for each method.
func TestValueDefinition(t *testing.T) {
	docs := []string{gettysburg, strings.Repeat(gettysburg, 3), "Été à la \U0001F600 mer, the sea", ""}
	for si := range all {
		for _, doc := range docs {
			if si.K > 16 {
				continue
			}
			s := text.ReadStream(doc, text.StreamKind(si.Method/20), text.Variation(si.Variation))
			var hashes []int32
			for g := range s.Grams(si.K) {
				hashes = append(hashes, plainJavaHash(string(g)))
			}
			switch si.Method % 20 {
			case 3, 4:
				hashes = plainSelectors(0)["zeroMod25"].plain(hashes)
			case 5, 6:
				hashes = plainSelectors(si.W)["winnow"].plain(hashes)
			case 7, 8:
				hashes = plainSelectors(si.N)["lowest"].plain(hashes)
			case 9, 10:
				hashes = plainSelectors(si.N)["highest"].plain(hashes)
			case 11, 12:
				hashes = randomThird(hashes)
			case 13:
				hashes = frequentTokens(s, 200)
			}
			var want int64
			switch m := si.Method % 20; {
			case len(hashes) == 0:
			case m == 14:
				want = superShingle(slices.Clone(hashes), si.K)
			case slices.Contains([]int{1, 3, 5, 7, 9, 11, 13}, m):
				for _, h := range hashes {
					want += int64(h)
				}
			default:
				want = rabin(hashes)
			}
			if got, ok := si.Value(doc); got != want || ok != (len(hashes) > 0) {
				t.Errorf("%v of %d bytes = %d, %v, want %d, %v", si, len(doc), got, ok, want, len(hashes) > 0)
			}
		}
	}
}

const gettysburg = "Four score and seven years ago our fathers brought forth on this continent, a new nation, " +
	"conceived in Liberty, and dedicated to the proposition that all men are created equal."

// Stores hold these values, so they must never change.
func TestKnownValues(t *testing.T) {
	for s, want := range map[string]int64{
		"m1a k4": 470928500, "m2a k4": 5805026774072276638, "m3b k4": 6891575, "m25a k4 w5": -12240234411, "m27c k4": -4283626911, "m9d k4 n20": 71487470, "m32a k4": 3520711140173768970, "m33a": 1348588252, "m54d k4": -1165242839, "m43a k4": -1223763950,
	} {
		si, err := ParseSI(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := si.Value(gettysburg); got != want || !ok {
			t.Errorf("%s = %d, %v, want %d", s, got, ok, want)
		}
	}
}

func TestParseSI(t *testing.T) {
	for s, want := range map[string]SI{
		"m43b k40":         {43, 'B', 40, 0, 0},
		"m43b k40 w100":    {43, 'B', 40, 0, 0},
		" M43B\tW100  K8 ": {43, 'B', 8, 0, 0},
		"43b":              {43, 'B', 40, 0, 0},
		"m7a k16 n200":     {7, 'A', 16, 0, 200},
		"m7a n200 k16":     {7, 'A', 16, 0, 200},
		"m9":               {9, 'A', 40, 0, 400},
		"m5c":              {5, 'C', 40, 100, 0},
		"m26d w5 k4":       {26, 'D', 4, 5, 0},
		"m33a k7":          {33, 'A', 0, 0, 0},
		"m54d k10000":      {54, 'D', 10000, 0, 0},
	} {
		if got, err := ParseSI(s); got != want || err != nil {
			t.Errorf("ParseSI(%q) = %+v, %v, want %+v", s, got, err, want)
		}
	}
	for s, want := range map[string]string{
		"": "such as m43b", "b": "such as m43b", "m": "such as m43b", "mb": "such as m43b", "m+3b": "such as m43b", "m4é": "such as m43b", "k40 m43b": "such as m43b",
		"m43e": "no variation 'E'", "m0a": "no method 0", "m15a": "no method 15", "m20a": "no method 20", "m55a": "no method 55", "m99999999999": "such as m43b",
		"m13a": "method 13 counts words", "m14a k1": "k from 2 up",
		"m43b k0": "want k from 1 to 10000", "m43b k10001": "want k from 1", "m43b k": "want k from 1", "m43b k-4": "want k from 1", "m43b w0": "want w from 1", "m7a n0": "want n from 1",
		"m43b k4 k4": "has k twice", "m43b q4": "want k, w or n", "m43b 40": "want k, w or n",
	} {
		if got, err := ParseSI(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseSI(%q) = %v, %v, want an error with %q", s, got, err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, si := range []SI{{}, {-1, 'A', 4, 5, 4}, {60, 'A', 4, 5, 4}, {1, 'a', 4, 5, 4}, {1, 0, 4, 5, 4}, {1, 'A', 0, 5, 4}, {5, 'A', 4, 0, 4}, {8, 'A', 4, 5, -1}} {
		if si.Validate() == nil {
			t.Errorf("%+v is valid", si)
		}
	}
	for _, si := range []SI{{1, 'A', 1, 0, 0}, {33, 'D', 0, 0, 0}, {5, 'A', 4, 5, 0}, {10, 'A', 4, 0, 7}} {
		if err := si.Validate(); err != nil {
			t.Errorf("%+v: %v", si, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Value of an index that does not exist did not panic")
		}
	}()
	SI{Method: 13, Variation: 'A', K: 4}.Value("x")
}

func TestStringParsesBack(t *testing.T) {
	for si := range all {
		got, err := ParseSI(si.String())
		if err != nil || got != si.used() || got.String() != si.String() {
			t.Errorf("ParseSI(%q) = %+v, %v, want %+v", si.String(), got, err, si.used())
		}
	}
}

func FuzzParseSI(f *testing.F) {
	for _, s := range []string{"m43b k40", "M7A n200 k16", "m33", "m5a w5", "m13a", "é", "m14a k1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		si, err := ParseSI(s)
		if err != nil {
			return
		}
		if err := si.Validate(); err != nil {
			t.Fatalf("ParseSI(%q) = %+v, which is not valid: %v", s, si, err)
		}
		if again, err := ParseSI(si.String()); again != si || err != nil {
			t.Fatalf("ParseSI(%q) = %+v, but %q gives %+v, %v", s, si, si.String(), again, err)
		}
	})
}

func ExampleSI_Value() {
	si, err := ParseSI("m23a k2")
	if err != nil {
		panic(err)
	}
	a, _ := si.Value("the quick brown fox jumps over the lazy dog and runs far away into the deep dark wood")
	b, _ := si.Value("The quick brown fox jumps over the lazy dog, and runs far away into the deep dark woods.")
	fmt.Println(si, Within(a, b, 3, 10))
	// Output: m23a k2 true
}

func BenchmarkSI(b *testing.B) {
	texts := realtext.Files(b, "roth")
	slices.SortFunc(texts, func(x, y string) int { return cmp.Compare(len(x), len(y)) })
	doc := texts[len(texts)/4]
	for _, name := range []string{"m1a k40", "m3b k40", "m5a k40", "m7a k40", "m14a k4", "m14a k40", "m23b k40", "m33a", "m43b k40", "m44b k40"} {
		si, err := ParseSI(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.ReplaceAll(name, " ", ""), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				si.Value(doc)
			}
		})
	}
}

// The time of method 14 is bounded: longer texts have no such index.
func TestSuperShingleOfLongTexts(t *testing.T) {
	si := SI{Method: 14, Variation: 'A', K: 1000}
	longest := strings.Repeat("a", 1<<17+999)
	if _, ok := si.Value(longest); !ok {
		t.Errorf("%v of %d characters has no value", si, len(longest))
	}
	if v, ok := si.Value(longest + "a"); ok {
		t.Errorf("%v of %d characters is %d, want none", si, len(longest)+1, v)
	}
}
