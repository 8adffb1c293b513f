package measures

// This file reads the collections that the measures are compared on, and what is
// known of them: which documents are versions of each other.

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/simdb/simdb/lab/corpora"
)

// A collection is documents and what is known about them.
type collection struct {
	name  string
	truth string // how it is known, for the report
	docs  []corpora.Doc
	group []string // documents with equal groups are related; "" is related to none
}

func (c collection) related(i, j int) bool { return c.group[i] != "" && c.group[i] == c.group[j] }

// readRoth reads the texts of paper 000 with their drafts: those of the same
// work are versions.
func readRoth(dir string) (collection, error) {
	c := collection{name: "roth", truth: "texts and drafts of the same work (Proverbs, Constitution, Declaration, Gettysburg) are versions"}
	var err error
	if c.docs, err = corpora.ReadFolder(filepath.Join(dir, "roth"), "*.txt", "*.java", "drafts/*.txt"); err != nil {
		return c, err
	}
	for _, d := range c.docs {
		c.group = append(c.group, corpora.Work(d.ID))
	}
	return c, nil
}

// readSPDX reads the licences; those whose ids differ by -only or -or-later
// have the same text but for notes.
func readSPDX(dir string) (collection, error) {
	c := collection{name: "spdx", truth: "ids that are equal without -only and -or-later are versions"}
	var err error
	if c.docs, err = corpora.ReadFolder(filepath.Join(dir, "spdx"), "*.txt"); err != nil {
		return c, err
	}
	for _, d := range c.docs {
		c.group = append(c.group, corpora.Licence(d.ID))
	}
	return c, nil
}

// readLinux reads some of the paths that are in both releases, so few that all
// pairs can be compared; the two documents of a path are versions.
func readLinux(dir string) (collection, error) {
	const nth = 40
	c := collection{name: "linuxdoc", truth: fmt.Sprintf("a path in both releases is two versions; every %dth of these paths", nth)}
	docs, err := corpora.ReadJSONL(filepath.Join(dir, "linuxdoc.jsonl.gz"), 0)
	if err != nil {
		return c, err
	}
	paths, err := readPairs(dir)
	if err != nil {
		return c, err
	}
	chosen := map[string]bool{}
	for i := 0; i < len(paths); i += nth {
		chosen[paths[i].path] = true
	}
	for _, d := range docs {
		if _, path, _ := strings.Cut(d.ID, "/"); chosen[path] {
			c.docs = append(c.docs, d)
			c.group = append(c.group, path)
		}
	}
	return c, nil
}

// A linuxPair is a path that both releases have.
type linuxPair struct {
	path      string
	identical bool
	jaccard   string // over word 3-grams, with three decimals
}

func readPairs(dir string) (pairs []linuxPair, err error) {
	f, err := os.Open(filepath.Join(dir, "linuxdoc-pairs.csv.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, r := range rows[1:] {
		pairs = append(pairs, linuxPair{r[0], r[1] == "1", r[2]})
	}
	return pairs, nil
}

var documentHead = regexp.MustCompile(`(?m)^Document ([1-5]) *\n`)

// readPaper reads the five example documents from the text of paper 004 beside
// the corpora. That text lost its blank lines: a paragraph is taken to end at a
// line of fewer than 60 characters that ends a sentence.
func readPaper(dir string) (collection, error) {
	c := collection{name: "paper", truth: "the paper's appendix: 1 and 2 are versions, 3 and 4 tell of the same, 5 of something else"}
	names, err := filepath.Glob(filepath.Join(dir, "..", "papers", "004*.txt"))
	if err != nil || len(names) == 0 {
		return c, fmt.Errorf("no text of paper 004 beside the corpora: %w", os.ErrNotExist)
	}
	b, err := os.ReadFile(names[0])
	if err != nil {
		return c, err
	}
	_, appendix, _ := strings.Cut(string(b), "Appendix: Example documents")
	appendix, _, _ = strings.Cut(appendix, "<|")
	heads := documentHead.FindAllStringSubmatchIndex(appendix, -1)
	if len(heads) != 5 {
		return c, fmt.Errorf("%s: %d example documents, want 5", names[0], len(heads))
	}
	for i, h := range heads {
		end := len(appendix)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		c.docs = append(c.docs, corpora.Doc{ID: appendix[h[2]:h[3]], Text: withParagraphs(appendix[h[1]:end])})
	}
	c.group = []string{"versions", "versions", "semantics", "semantics", ""}
	return c, nil
}

func withParagraphs(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		out.WriteString(line + "\n")
		if len(line) < 60 && strings.HasSuffix(strings.TrimRight(line, `"”`), ".") {
			out.WriteString("\n")
		}
	}
	return out.String()
}
