package web_test

// The arguments of versions mean in a request what they mean in a statement.

import (
	"fmt"
	"testing"

	"github.com/simdb/simdb/api"
)

func TestVersionsByArguments(t *testing.T) {
	s := open(t, nil)
	const said = "The ship left the harbour at dawn. She sailed north along the coast."
	for id, text := range map[string]string{
		"short": said, "cased": "THE SHIP LEFT THE HARBOUR AT DAWN. SHE SAILED NORTH ALONG THE COAST.",
		"long": said + " Then the wind turned, and she lay still for three days and nights.",
	} {
		if err := s.db.Put(t.Context(), api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	for arguments, statement := range map[string]string{
		`{}`:                                     "",
		`{"reading":"paper"}`:                    "reading='paper'",
		`{"reading":"paper","of":"both"}`:        "reading='paper', of='both'",
		`{"case":"keep","bits":0}`:               "case='keep', bits=0",
		`{"stop":"drop","resemblance":false}`:    "stop='drop', resemblance='off'",
		`{"of":"query"}`:                         "of='query'",
		`{"of":"doc","share":"1/3"}`:             "of='doc', share=1/3",
		`{"share":0.5,"resemblance":true}`:       "share=0.5, resemblance='on'",
		`{"case":"fold","stop":"keep"}`:          "case='fold', stop='keep'",
		`{"reading":"simdb","share":"0.1"}`:      "reading='simdb', share=0.1",
		`{"reading":"paper","resemblance":true}`: "reading='paper', resemblance='on'",
	} {
		res, err := s.db.Query(t.Context(), "SIMILAR TO short USING versions("+statement+") WHERE sim >= 0.3")
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		for row, err := range res.All() {
			if err != nil {
				t.Fatal(err)
			}
			want += fmt.Sprintln(row[0], row[1])
		}
		body := `{"id":"short","measure":"versions","threshold":0.3,"arguments":` + arguments + `}`
		for _, m := range s.post("similar", body)["matches"].([]any) {
			got += fmt.Sprintln(m.(object)["id"], m.(object)["sim"])
		}
		if got != want || got == "" {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
