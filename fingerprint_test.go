package simdb_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/realtext"
)

func TestFingerprintString(t *testing.T) {
	for _, tt := range []struct {
		f    api.Fingerprint
		want string
	}{
		{0, strings.Repeat("0", 64)},
		{1<<64 - 1, strings.Repeat("1", 64)},
		{335, strings.Repeat("0", 55) + "101001111"},
		{1 << 63, "1" + strings.Repeat("0", 63)},
	} {
		if got := tt.f.String(); got != tt.want {
			t.Errorf("Fingerprint(%d).String() = %s, want %s", uint64(tt.f), got, tt.want)
		}
		if got, err := api.ParseFingerprint(tt.want); got != tt.f || err != nil {
			t.Errorf("ParseFingerprint(%s) = %d, %v, want %d", tt.want, got, err, tt.f)
		}
	}
	for _, s := range []string{"", "0101", strings.Repeat("0", 63), strings.Repeat("0", 65), strings.Repeat("0", 63) + "2",
		"+" + strings.Repeat("1", 63), "0b" + strings.Repeat("1", 62), strings.Repeat("0", 63) + "é"} {
		if got, err := api.ParseFingerprint(s); err == nil {
			t.Errorf("ParseFingerprint(%q) = %d, want an error", s, got)
		}
	}
}

func FuzzParseFingerprint(f *testing.F) {
	f.Add(strings.Repeat("01", 32))
	f.Add("1")
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := api.ParseFingerprint(s); err == nil && v.String() != s {
			t.Fatalf("ParseFingerprint(%q) prints as %q", s, v)
		}
	})
}

// Similarity is (64 − d)/64 for the d bits that differ, counted here one by one.
func TestFingerprintSimilarity(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 1000 {
		a := api.Fingerprint(rng.Uint64())
		b := a
		for range rng.IntN(65) {
			b ^= 1 << rng.IntN(64)
		}
		d := 0
		for i, digit := range a.String() {
			d += map[bool]int{true: 1}[byte(digit) != b.String()[i]]
		}
		if a.Distance(b) != d || a.Similarity(b) != float64(64-d)/64 {
			t.Fatalf("seed %d: %v and %v have distance %d and similarity %v, want %d and %v",
				seed, a, b, a.Distance(b), a.Similarity(b), d, float64(64-d)/64)
		}
		for _, n := range []int{0, 32, 63, 64} {
			if got, want := a.IsSimilar(b, api.Ratio(uint64(n), 64)), 64-d >= n; got != want {
				t.Fatalf("seed %d: IsSimilar(%d/64) at distance %d = %v, want %v", seed, n, d, got, want)
			}
		}
	}
}

// Paper 002, page 9, table 8: at least the threshold is similar. 80 % of 64 bits are 51.2: twelve bits may differ, thirteen may not.
func TestFingerprintIsSimilarAtTheBoundary(t *testing.T) {
	const a = api.Fingerprint(0)
	for d, want := range map[api.Fingerprint]bool{1<<12 - 1: true, 1<<13 - 1: false} {
		if got := a.IsSimilar(d, api.Ratio(4, 5)); got != want {
			t.Errorf("IsSimilar at distance %d = %v, want %v", a.Distance(d), got, want)
		}
	}
}

func TestFingerprintOf(t *testing.T) {
	db := openTest(t, t.TempDir())
	const text = "the quick brown fox jumps over the lazy dog"
	for i, s := range []api.Settings{{}, {Unit: "word", K: 2}, {Unit: "char"}, {Unit: "char", K: 8}} {
		name := fmt.Sprint("c", i)
		if err := db.CreateCollection(t.Context(), name, s); err != nil {
			t.Fatal(err)
		}
		if err := db.Put(t.Context(), api.Document{Collection: name, ID: "a", Text: text}, api.Document{Collection: name, ID: "none"}); err != nil {
			t.Fatal(err)
		}
		stored, err := db.Fingerprint(t.Context(), name, "a")
		if err != nil {
			t.Fatalf("Fingerprint of a document of %+v: %v", s, err)
		}
		if got, err := simdb.FingerprintOf(text, s); got != stored || err != nil {
			t.Errorf("FingerprintOf(%+v) = %v, %v, want the stored %v", s, got, err, stored)
		}
		if got, err := simdb.FingerprintOf("", s); got != 0 || err != nil {
			t.Errorf("FingerprintOf nothing by %+v = %v, %v, want 0", s, got, err)
		}
		if got, err := db.Fingerprint(t.Context(), name, "none"); got != 0 || err != nil {
			t.Errorf("Fingerprint of an empty text = %v, %v, want 0", got, err)
		}
	}
	if _, err := db.Fingerprint(t.Context(), "c0", "nosuch"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("Fingerprint of no document: %v, want ErrNotFound", err)
	}
	for _, s := range []api.Settings{{Unit: "line"}, {K: -1}, {K: 101}} {
		if _, err := simdb.FingerprintOf(text, s); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("FingerprintOf(%+v): %v, want ErrInvalid", s, err)
		}
	}
}

// paper002 returns the lines of paper 002 that are not empty.
func paper002(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile(realtext.Paper(t, "002_593f1cace39a3e70.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Paper 002, pages 24 to 26: table 20 prints a control file's fingerprint, then those of what is similar to
// it, each followed by ">>" and the similarity.
func TestFingerprintsOfPaper002(t *testing.T) {
	lines := paper002(t)
	var control, found api.Fingerprint
	pairs := 0
	for i, line := range lines {
		if digits, ok := strings.CutPrefix(line, "["); ok && strings.HasSuffix(digits, "]") {
			f, err := api.ParseFingerprint(strings.TrimSuffix(digits, "]"))
			switch {
			case err != nil:
			case i+1 < len(lines) && strings.HasPrefix(lines[i+1], "found"):
				control = f
			default:
				found = f
			}
		}
		if printed, ok := strings.CutPrefix(line, ">> "); ok {
			want, err := strconv.ParseFloat(printed, 64)
			if err != nil {
				continue
			}
			pairs++
			if got := control.Similarity(found); got != want {
				t.Errorf("similarity of %v and %v = %v, want %v", control, found, got, want)
			}
		}
	}
	if pairs != 19 {
		t.Errorf("%d pairs compared, want the 19 of table 20", pairs)
	}
}

// Paper 002, pages 24 to 26: of all fingerprints in table 20, each control finds at 80 % those that
// are printed below it, as many as it says; the variant of a binary file finds none.
func TestFoundByPaper002(t *testing.T) {
	type control struct {
		f       api.Fingerprint
		says    int
		name    string
		similar map[string]bool
	}
	var controls []control
	files := map[string]api.Fingerprint{}
	lines := paper002(t)
	for i, line := range lines {
		f, err := api.ParseFingerprint(strings.Trim(line, "[]"))
		if err != nil || line[0] != '[' {
			continue
		}
		name, says := lines[i-1], 0
		if at := strings.LastIndex(name, "|>"); at >= 0 {
			name = strings.TrimSpace(name[at+2:])
		}
		files[name] = f
		if n, err := fmt.Sscanf(lines[i+1], "found %d similar", &says); n == 1 && err == nil {
			controls = append(controls, control{f: f, says: says, name: name, similar: map[string]bool{}})
		} else {
			controls[len(controls)-1].similar[name] = true
		}
	}
	for _, c := range controls {
		found := 0
		for name, f := range files {
			if name == c.name || !c.f.IsSimilar(f, api.Ratio(4, 5)) {
				continue
			}
			if found++; !c.similar[name] {
				t.Errorf("%s finds %s, which table 20 does not list", c.name, name)
			}
		}
		if found != len(c.similar) || found != c.says {
			t.Errorf("%s finds %d, listed are %d and said %d", c.name, found, len(c.similar), c.says)
		}
	}
	if len(controls) != 10 || len(files) != 29 {
		t.Errorf("table 20 has %d controls and %d files, want 10 and 29", len(controls), len(files))
	}
}

// Paper 002, page 4: table 3 prints two fingerprints that differ in six bits.
func TestDistanceOfPaper002(t *testing.T) {
	var of []api.Fingerprint
	for _, line := range paper002(t) {
		for _, file := range []string{"File 1 hash: ", "File 2 hash: "} {
			if digits, ok := strings.CutPrefix(line, file); ok {
				f, err := api.ParseFingerprint(digits)
				if err != nil {
					t.Fatal(err)
				}
				of = append(of, f)
			}
		}
	}
	if len(of) != 2 || of[0].Distance(of[1]) != 6 || of[0].Similarity(of[1]) != 58./64 {
		t.Errorf("table 3 has %v, want two fingerprints at distance 6", of)
	}
}

// Paper 002, page 10, table 10: without a threshold it is 0.80.
func TestUsingSimHash(t *testing.T) {
	db := openTest(t, t.TempDir())
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range 60 {
		text := make([]string, 60)
		for at := range text {
			text[at] = fmt.Sprint("word", at)
		}
		for range i % 8 {
			text[rng.IntN(len(text))] = "other"
		}
		if err := db.Put(t.Context(), api.Document{ID: fmt.Sprint(i), Text: strings.Join(text, " ")}); err != nil {
			t.Fatal(err)
		}
	}
	probe, err := db.Fingerprint(t.Context(), "", "0")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		opts []simdb.SearchOption
		min  api.Threshold
	}{{nil, api.Ratio(4, 5)}, {[]simdb.SearchOption{simdb.MinSim(0.9)}, api.Ratio(9, 10)}} {
		want := map[string]bool{}
		for i := 1; i < 60; i++ {
			f, err := db.Fingerprint(t.Context(), "", fmt.Sprint(i))
			if err != nil {
				t.Fatal(err)
			}
			if probe.IsSimilar(f, tt.min) {
				want[fmt.Sprint(i)] = true
			}
		}
		found := 0
		for m, err := range db.Similar(t.Context(), api.ByID("0"), append(tt.opts, simdb.Using(api.SimHash))...) {
			if err != nil {
				t.Fatal(err)
			}
			if found++; !want[m.ID] {
				t.Errorf("seed %d: at %v found %s, which is not similar", seed, tt.min, m.ID)
			}
		}
		if found != len(want) || found == 0 || found == 59 {
			t.Errorf("seed %d: at %v found %d documents, want %d of 59", seed, tt.min, found, len(want))
		}
	}
}

// Many targets at once are answered as each alone, whatever the access.
func TestSimilarEach(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	db, err := simdb.Open(filepath.Join(t.TempDir(), "each.simdb"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	words := strings.Fields("one two three four five six seven eight nine ten")
	text := make([]string, 12)
	var targets []api.Target
	for i := range 150 {
		if i%5 == 0 {
			for j := range text {
				text[j] = words[rng.IntN(len(words))]
			}
		}
		text[rng.IntN(len(text))] = words[rng.IntN(len(words))]
		if err := db.Put(t.Context(), api.Document{ID: fmt.Sprint(i), Text: strings.Join(text, " ")}); err != nil {
			t.Fatal(err)
		}
		targets = append(targets, api.ByID(fmt.Sprint(rng.IntN(i+1))))
	}
	targets = append(targets, api.ByFingerprint(api.Fingerprint(rng.Uint64())), api.ByText("one"), api.ByText(strings.Join(text, " ")))
	for _, n := range []int{0, 1, 2, 9, len(targets)} {
		for _, opts := range [][]simdb.SearchOption{nil, {simdb.MinSim(0.95)}, {simdb.MinSim(0.6), simdb.Limit(3)}, {simdb.Via(api.AccessRotated)}, {simdb.Via(api.AccessScan)}} {
			some := targets[len(targets)-n:]
			got, err := db.SimilarEach(t.Context(), some, opts...)
			if err != nil || len(got) != n {
				t.Fatalf("SimilarEach of %d = %d, %v", n, len(got), err)
			}
			for i, target := range some {
				var want []api.Match
				for m, err := range db.Similar(t.Context(), target, append([]simdb.SearchOption{simdb.Using(api.SimHash)}, opts...)...) {
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, m)
				}
				if !slices.Equal(got[i], want) {
					t.Fatalf("seed %d: SimilarEach of %v = %v, want %v", seed, target, got[i], want)
				}
			}
		}
	}
	if _, err := db.SimilarEach(t.Context(), []api.Target{api.ByID("no")}); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("SimilarEach of no document: %v", err)
	}
}
