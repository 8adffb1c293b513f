package sketch_test

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// Paper 004, appendix: documents 1 and 2.
const (
	paper1 = "Tiger Woods and his wife, Elin Nordegren, are reportedly divorced. According to their lawyers it became official in Bay County Circuit Court on Monday.\n\n" +
		"Woods and Nordegren have already commented on their divorce: \"We are sad that our marriage is over and we wish each other the very best for the future.\""
	paper2 = "Tiger Woods has reportedly divorced his wife Elin Nordegren. According to their lawyers it was done officially on Monday in Bay County Circuit Court.\n\n" +
		"Woods and Nordegren commented already on their unfortunate divorce: \"We are sad that our marriage is over and we wish each other the very best for the future.\"\n\n" +
		"Tiger has since been linked to another Blonde woman in skier Lindey Vonn. Vonn was spotted course side during the BMW championships."
)

// Paper 004, pages 8 and 9, figure 17, and appendix: the sentences of documents 1 and 2
// with the same meaning are 1, 1 and 1 bits apart in the paper's reading, and all
// others 4 or more.
func TestPaperSentences(t *testing.T) {
	for _, test := range []struct {
		reading sketch.Reading
		same    string
		least   int
	}{
		{sketch.Reading{KeepCase: true, DropStop: true}, "[1 1 1]", 4},
		{sketch.Reading{}, "[5 7 4]", 9},
	} {
		a, b := fingerprints(test.reading, paper1), fingerprints(test.reading, paper2)
		var same []int
		others := 32
		for i, x := range a {
			for j, y := range b {
				if d := bits.OnesCount32(x ^ y); i == j {
					same = append(same, d)
				} else {
					others = min(others, d)
				}
			}
		}
		if len(a) != 3 || fmt.Sprint(same) != test.same || others < test.least {
			t.Errorf("%+v: %d sentences, %v bits apart, others %d or more; want 3, %s and %d", test.reading, len(a), same, others, test.same, test.least)
		}
	}
}

func fingerprints(r sketch.Reading, doc string) (out []uint32) {
	for _, c := range r.Sentences(doc) {
		out = append(out, c)
	}
	return out
}

// Lower-casing the cased form must equal the lower-case form, and only the final stop
// is removed.
func TestReading(t *testing.T) {
	for _, test := range []struct {
		r          sketch.Reading
		doc, reads string
	}{
		{sketch.Reading{KeepCase: true}, "A  Cat\nsat.", "A Cat sat."},
		{sketch.Reading{KeepCase: true, DropStop: true}, "A 1.5 m Cat.", "A 1.5 m Cat"},
		{sketch.Reading{DropStop: true}, "He said \"No.\"", "he said \"no"},
		{sketch.Reading{DropStop: true}, "Why?", "why?"},
		{sketch.Reading{KeepCase: true}, "E\u0301t\xe9", "\u00c9t\ufffd"},
	} {
		got := fingerprints(test.r, test.doc)
		if want := sketch.Chunk([]byte(test.reads)); len(got) != 1 || got[0] != want {
			t.Errorf("%+v of %q: %x, want %x, the fingerprint of %q", test.r, test.doc, got, want, test.reads)
		}
	}
	if got, want := text.Normalize(nil, string(text.NormalizeCased(nil, paper1))), text.Char.Normalize(nil, paper1); string(got) != string(want) {
		t.Errorf("cased, then lower case: %q, want %q", got, want)
	}
}
