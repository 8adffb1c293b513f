package measures

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/lab/corpora"
)

// What people call a version is one by the defaults of RELATED TO: a text of which 8 % of the
// words were replaced, or 1 % of the characters misread, or one of six parts was dropped.
func TestChangedTextsAreVersions(t *testing.T) {
	db, err := simdb.Open("changed", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rng := rand.New(rand.NewPCG(8, 1))
	var changed []api.Document
	docs, err := corpora.ReadJSONL(realtext.Path(t, "nsf.jsonl.gz"), 2000)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		words := strings.Fields(d.Text)
		if len(words) < 300 {
			continue
		}
		if err := db.Put(t.Context(), api.Document{ID: d.ID, Text: d.Text}); err != nil {
			t.Fatal(err)
		}
		part := rng.IntN(6)
		dropped := strings.Join(append(append([]string{}, words[:part*len(words)/6]...), words[(part+1)*len(words)/6:]...), " ")
		changed = append(changed, api.Document{ID: d.ID, Text: dropped})
		misread := []byte(d.Text)
		for range len(misread) / 100 {
			misread[rng.IntN(len(misread))] = byte('a' + rng.IntN(26))
		}
		changed = append(changed, api.Document{ID: d.ID, Text: string(misread)})
		for _, i := range rng.Perm(len(words))[:len(words)*8/100] {
			words[i] = fmt.Sprint("other", rng.IntN(1000))
		}
		if changed = append(changed, api.Document{ID: d.ID, Text: strings.Join(words, " ")}); len(changed) == 60 {
			break
		}
	}
	for i, c := range changed {
		found := api.KindTopic
		for r, err := range db.Related(t.Context(), api.ByText(c.Text)) {
			if err != nil {
				t.Fatal(err)
			}
			if r.ID == c.ID {
				found = r.Kind
			}
		}
		if found != api.KindVersion {
			t.Errorf("%s, %s: %s, want version", c.ID, []string{"a part dropped", "misread", "words replaced"}[i%3], found)
		}
	}
	if len(changed) != 60 {
		t.Errorf("%d texts, want 60", len(changed))
	}
}
