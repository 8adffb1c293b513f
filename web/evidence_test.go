package web_test

// Pieces of documents, sources and examples, against what the database says.

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/web"
)

// spanOf cuts a piece out of a text by its places in UTF-16, as a browser does.
func spanOf(text string, span any) string {
	at := span.(object)["utf16"].([]any)
	from, _ := at[0].(json.Number).Int64()
	to, _ := at[1].(json.Number).Int64()
	return string(utf16.Decode(utf16.Encode([]rune(text))[from:to]))
}

// A piece is around the longest passage in common, with what both have marked, in whole words.
func TestExcerpts(t *testing.T) {
	s := open(t, &web.Options{Writable: true})
	passage := "Shingles overlap like those on a roof — 𝄞 — which is where the name comes from."
	filler := strings.Repeat("Ünterschiedliche Wörter füllen den Rest. ", 40)
	s.json("PUT", "document?id=long", fmt.Sprintf(`{"text":%q}`, filler+passage+" "+filler), 200)
	e := s.post("excerpts", fmt.Sprintf(`{"text":%q,"of":[{"id":"long"},{"id":"a"},{"id":"nosuch"}]}`, "Some say: "+passage))["excerpts"].([]any)
	piece := e[0].(object)
	text := piece["text"].(string)
	if marks := piece["marks"].([]any); len(marks) != 1 || !strings.Contains(spanOf(text, marks[0]), passage) || len(text) > 270 {
		t.Errorf("the piece is %v", piece)
	}
	begins, _ := piece["begins"].(json.Number).Int64()
	if whole := filler + passage + " " + filler; !strings.HasPrefix(whole[begins:], text) || whole[begins-1] != ' ' || whole[int(begins)+len(text)-1] != ' ' {
		t.Errorf("the piece %q at %d is not of whole words", text, begins)
	}
	if beginning := e[1].(object); len(beginning["marks"].([]any)) != 0 || !strings.HasPrefix(beginning["text"].(string), "The trick") {
		t.Errorf("without anything in common the piece is %v", beginning)
	}
	if gone := e[2].(object); gone["text"] != nil {
		t.Errorf("what is not stored is %v", gone)
	}
	e = s.post("excerpts", `{"id":"long","of":[{"id":"long"}]}`)["excerpts"].([]any)
	if same := e[0].(object); spanOf(same["text"].(string), same["marks"].([]any)[0]) != same["text"] {
		t.Errorf("of an equal text not all is marked: %v", same)
	}
	e = s.post("excerpts", `{"of":[{"id":"long"}],"size":1}`)["excerpts"].([]any)
	if first := e[0].(object)["text"]; first != "" && first != "Ü" {
		t.Errorf("one byte of a text is %q", first)
	}
	s.refused("POST", "/api/v1/excerpts", `{"of":[`+strings.Repeat(`{"id":"a"},`, 100)+`{"id":"a"}]}`, 400)
	s.refused("POST", "/api/v1/excerpts", `{"id":"a","text":"b","of":[]}`, 400)
	s.refused("POST", "/api/v1/excerpts", `{"id":"nosuch","of":[]}`, 404)
	s.refused("POST", "/api/v1/excerpts", `{"of":[{"id":"a","store":"x"}]}`, 400)
}

// Sources are those of the database, and each passage stands where the answer says, in both texts.
func TestSources(t *testing.T) {
	s := open(t, nil)
	text := "🙂 My notes: the trick is to look at many small pieces. Nobody else says so. Nothing of all this is here in the last of these texts."
	for _, least := range []int{0, 20, 60} {
		cover, err := s.db.Sources(t.Context(), api.ByText(text), simdb.Using(api.Coverage, api.Args{Min: least}))
		if err != nil {
			t.Fatal(err)
		}
		a := s.post("sources", fmt.Sprintf(`{"text":%q,"min":%d}`, text, least))
		list := a["sources"].([]any)
		if fmt.Sprint(a["chars"]) != fmt.Sprint(cover.Chars) || len(list) != len(cover.Sources) || (least < 60) != (len(list) == 2) {
			t.Fatalf("min %d: %v, want %+v", least, a, cover)
		}
		for i, of := range cover.Sources {
			got := list[i].(object)
			share, _ := got["share"].(json.Number).Float64()
			if got["id"] != of.ID || fmt.Sprint(got["chars"]) != fmt.Sprint(of.Chars) || share != float64(of.Chars)/float64(cover.Chars) {
				t.Errorf("source %d is %v, want %+v", i, got, of)
			}
			doc := s.get("document?id=" + of.ID)["text"].(string)
			for j, p := range got["passages"].([]any) {
				if in := spanOf(text, p.(object)["a"]); in != of.Passages[j].A || spanOf(doc, p.(object)["b"]) != of.Passages[j].B {
					t.Errorf("passage %d of %s is %q, want %q", j, of.ID, in, of.Passages[j].A)
				}
			}
		}
	}
	if a := s.post("sources", `{"id":"a"}`); a["sources"].([]any)[0].(object)["id"] != "c" || a["target"].(object)["id"] != "a" {
		t.Errorf("the sources of a are %v", a)
	}
	s.refused("POST", "/api/v1/sources", `{}`, 400)
	s.refused("POST", "/api/v1/sources", `{"id":"a","min":1001}`, 400)
	s.refused("POST", "/api/v1/sources", `{"text":"a","collection":"nosuch"}`, 404)
}
