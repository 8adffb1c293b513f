package web_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/simdb/simdb/web"
)

// What every text quotes hides who copied from whom, until it is left out: as what more than so
// many documents have, or as a collection that holds it.
func TestIgnoring(t *testing.T) {
	s := open(t, &web.Options{Writable: true})
	task := "Describe a project in your own words, say what is known of it already, and name what each method cannot show."
	copied := " A strip of paper with a hole three words wide is moved along, and what can be read is a shingle."
	put := func(collection, id, text string) {
		s.json("PUT", "document?collection="+collection+"&id="+id, fmt.Sprintf(`{"text":%q}`, text), 200)
	}
	put("task", "t", task)
	for i := range 6 {
		text := task + strings.Repeat(fmt.Sprintf(" only%d words%d of%d one%d", i, i, i, i), 4)
		if i < 2 {
			text += copied
		}
		put("essays", fmt.Sprint("e", i), text)
	}
	for ignoring, alone := range map[string]bool{`{}`: false, `{"more_than":3}`: true, `{"collection":"task"}`: true} {
		ask := func(path, fields, list string) []any {
			return s.post(path, `{"ignoring":`+ignoring+`,`+fields+`}`)[list].([]any)
		}
		others := func(n int) int { // what an answer has but for the copy
			if alone {
				return 0
			}
			return n
		}
		if got, want := len(ask("similar", `"collections":["essays"],"id":"e0","threshold":0.1`, "matches")), 1+others(4); got != want {
			t.Errorf("%s: %d are similar, want %d", ignoring, got, want)
		}
		if got, want := len(ask("sources", `"collection":"essays","id":"e0"`, "sources")), 1; got != want {
			t.Errorf("%s: %d sources, want %d", ignoring, got, want)
		}
		if got, want := len(ask("sources", `"collection":"essays","id":"e5"`, "sources")), others(1); got != want {
			t.Errorf("%s: %d sources of an essay of its own, want %d", ignoring, got, want)
		}
		if got, want := len(ask("compare", `"a":{"id":"e0","collection":"essays"},"b":{"id":"e1","collection":"essays"}`, "passages")), 1+others(1); got != want {
			t.Errorf("%s: %d passages in common, want %d", ignoring, got, want)
		}
		piece := ask("excerpts", `"id":"e0","collection":"essays","of":[{"id":"e1","collection":"essays"}]`, "excerpts")[0].(object)
		if got, want := piece["passages"], json.Number(fmt.Sprint(1+others(1))); got != want {
			t.Errorf("%s: a piece says %v passages, want %v", ignoring, got, want)
		}
		groups := ask("clusters", `"collections":["essays"],"threshold":0.1`, "groups")
		if got, want := groups[0].(object)["size"], json.Number(fmt.Sprint(2+others(4))); len(groups) != 1 || got != want {
			t.Errorf("%s: %d groups, the first of %v, want one of %v", ignoring, len(groups), got, want)
		}
	}
	s.refused("POST", "/api/v1/similar", `{"id":"a","ignoring":{"more_than":-1}}`, 400)
	s.refused("POST", "/api/v1/similar", `{"id":"a","ignoring":{"collection":"nosuch"}}`, 404)
	s.refused("POST", "/api/v1/similar", `{"id":"a","measure":"simhash","ignoring":{"more_than":5}}`, 400)
	if got := s.post("clusters/remove", `{"ignoring":{"more_than":3},"collections":["essays"],"threshold":0.1}`)["removed"]; got != json.Number("1") {
		t.Errorf("%v were removed, want the copy alone", got)
	}
}
