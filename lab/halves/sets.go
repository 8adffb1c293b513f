package halves

// This file makes labelled sets of texts that ship with simdb or lie beside it:
// composed texts, versions, licences. What belongs together is known exactly.

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/evaluate"
	"github.com/simdb/simdb/lab/corpora"
)

// makers are the sets, each of a folder of corpora.
var makers = []func(dir string) (evaluate.Labelled, error){
	composed, reworded, versionsOfDocs, neighbours, parts, licences, families, works,
}

func add(l *evaluate.Labelled, docs []corpora.Doc) {
	for _, d := range docs {
		l.Add(d.ID, d.Text)
	}
}

const composedTexts = 200

// abstracts returns some texts of nsf with four paragraphs or more.
func abstracts(dir string) (docs []corpora.Doc, err error) {
	all, err := corpora.ReadJSONL(filepath.Join(dir, "nsf.jsonl.gz"), 0)
	if err != nil {
		return nil, err
	}
	for i, d := range all {
		if i%3 == 0 && len(corpus.Paragraphs(d.Text)) >= 4 {
			docs = append(docs, d)
		}
	}
	return docs[:min(len(docs), 2000)], nil
}

func composed(dir string) (evaluate.Labelled, error) {
	l := evaluate.Labelled{Name: "composed", Tells: "texts composed of paragraphs of three abstracts of nsf each; the three are right"}
	return l, compose(&l, dir, func(_ *rand.Rand, text string) string { return text })
}

func reworded(dir string) (evaluate.Labelled, error) {
	l := evaluate.Labelled{Name: "reworded", Tells: "the same with one word in three replaced by another of the text"}
	return l, compose(&l, dir, func(r *rand.Rand, text string) string { return replaced(r, text, 3) })
}

func compose(l *evaluate.Labelled, dir string, change func(r *rand.Rand, text string) string) error {
	docs, err := abstracts(dir)
	if err != nil {
		return err
	}
	add(l, docs)
	r := rand.New(rand.NewPCG(11, 0))
	for i := range composedTexts {
		var texts, ids []string
		for _, n := range r.Perm(len(docs))[:3] {
			texts, ids = append(texts, docs[n].Text), append(ids, docs[n].ID)
		}
		p := corpus.Plagiarise(uint64(i), corpus.EqualShares(200, texts...)...)
		id := fmt.Sprintf("composed-%03d", i)
		l.Add(id, change(r, p.Text))
		l.Answer(id, ids...)
	}
	return nil
}

// replaced puts in the place of one word in nth another one of the text.
func replaced(r *rand.Rand, text string, nth int) string {
	lines := strings.SplitAfter(text, "\n")
	words := strings.Fields(text)
	for i, line := range lines {
		fields := strings.Split(line, " ")
		for w := range fields {
			if strings.TrimSpace(fields[w]) != "" && r.IntN(nth) == 0 {
				fields[w] = words[r.IntN(len(words))]
			}
		}
		lines[i] = strings.Join(fields, " ")
	}
	return strings.Join(lines, "")
}

// docsOf returns every fourth path of linuxdoc, in the releases that have it.
func docsOf(dir string) (paths []string, byPath map[string][]corpora.Doc, err error) {
	all, err := corpora.ReadJSONL(filepath.Join(dir, "linuxdoc.jsonl.gz"), 0)
	if err != nil {
		return nil, nil, err
	}
	byPath = map[string][]corpora.Doc{}
	for _, d := range all {
		_, path, _ := strings.Cut(d.ID, "/")
		if byPath[path] == nil {
			paths = append(paths, path)
		}
		byPath[path] = append(byPath[path], d)
	}
	slices.Sort(paths)
	var some []string
	for i := 0; i < len(paths); i += 4 {
		some = append(some, paths[i])
	}
	return some, byPath, nil
}

// changed reports whether a path has two texts that differ.
func changed(docs []corpora.Doc) bool { return len(docs) == 2 && docs[0].Text != docs[1].Text }

func versionsOfDocs(dir string) (evaluate.Labelled, error) {
	l := evaluate.Labelled{Name: "versions", Tells: "every fourth file of linuxdoc; of those that changed between the releases the other text is right"}
	paths, byPath, err := docsOf(dir)
	for _, p := range paths {
		add(&l, byPath[p])
		if docs := byPath[p]; changed(docs) && l.Rows() < 400 {
			l.Answer(docs[0].ID, docs[1].ID)
		}
	}
	return l, err
}

func neighbours(dir string) (evaluate.Labelled, error) {
	l := evaluate.Labelled{Name: "neighbours", Tells: "pairs: the two texts of a changed file of linuxdoc are similar, one of them and the three next files of its folder are not"}
	paths, byPath, err := docsOf(dir)
	for i, p := range paths {
		add(&l, byPath[p])
		docs := byPath[p]
		if !changed(docs) {
			continue
		}
		l.Pair(docs[0].ID, docs[1].ID, true)
		for _, next := range paths[i+1 : min(i+4, len(paths))] {
			if filepath.Dir(next) == filepath.Dir(p) {
				l.Pair(docs[0].ID, byPath[next][0].ID, false)
			}
		}
	}
	return l, err
}

func parts(dir string) (evaluate.Labelled, error) {
	l := evaluate.Labelled{Name: "parts", Tells: "the third quarter of every twelfth file of linuxdoc, in so far as it has 50 words; the texts of that file are right"}
	paths, byPath, err := docsOf(dir)
	for i, p := range paths {
		add(&l, byPath[p])
		text := byPath[p][0].Text
		part := strings.ToValidUTF8(text[len(text)/2:len(text)*3/4], "")
		if i%3 != 0 || len(strings.Fields(part)) < 50 || l.Rows() > 500 {
			continue
		}
		l.Add("part/"+p, part)
		for _, d := range byPath[p] {
			l.Answer("part/"+p, d.ID)
		}
	}
	return l, err
}

// readLicences returns the licences by id, and the ids with the same text.
func readLicences(dir string) (docs []corpora.Doc, same map[string][]string, err error) {
	docs, err = corpora.ReadFolder(filepath.Join(dir, "spdx"), "*.txt")
	same = map[string][]string{}
	for _, d := range docs {
		key := strings.Join(strings.Fields(d.Text), " ")
		same[key] = append(same[key], d.ID)
	}
	return docs, same, err
}

func licences(dir string) (evaluate.Labelled, error) {
	l := evaluate.Labelled{Name: "licences", Tells: "every third licence of spdx as a project has it, with a notice before it and one word in 40 replaced; those of the same text are right"}
	docs, same, err := readLicences(dir)
	add(&l, docs)
	r := rand.New(rand.NewPCG(12, 0))
	for i, d := range docs {
		if i%3 == 0 && len(strings.Fields(d.Text)) > 30 {
			id := "file-" + d.ID
			l.Add(id, fmt.Sprintf("Copyright (c) %d The %s authors. All rights reserved.\n\n", 1990+i%35, strings.ToLower(d.ID))+replaced(r, d.Text, 40))
			l.Answer(id, same[strings.Join(strings.Fields(d.Text), " ")]...)
		}
	}
	return l, err
}

func families(dir string) (evaluate.Labelled, error) {
	l := evaluate.Labelled{Name: "families", Tells: "licences of spdx; those whose ids are equal without -only and -or-later are right"}
	docs, _, err := readLicences(dir)
	add(&l, docs)
	byName := map[string][]string{}
	var names []string
	for _, d := range docs {
		name := corpora.Licence(d.ID)
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], d.ID)
	}
	for _, name := range names {
		for _, id := range byName[name] {
			l.Answer(id, byName[name]...)
		}
	}
	return l, err
}

func works(dir string) (evaluate.Labelled, error) {
	l := evaluate.Labelled{Name: "works", Tells: "pairs: texts and drafts of roth are similar if they are of one work"}
	docs, err := corpora.ReadFolder(filepath.Join(dir, "roth"), "*.txt", "drafts/*.txt")
	add(&l, docs)
	for i, a := range docs {
		for _, b := range docs[i+1:] {
			l.Pair(a.ID, b.ID, corpora.Work(a.ID) != "" && corpora.Work(a.ID) == corpora.Work(b.ID))
		}
	}
	return l, err
}
