package si

// This file has what paper 000 prints of its documents and of the numbers of its methods.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/sketch"
)

// Paper 000, pages 5 to 7, table 1: characters and words as printed, and those of the texts
// here, which are other editions of the same works and, of three, other files.
func TestTable1OfPaper000(t *testing.T) {
	dir := realtext.Path(t, "roth")
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, tt := range []struct {
		printed, here                              string
		printedChars, printedWords, chars, wordsOf int
	}{
		{"AddToClipboardAction.java", "SourceFile.java", 3632, 213, 3634, 323},
		{"DeleteDocument.class", "Compiled.class", 18468, 2711, 18183, 839},
		{"Gettysburg.txt", "", 1473, 270, 1475, 278},
		{"Proverbs.txt", "", 91384, 19157, 87671, 15953},
		{"Proverbs1-16.txt", "", 42069, 8376, 44214, 8007},
		{"Proverbs1-24.txt", "", 69016, 13736, 67507, 12250},
		{"Proverbs25-31.txt", "", 22368, 4421, 20164, 3703},
		{"TargetSetup.Result.txt", "InstallLog.txt", 3115, 347, 3108, 270},
		{"usConstitution(copy).txt", "", 48067, 7669, 44841, 7620},
		{"usConstitution-BillofRights.txt", "", 32006, 5039, 26799, 4551},
		{"usConstitution-noPreamble.txt", "", 47728, 7617, 44512, 7568},
		{"usConstitution.txt", "", 48067, 7669, 44841, 7620},
		{"usDOI-1.txt", "", 8147, 1337, 8071, 1327},
		{"usDOI-Grievances.txt", "", 4093, 682, 3788, 628},
		{"usDOI.txt", "", 8179, 1341, 8117, 1335},
	} {
		name := tt.here
		if name == "" {
			name = tt.printed
		}
		text := read(name)
		chars, words := utf8.RuneCountInString(text), len(strings.Fields(text))
		if name == "Compiled.class" { // not UTF-8: a byte is a character, and words are of bytes
			chars = len(text)
		}
		if chars != tt.chars || words != tt.wordsOf {
			t.Errorf("page 5, table 1, %s: %d characters and %d words here, want %d and %d", name, chars, words, tt.chars, tt.wordsOf)
		}
		if off := max(chars-tt.printedChars, tt.printedChars-chars); 100*off > 17*tt.printedChars {
			t.Errorf("page 5, table 1, %s: %d characters, printed are %d: no text of that size", name, chars, tt.printedChars)
		}
	}
	// What the remarks of the table say of each text is so here.
	proverbs, constitution, declaration := read("Proverbs.txt"), read("usConstitution.txt"), read("usDOI.txt")
	for what, is := range map[string]bool{
		"the first 16 chapters":         strings.HasPrefix(proverbs, read("Proverbs1-16.txt")),
		"the first 24, and the last 7":  proverbs == read("Proverbs1-24.txt")+read("Proverbs25-31.txt"),
		"an exact copy":                 constitution == read("usConstitution(copy).txt"),
		"without the Bill of Rights":    strings.HasPrefix(constitution, read("usConstitution-BillofRights.txt")),
		"without the Preamble":          strings.HasSuffix(constitution, read("usConstitution-noPreamble.txt")),
		"less one sentence":             len(read("usDOI-1.txt")) < len(declaration) && declaration[:2000] == read("usDOI-1.txt")[:2000],
		"less the grievances, 50 %":     2*len(read("usDOI-Grievances.txt")) < len(declaration),
		"19,157 words are not the sum ": 13736+4421 != 19157,
	} {
		if !is {
			t.Errorf("page 6, table 1: not so: %s", what)
		}
	}
}

// Paper 000, page 8, table 2, and the note below it: a method's number is that of table 2's
// stream, 0, 20 or 40, and 1 to 14; there is no 13 on characters. Pages 8 and 9, tables 3 to 5:
// four variations and four runs, which makes 672 less the 16 that do not exist.
func TestMethodNumbersOfPaper000(t *testing.T) {
	var numbers []int
	combinations := 0
	for number := range 80 {
		exists := false
		for _, run := range [][2]int{{4, 5}, {8, 12}, {16, 25}, {40, 100}} { // table 5
			for v := byte('A'); v <= 'D'; v++ {
				si := sketch.SI{Method: number, Variation: v, K: run[0], W: run[1], N: sketch.DefaultN}
				if si.Validate() == nil {
					exists = true
					combinations++
				}
			}
		}
		if exists {
			numbers = append(numbers, number)
		}
	}
	var want []int
	for _, offset := range []int{0, 20, 40} {
		for method := 1; method <= 14; method++ {
			if offset != 0 || method != 13 {
				want = append(want, offset+method)
			}
		}
	}
	if !slices.Equal(numbers, want) || combinations != paperRuns-paperMissing {
		t.Errorf("page 8: methods %v in %d combinations, want %v in %d", numbers, combinations, want, paperRuns-paperMissing)
	}
}
