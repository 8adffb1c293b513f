package web_test

// Two texts side by side.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/web"
)

// Places are the same piece of both texts, however one counts.
func TestComparePlaces(t *testing.T) {
	s := open(t, &web.Options{Writable: true})
	common := "the same thirty characters stand in both, é and 😀 among them. And this sentence is in both of these texts too."
	a, b := "😀😀 é first "+common+" \xff end", "\xfe and before it more 😀 stands here. "+common+" …"
	if err := s.db.Put(t.Context(), api.Document{ID: "x", Text: a}, api.Document{ID: "y", Text: b}); err != nil {
		t.Fatal(err)
	}
	answer := s.post("compare", `{"a":{"id":"x"},"b":{"id":"y"}}`)
	pieces := slices.Concat(answer["passages"].([]any), answer["sentences"].([]any))
	if len(answer["passages"].([]any)) == 0 || len(answer["sentences"].([]any)) == 0 {
		t.Fatalf("nothing in common: %v", answer)
	}
	for _, p := range pieces {
		for side, stored := range map[string]string{"a": a, "b": b} {
			shown := answer[side].(object)["text"].(string)
			at := p.(object)[side].(object)
			from, to := ends(at["bytes"])
			want := strings.ToValidUTF8(stored[from:to], "\ufffd")
			from, to = ends(at["chars"])
			chars := string([]rune(shown)[from:to])
			from, to = ends(at["utf16"])
			units := string(utf16.Decode(utf16.Encode([]rune(shown))[from:to]))
			if chars != want || units != want || want == "" {
				t.Errorf("%s: by bytes %q, by characters %q, by units %q", side, want, chars, units)
			}
		}
	}
	if p := answer["passages"].([]any)[0].(object); !strings.Contains(textAt(answer, p, "a"), common[:40]) {
		t.Errorf("the passage is %q", textAt(answer, p, "a"))
	}
	want, err := s.db.Compare(t.Context(), api.ByID("x"), api.ByID("y"))
	if err != nil {
		t.Fatal(err)
	}
	if m := answer["measures"].([]any)[0].(object); m["measure"] != "overlap" {
		t.Errorf("the first measure is %v, want overlap", m)
	}
	for i, m := range answer["measures"].([]any)[1:] {
		if sim, ok := m.(object)["sim"].(json.Number); ok == want[i].None || ok && sim.String() != fmt.Sprint(want[i].Sim) {
			t.Errorf("%v, want %+v", m, want[i])
		}
	}
}

func ends(v any) (from, to int) {
	fmt.Sscan(fmt.Sprint(v.([]any)[0]), &from)
	fmt.Sscan(fmt.Sprint(v.([]any)[1]), &to)
	return from, to
}

func textAt(answer, piece object, side string) string {
	from, to := ends(piece[side].(object)["chars"])
	return string([]rune(answer[side].(object)["text"].(string))[from:to])
}

// Documents of different collections are compared too, as is a text with a document.
func TestCompareAcross(t *testing.T) {
	s := filled(t, 10)
	if err := s.db.Put(t.Context(), api.Document{Collection: "many", ID: "a", Text: "not what docs has under this id, but so long that it has shingles"}); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{"a":{"id":"a"},"b":{"id":"a","collection":"many"}}`,
		`{"a":{"id":"a","collection":"many"},"b":{"id":"a"}}`,
		`{"a":{"text":"not what docs has under this id, but so long that it has shingles"},"b":{"id":"a"}}`,
	} {
		a := s.post("compare", body)
		if sim := a["measures"].([]any)[0].(object)["sim"]; sim != json.Number("0") {
			t.Errorf("%s: %v, want 0", body, sim)
		}
	}
	same := s.post("compare", `{"a":{"text":"not what docs has under this id, but so long that it has shingles"},"b":{"id":"a","collection":"many"}}`)
	if sim := same["measures"].([]any)[0].(object)["sim"]; sim != json.Number("1") {
		t.Errorf("a text and its document: %v, want 1", sim)
	}
	s.refused("POST", "/api/v1/compare", `{"a":{"id":"nosuch"},"b":{"id":"a"}}`, 404)
	s.refused("POST", "/api/v1/compare", `{"a":{"id":"a"}}`, 400)
}
