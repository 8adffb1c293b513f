package definition

// The known answers of docs/format.md, by this definition.

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestKnownAnswers(t *testing.T) {
	page, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(page), "```vectors\n")
	if !ok {
		t.Fatal("no vectors in docs/format.md")
	}
	vectors, _, _ := strings.Cut(after, "```")
	n := 0
	for _, vector := range strings.Split(strings.TrimSpace(vectors), "\n\n") {
		head, answers, _ := strings.Cut(vector, "\n")
		var unit string
		var k int
		settings, quoted, _ := strings.Cut(head, `"`)
		if _, err := fmt.Sscan(settings, &unit, &k); err != nil {
			t.Fatalf("%q: %v", head, err)
		}
		text, err := strconv.Unquote(`"` + quoted)
		if err != nil {
			t.Fatalf("%q: %v", head, err)
		}
		var normalize string
		if f := strings.Fields(settings); len(f) > 2 {
			normalize = strings.Join(f[2:], " ")
		}
		var want []string
		for line := range strings.SplitSeq(answers, "\n") {
			if strings.HasPrefix(line, "shingle ") || strings.HasPrefix(line, "simhash ") {
				want = append(want, line)
			}
		}
		counts := map[uint64]int{}
		Shingles(text, unit, normalize, k, func(s string) { counts[Hash(s, unit)]++ })
		var hashes []uint64
		for h := range counts {
			hashes = append(hashes, h)
		}
		slices.Sort(hashes)
		var got []string
		for _, h := range hashes {
			got = append(got, fmt.Sprintf("shingle %016x %d", h, counts[h]))
		}
		got = append(got, fmt.Sprintf("simhash %016x", SimHash(hashes)))
		if !slices.Equal(got, want) {
			t.Errorf("%s\n%s\nwant\n%s", head, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		n++
	}
	if n < 8 {
		t.Errorf("%d vectors, want more", n)
	}
}
