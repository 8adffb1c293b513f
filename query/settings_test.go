package query

// Settings, read and written.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
)

func TestParseSettings(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want api.Settings
	}{
		{"k = 4", api.Settings{K: 4}},
		{"unit = 'char', unique_sim = 80%, intervals = 'paper'", api.Settings{Unit: "char", UniqueSim: "0.8", Intervals: "paper"}},
		{"ledger = on", api.Settings{Ledger: true}},
		{"VERSIONS = ON, entities = 'off', words = TRUE, patricia = 'On'", api.Settings{Versions: true, Words: true, Patricia: true}},
		{"si = 'm43b k40, m3b k16'", api.Settings{SI: "m43b k40, m3b k16"}},
	} {
		if got, err := ParseSettings(tt.src); got != tt.want || err != nil {
			t.Errorf("ParseSettings(%q) = %+v, %v, want %+v", tt.src, got, err, tt.want)
		}
	}
	// Older statements may have settings that are no more.
	old := func(at, name string) string {
		return fmt.Sprintf("%s: want a setting: unit, k, normalize, fold, language, unique_sim, intervals, si, versions, entities, gazetteer, synonyms, words, patricia, index, ledger, found %q; "+
			"%s is not needed any more, leave it out: every measure of shingles has an index at every threshold", at, name, strings.ToLower(name))
	}
	for src, want := range map[string]string{
		"":                     `1:1: want a setting: unit, k, normalize, fold, language, unique_sim, intervals, si, versions, entities, gazetteer, synonyms, words, patricia, index, ledger, found the end`,
		"k = 4,":               `1:7: want a setting: unit, k, normalize, fold, language, unique_sim, intervals, si, versions, entities, gazetteer, synonyms, words, patricia, index, ledger, found the end`,
		"k = 4)":               `1:6: want a comma or the end of the settings, found ")"`,
		"k = 4, k = 4":         `1:8: want each setting once, found "k"`,
		"k = 4, min_sim = 0.8": old("1:8", "min_sim"),
		"Postings = 'all'":     old("1:1", "Postings"),
		"sets = 'derived'":     old("1:1", "sets"),
		"k = ?":                `1:5: want an argument for $1, found 0 given`,
		"words = 'yes'":        `1:9: want on or off, found the string "yes"`,
		"si = TRUE":            `1:6: want similarity indexes like 'm43b k40, m3b k16', found "true"`,
		"si = ''":              `1:6: want similarity indexes like 'm43b k40, m3b k16', found the string ""`,
	} {
		if got, err := ParseSettings(src); err == nil || err.Error() != want {
			t.Errorf("ParseSettings(%q) = %+v, %v, want %s", src, got, err, want)
		}
	}
}

// What FormatSettings writes, ParseSettings reads.
func TestFormatSettings(t *testing.T) {
	for _, s := range []api.Settings{
		{Unit: "word", K: 3},
		{Unit: "char", K: 5, UniqueSim: "1/3", Intervals: "1-10,11-20"},
		{Unit: "word", K: 3, SI: "m43b k40, m3b k16", Versions: true, Entities: true, Words: true, Patricia: true},
		{Unit: "word", K: 3, UniqueSim: "5/6", Entities: true},
	} {
		text := FormatSettings(s)
		if got, err := ParseSettings(text); got != s || err != nil {
			t.Errorf("ParseSettings(%q) = %+v, %v, want %+v", text, got, err, s)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	f.Add("unit = 'char', k = 3, si = 'm43b k40', versions = on")
	f.Add("unique_sim = 1/3")
	f.Fuzz(func(t *testing.T, src string) {
		s, err := ParseSettings(src)
		if err != nil || s.Unit == "" || s.K == 0 || s.Intervals == "none" || s.Gazetteer+s.Synonyms != "" {
			return // what a collection has always is written always
		}
		if again, err := ParseSettings(FormatSettings(s)); again != s || err != nil {
			t.Fatalf("ParseSettings(%q) writes %q, which is %+v, %v", src, FormatSettings(s), again, err)
		}
	})
}

// The files of lists are read where files may be read.
func TestListsFromFiles(t *testing.T) {
	db := openStore(t)
	names := filepath.Join(t.TempDir(), "names.txt")
	for _, tt := range []struct {
		value, names, want string
		files              bool
	}{
		{"?", "oak hill\n", "created", true},
		{"?", "oak hill\n\n…\n", "gazetteer: line 3", true},
		{"?", " \n", "a file with a line", true},
		{"?", "oak hill\n", "this caller may not read files", false},
		{"'nosuch.txt'", "", "1:44: want a file that can be read", true},
		{"'.'", "", "not a regular file", true},
		{"3", "", "the name of a file", true},
		{"on", "", "the name of a file", true},
	} {
		if err := os.WriteFile(names, []byte(tt.names), 0o600); err != nil {
			t.Fatal(err)
		}
		src, params := "CREATE COLLECTION listed WITH (gazetteer = "+tt.value+")", []any{}
		if tt.value == "?" {
			params = append(params, names)
		}
		if got := answer(db, Options{Files: tt.files}, src, params...); !strings.Contains(got, tt.want) {
			t.Errorf("%s of %q: %s, want %q", src, tt.names, got, tt.want)
		}
	}
	if got := answer(db, Options{}, "SHOW SETTINGS IN listed"); !strings.Contains(got, `"(lines: 1)" null`) {
		t.Errorf("SHOW SETTINGS: %s", got)
	}
}
