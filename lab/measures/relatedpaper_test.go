package measures

// The relations that paper 004 states of its five example documents, as RELATED TO answers.

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// Pages are counted in the text of the paper, of which the first begins with the abstract.
func TestRelatedOfThePaper(t *testing.T) {
	c, ctx := paperDocs(t), t.Context()
	db, err := simdb.Open("paper", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.CreateCollection(ctx, "docs", api.Settings{Versions: true, Entities: true, Words: true, Patricia: true}); err != nil {
		t.Fatal(err)
	}
	for _, d := range c.docs {
		if err := db.Put(ctx, api.Document{ID: d.ID, Text: d.Text}); err != nil {
			t.Fatal(err)
		}
	}
	const (
		paper    = "WITH (version = 0.25, words = 0.4)" // bounds at which the relations are those that the paper states
		topics   = "WITH (copy = off, version = off, contains = off, part_of = off, passages = off, quotes = off, words = 0.4)"
		passages = "WITH (copy = off, version = off, contains = off, part_of = off, topic = off, words = off, passages = 15)"
	)
	for _, tt := range []struct {
		page, says string // of paper 004
		id, with   string
		want       []string
	}{
		{"2, section 3.1, criterion 1", "documents 1 and 2 are versions", "1", "WITH (reading = 'paper')", []string{"2 version"}},
		{"2, section 3.1, criterion 1", "documents 1 and 2 are versions", "2", "WITH (reading = 'paper')", []string{"1 version"}},
		{"2, section 2.4", "documents 3 and 4 are semantically related", "3", "WITH (reading = 'paper')", []string{"4 same topic"}},
		{"3, section 3.1, criterion 2", "documents 3 and 4 are semantically related", "4", "WITH (reading = 'paper')", []string{"3 same topic"}},
		{"7, section 3.5", "document 5 is related to none", "5", "WITH (reading = 'paper')", nil},
		{"2, section 3.1, criterion 1; 13", "documents 1 and 2 are versions", "1", paper, []string{"2 version"}},
		{"2, section 3.1, criterion 1; 13", "documents 1 and 2 are versions", "2", paper, []string{"1 version"}},
		{"2, section 2.4; 3, criterion 2", "fed document 3, the output says that 4 is semantically related", "3", paper, []string{"4 same topic"}},
		{"3, section 3.1, criterion 2", "documents 3 and 4 are semantically related", "4", paper, []string{"3 same topic"}},
		{"7, section 3.5: 4 and 5 should not be related", "document 5 is related to none", "5", paper, nil},
		{"6, figure 7, row 1: ++ and ++", "versions are found in the text alone, by shingles and by words", "1", "WITH (version = 0.25, topic = off, words = off)", []string{"2 version"}},
		{"6, figure 7, row 2: +, + and +", "semantic relations are found where words or entities are compared", "3", topics, []string{"4 same topic"}},
		{"6, figure 7, row 2", "a version is about the same, too", "1", topics, []string{"2 same topic"}},
		{"3, figure 4", "the texts of 1 and 2 share long pieces", "1", passages, []string{"2 shares passages"}},
	} {
		got := rowsOf(t, db, fmt.Sprintf("RELATED TO '%s' %s RETURNING id, kind", tt.id, tt.with))
		if !slices.Equal(got, tt.want) {
			t.Errorf("paper 004, page %s (%s): RELATED TO '%s' %s gives %q, want %q", tt.page, tt.says, tt.id, tt.with, got, tt.want)
		}
	}
}

// Pages 4 to 6, sections 3.2 to 3.4: winning score and leading score of documents 3 and 4 mean
// the same, which no method sees without synonyms.
func TestSynonymsOfPaper004(t *testing.T) {
	c, ctx := paperDocs(t), t.Context()
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, s := range map[string]api.Settings{
		"plain": {Entities: true},
		"told":  {Entities: true, Synonyms: "winning score, leading score"},
	} {
		if err := db.CreateCollection(ctx, name, s); err != nil {
			t.Fatal(err)
		}
		for _, d := range c.docs {
			if err := db.Put(ctx, api.Document{Collection: name, ID: d.ID, Text: d.Text}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		statement string
		want      []string
	}{
		{"SIMILAR TO '3' IN plain USING entities WHERE sim > 0 RETURNING id", nil},
		{"SIMILAR TO '3' IN told USING entities WHERE sim > 0 RETURNING id", []string{"4"}},
		{"SIMILAR TO '4' IN told USING entities WHERE sim > 0 RETURNING id", []string{"3"}},
		{"SIMILAR TO '5' IN told USING entities WHERE sim > 0 RETURNING id", nil},
		{"RELATED TO '3' IN told WITH (topic = 0.15, words = off) RETURNING id, kind", []string{"4 same topic"}},
		{"RELATED TO '3' IN plain WITH (topic = 0.15, words = off) RETURNING id, kind", nil},
	} {
		got := rowsOf(t, db, tt.statement)
		if !slices.Equal(got, tt.want) {
			t.Errorf("paper 004, pages 4 to 6: %s gives %q, want %q", tt.statement, got, tt.want)
		}
	}
}

// rowsOf are the rows of an answer, their values with spaces between.
func rowsOf(t *testing.T, db *simdb.DB, statement string) (all []string) {
	t.Helper()
	rows, err := db.Query(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimSuffix(fmt.Sprintln(row...), "\n"))
	}
	return all
}
