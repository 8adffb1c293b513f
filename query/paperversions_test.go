package query

import (
	"strings"
	"testing"
)

// Paper 004, pages 8 and 9, figure 17, and appendix: documents 1 and 2, which are versions ("2 of 2 sentences of document
// 1"), by the paper's reading; by simdb's they are not.
func TestPaperVersions(t *testing.T) {
	db := openStore(t)
	answer(db, Options{}, `INSERT INTO docs (id, text) VALUES ('1', 'Tiger Woods and his wife, Elin Nordegren, are reportedly divorced. `+
		`According to their lawyers it became official in Bay County Circuit Court on Monday. `+
		`Woods and Nordegren have already commented on their divorce: "We are sad that our marriage is over and we wish each other the very best for the future."'), `+
		`('2', 'Tiger Woods has reportedly divorced his wife Elin Nordegren. According to their lawyers it was done officially on Monday in Bay County Circuit Court. `+
		`Woods and Nordegren commented already on their unfortunate divorce: "We are sad that our marriage is over and we wish each other the very best for the future." `+
		`Tiger has since been linked to another Blonde woman in skier Lindey Vonn. Vonn was spotted course side during the BMW championships.')`)
	for _, test := range []struct{ using, rows string }{
		{"versions(reading='paper')", `"2"`},
		{"versions(reading='paper', bits=1)", `"2"`},
		{"versions(reading='paper', bits=0)", ""},
		{"versions(reading='paper', of='both')", ""},
		{"versions", ""},
	} {
		got := answer(db, Options{}, "SIMILAR TO '1' USING "+test.using+" WHERE sim >= 0.8 RETURNING id")
		if want := strings.TrimSpace("id\n" + test.rows); strings.TrimSpace(got) != want {
			t.Errorf("%s finds\n%s\nwant\n%s", test.using, got, want)
		}
	}
}
