package content_test

// These tests load small content and check that the report follows from its
// fingerprints.

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/content"
	"github.com/simdb/simdb/lab/results"
)

// prose has words that repeat as those of a language do.
func prose(seed uint64, words int) string {
	r := rand.New(rand.NewPCG(seed, 9))
	var b strings.Builder
	for range words {
		n := int(200 * r.Float64() * r.Float64())
		fmt.Fprintf(&b, "w%dx%d ", seed, n)
	}
	return b.String()
}

func Example() {
	dir, err := os.MkdirTemp("", "content")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	control := filepath.Join(dir, "control")
	if err := os.Mkdir(control, 0o755); err != nil {
		fmt.Println(err)
		return
	}
	if err := os.WriteFile(filepath.Join(control, "a.txt"), []byte(prose(1, 500)), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	if err := (content.Loader{Percents: []int{5}}).Load(ctx, control, filepath.Join(dir, "out"), report.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	entries, err := os.ReadDir(filepath.Join(dir, "out"))
	fmt.Println(entries, err)
	// Output: [- a.txt - a_d_5.txt - a_dup.txt - a_i_5.txt] <nil>
}

// Texts and renditions find their variants, packed bytes only their copies, and
// pairs.csv follows from the fingerprints it prints.
func TestResults(t *testing.T) {
	ctx := context.Background()
	in, loaded, out := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, in, map[string]string{"a.txt": prose(1, 800), "sub/b.txt": prose(2, 1500), "c.bin": "\x00\x01" + prose(3, 300), "empty.txt": ""})
	if err := (content.Loader{Pack: true}).Load(ctx, in, loaded, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if r, err := content.Results(ctx, loaded, report.Options{}); err != nil || r.Write(out) != nil {
		t.Fatal(err)
	}
	controls := map[string][]string{}
	for _, row := range rows(t, filepath.Join(out, "controls.csv")) {
		controls[row[0]+" "+row[2]] = row[3:5]
	}
	for name, want := range map[string][2]string{
		"a.txt bytes": {"yes", "9 of 9"}, "sub/b.txt bytes": {"yes", "9 of 9"},
		"a.txt rendition":    {"yes", "9 of 9"},
		"a.txt.gz bytes":     {"yes", "1 of 9"},
		"a.txt.gz rendition": {"yes", "9 of 9"}, "sub/b.txt.gz rendition": {"yes", "9 of 9"},
		"c.bin rendition": {"rejected", ""},
	} {
		if got := controls[name]; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	pairs := rows(t, filepath.Join(out, "pairs.csv"))
	directions := map[string]int{}
	for _, row := range pairs {
		si1, err1 := strconv.ParseUint(row[2], 2, 64)
		si2, err2 := strconv.ParseUint(row[4], 2, 64)
		dist := bits.OnesCount64(si1 ^ si2)
		if err1 != nil || err2 != nil || len(row[2]) != 64 || row[5] != strconv.Itoa(dist) || !equals(row[6], float64(64-dist)/64) || dist > 19 {
			t.Errorf("pairs.csv: %q", row)
		}
		directions[row[0]+" "+row[1]+" "+row[3]]++
		directions[row[0]+" "+row[3]+" "+row[1]]++
	}
	if len(pairs) == 0 {
		t.Error("pairs.csv has no rows")
	}
	for p, n := range directions {
		if n != 2 {
			t.Errorf("%s is there %d times, want both directions", p, n)
		}
	}
	report, err := os.ReadFile(filepath.Join(out, "RESULTS.md"))
	if err != nil || !strings.Contains(string(report), "found 9 similar objects") {
		t.Errorf("RESULTS.md lacks the list: %v", err)
	}
}

func TestResultsWantsLoadedContent(t *testing.T) {
	in := t.TempDir()
	write(t, in, map[string]string{"a.txt": "a"})
	if _, err := content.Results(context.Background(), in, report.Options{}); err == nil || !strings.Contains(err.Error(), "load test content first") {
		t.Errorf("Results of what was never loaded = %v", err)
	}
	if _, err := content.Results(context.Background(), filepath.Join(in, "nosuch"), report.Options{}); err == nil {
		t.Error("Results of nothing: no error")
	}
}

func rows(t *testing.T, name string) [][]string {
	t.Helper()
	all, err := results.ReadCSV(name)
	if err != nil {
		t.Fatal(err)
	}
	return all[1:]
}

func equals(decimal string, want float64) bool {
	got, err := strconv.ParseFloat(decimal, 64)
	return err == nil && got == want && strings.Contains(decimal, ".")
}
