package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	poems = `{"id":"a","text":"shall I compare thee to a summer's day, thou art more lovely and more temperate","label":"summer"}
{"id":"b","text":"shall I compare thee to a winter's day, thou art more lovely and more temperate","label":"summer"}
{"id":"c","text":"the woods are lovely, dark and deep, but I have promises to keep","label":7}
`
	paragraphs = `{"id":"a","text":"the fox runs far\n\nthe dog sleeps at home\n\nsnow falls on the hills\n\nnobody goes out tonight"}
{"id":"b","text":"rates rise this year\n\nbanks call their customers\n\nhouses cost more than before\n\nbuyers wait for better times"}
{"id":"c","text":"birds sing every morning\n\nthe garden is full of flowers\n\nneighbours talk over the fence\n\nchildren play until it is dark"}
{"id":"d","text":"one paragraph only"}
`
)

// Experiments on small texts: what they print, which files they make, and what they refuse.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"poems.jsonl": poems, "texts.jsonl": paragraphs,
		"control/a.txt":     "a text of some words that go on and on, for whoever may read it\n",
		"control/sub/b.txt": "quite another one, which tells of mountains and of rivers, not of words\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, c := range []struct {
		args   string
		says   string // what is printed has, or the error
		made   string // files
		failed bool
	}{
		{"content control loaded", "| _dup | 2, 2 of 2 |", "loaded/a_i_25.txt loaded/sub/b_d_10.txt lab-content/RESULTS.md lab-content/pairs.csv", false},
		{"content control loaded", "loaded", "", true},
		{"content -force -pack -percent 10 -out results control loaded", "# Test content", "loaded/a_d_10.txt.gz results/controls.csv", false},
		{"content control control/inside", "name a folder outside", "", true},
		{"content -percent 0 control new", `"0" is not from 1 to 100`, "", true},
		{"content control", "1 arguments, want lab content [flags] DIR OUT", "", true},
		{"content -out control/a.txt control unmade", "control/a.txt", "", true},
		{"si -out labelled poems.jsonl", "3 documents with 2 labels.", "labelled/grid.csv", false},
		{"si control", "no two texts of control have the same label", "", true},
		{"si nosuch", "cannot read nosuch", "", true},
		{"repetition control", "nsf.jsonl.gz", "", true},
		{"", `no experiment ""`, "", true},
		{"nosuch", `no experiment "nosuch"`, "", true},
		{"plagiarise -texts 4 -sources 2 -terms 12 -out made texts.jsonl", "4 texts, each composed of paragraphs of 2 of the 3 texts", "made/plagiarised.jsonl made/texts/plagiarised-0004.txt made/truth.csv made/shares.csv", false},
		{"plagiarise -texts 4 -sources 2 -out made texts.jsonl", "made", "", true},
		{"plagiarise -force -texts 2 -sources 2 -out made texts.jsonl", "2 texts", "", false},
		{"plagiarise -texts 0 texts.jsonl", "0 is not from 1 to 1000000", "", true},
		{"plagiarise -sources 4 -out none texts.jsonl", "has 3 texts of 4 paragraphs or more; 4 are needed", "", true},
	} {
		var stdout, stderr bytes.Buffer
		err := command(t.Context(), strings.Fields(c.args), &stdout, &stderr)
		said := stdout.String()
		if err != nil {
			said = err.Error()
		}
		if (err != nil) != c.failed || !strings.Contains(said, c.says) {
			t.Errorf("lab %s: %v, says %.300q, want %q", c.args, err, said, c.says)
		}
		for _, name := range strings.Fields(c.made) {
			if _, err := os.Stat(name); err != nil {
				t.Errorf("lab %s: %v", c.args, err)
			}
		}
	}
	for _, name := range []string{"new", "unmade", "control/inside"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}
