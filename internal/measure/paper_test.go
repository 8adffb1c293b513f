package measure

// The printed examples of papers 001 and 003 on indexing and the length filter.

import (
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/shingle"
)

// Paper 001, page 2, figures 2 and 3: the sistrings of "uma rosa é uma rosa." from every
// character and from the start of each term; and the bits of the first characters.
func TestSiStringsOfPaper001(t *testing.T) {
	const doc = "uma rosa é uma rosa."
	s := NewSiStrings([]byte(doc))
	starts := slices.Sorted(slices.Values(s.starts))
	var got []string
	for _, at := range starts {
		got = append(got, doc[at:])
	}
	if want := []string{doc, "rosa é uma rosa.", "é uma rosa.", "uma rosa.", "rosa."}; !slices.Equal(got, want) {
		t.Errorf("page 2, figure 3: sistrings %q, want %q", got, want)
	}
	// The leaves from the left, in the code page of the paper, which orders a blank
	// before a stop.
	var leaves []int
	for _, at := range s.starts {
		leaves = append(leaves, slices.Index(starts, at)+1)
	}
	if want := []int{2, 5, 1, 4, 3}; !slices.Equal(leaves, want) {
		t.Errorf("page 2, figure 4: leaves %v, want %v", leaves, want)
	}
	// Figure 2 has one sistring per character; simdb indexes terms.
	if n := utf8.RuneCountInString(doc); n != 20 || s.Len() != n {
		t.Errorf("page 2, figure 2: %d characters, Len = %d, want 20", n, s.Len())
	}
	for char, want := range map[rune]string{'é': "11101001", 'r': "01110010", 'u': "01110101", '.': "00101110", ' ': "00100000"} {
		if got := fmt.Sprintf("%08b", char); got != want {
			t.Errorf("page 2: %q is %s in extended ASCII, want %s", char, got, want)
		}
	}
	// 37 is the fifth bit after four equal characters.
	if a, b := "rosa ", "rosa."; commonPrefix([]byte(a), []byte(b)) != 4 || 4*8+5 != 37 {
		t.Errorf("page 3: %q and %q have %d equal characters, want 4", a, b, commonPrefix([]byte(a), []byte(b)))
	}
}

// Paper 003, pages 2 and 3: the similarity of figure 1, and the sizes that the length
// filter keeps at J = 0.9.
func TestSizesOfPaper003(t *testing.T) {
	set := func(s string) shingle.Bag {
		var b shingle.Bag
		for _, r := range s {
			b.Set = append(b.Set, uint64(r))
		}
		b.Total = uint64(len(b.Set))
		return b
	}
	nineTenths := api.Ratio(9, 10)
	for _, tt := range []struct {
		page, s, t string
		num, den   uint64
		similar    bool
	}{
		{"2, figure 1: any two sets with 3 of 8 in common", "abcde", "cdefgh", 3, 8, false},
		{"3, assumption 1: t starts with a", "bcdefghij", "abcdefghij", 9, 10, true},
		{"3, assumption 2: t starts with c", "bcdefghij", "cdefghij", 8, 9, false},
	} {
		score := Resemblance.Score(set(tt.s), set(tt.t))
		if score.Shared != tt.num || score.Of != tt.den || score.Reaches(nineTenths) != tt.similar {
			t.Errorf("page %s: SIM(%s, %s) = %+v, want %d/%d", tt.page, tt.s, tt.t, score, tt.num, tt.den)
		}
	}
	for _, tt := range []struct {
		page     string
		s, t     uint64
		compared bool
	}{
		{"3: length 9 is compared with 9 …", 9, 9, true}, {"3: … and with 9/0.9 = 10", 9, 10, true}, {"3: … and no longer ones", 9, 11, false},
		{"3: length 8 is compared with 8", 8, 8, true}, {"3: 8/0.9 = 8.89 is less than 9", 8, 9, false},
	} {
		if _, ok := Resemblance.Need(Size{tt.s, tt.s}, Size{tt.t, tt.t}, nineTenths); ok != tt.compared {
			t.Errorf("page %s: sets of %d and %d are compared: %v, want %v", tt.page, tt.s, tt.t, ok, tt.compared)
		}
	}
}
