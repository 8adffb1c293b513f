package shingle

// Hashes that stores contain. This test must never change.

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/text"
)

// vectors returns the known answers of docs/format.md: one group of lines per text.
func vectors(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```vectors\n")
	block, _, ok := strings.Cut(block, "```")
	if !ok || block == "" {
		t.Fatal("docs/format.md has no known answers")
	}
	return strings.Split(strings.TrimSpace(block), "\n\n")
}

// Stored sets hold these hashes, so the documented answers must never change.
func TestKnownAnswers(t *testing.T) {
	for _, group := range vectors(t) {
		head, _, _ := strings.Cut(group, "\n")
		var unit, quoted string
		var a Analysis
		if _, err := fmt.Sscanf(head, "%s %d %q", &unit, &a.K, &quoted); err != nil {
			t.Fatalf("%s: %v", head, err)
		}
		var err error
		if a.Unit, err = text.ParseUnit(unit); err != nil {
			t.Fatal(err)
		}
		got := head + "\n" + answers(a, quoted)
		var want strings.Builder
		for line := range strings.Lines(group + "\n") {
			if !strings.HasPrefix(line, "simhash ") { // of a package above this one
				want.WriteString(line)
			}
		}
		if got != want.String() {
			t.Errorf("got\n%s\nwant\n%s", got, want.String())
		}
	}
}

func answers(a Analysis, doc string) string {
	var out strings.Builder
	norm := a.Unit.Normalize(nil, doc)
	hashes := new(scratch).appendWords(nil, norm, 0)
	if a.Unit == text.Char {
		hashes = appendChars(nil, norm)
	}
	unit := a.Unit
	if len(hashes) == 0 {
		unit, norm = text.Char, text.Collapse(norm)
		hashes = appendChars(nil, norm)
	}
	for t := range unit.Tokens(norm) {
		fmt.Fprintf(&out, "token %016x %s\n", hashes[0], strconv.Quote(string(norm[t.Start:t.End])))
		hashes = hashes[1:]
	}
	bag := a.Bag(doc)
	for i, h := range bag.Set {
		fmt.Fprintf(&out, "shingle %016x %d\n", h, bag.Count(i))
	}
	d := bag.Digest()
	fmt.Fprintf(&out, "digest %016x %016x\n", binary.LittleEndian.Uint64(d[:]), binary.LittleEndian.Uint64(d[8:]))
	return out.String()
}
