package measures

// This file sets figures 7, 9, 14 and 16 of paper 004 beside what is measured here.

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb/internal/entity"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// paperFigures sets figures of the paper beside what its documents give here.
func paperFigures(r *report.Report, c collection) {
	paperBytes(r, c.docs[1].Text)
	paperPhrases(r, c)
	r.Printf("Least differing bits between the sentences of two documents, and the comparisons of the paper's search (all with all would take as many as the product of the sentences):")
	var rows [][]string
	for i := range c.docs {
		for j := i + 1; j < len(c.docs); j++ {
			a, b := chunks(c.docs[i].Text), chunks(c.docs[j].Text)
			var least []string
			for _, x := range a {
				n := 32
				for _, y := range b {
					n = min(n, bits.OnesCount32(x^y))
				}
				least = append(least, strconv.Itoa(n))
			}
			_, n := sketch.NearChunks(a, b, measure.DefaultVersions().Bits)
			rows = append(rows, []string{c.docs[i].ID, c.docs[j].ID, strings.Join(least, " "), strconv.Itoa(len(a) * len(b)), strconv.Itoa(n)})
		}
	}
	r.Table("paper-bits", []string{"document", "document", "least bits of each sentence", "all with all", "comparisons"}, rows)
}

// paperBytes is figure 9, of document 2.
func paperBytes(r *report.Report, doc string) {
	words, entities := 0, 0
	for p := range text.Paragraphs(doc) {
		norm := text.Papers.Normalize(nil, doc[p.Start:p.End])
		distinct := map[string]bool{}
		for t := range text.Papers.Words(norm) {
			distinct[string(norm[t.Start:t.End])] = true
		}
		words += len(distinct)
	}
	entities = len(entityVector(doc))
	sentences, paragraphs := len(chunks(doc)), len(entity.Fingerprints(entity.BuiltIn{}, doc, false))
	r.Printf("Figure 9, bytes of document 2: 4 for a sentence or a paragraph; for words, as the paper counts, 7 for each distinct one of a paragraph and 6 for an entity. "+
		"The paper counts a sentence for each paragraph, and makes one hash of all its 8 entities. Here are %d sentences, %d paragraphs that name something, and %d entities.", sentences, paragraphs, entities)
	r.Table("paper-bytes", []string{"to find", "SimHash, printed", "SimHash, here", "word frequency, printed", "word frequency, here"}, [][]string{
		{"versions", "12", strconv.Itoa(4 * sentences), "497", strconv.Itoa(7 * words)},
		{"semantic relations", "4", strconv.Itoa(4 * paragraphs), "48", strconv.Itoa(6 * entities)},
	})
}

// A phrase is a sentence of an example document; both count from 1.
type phrase struct{ doc, sentence int }

// paperPhrases is figures 14 and 16. The phrases of the paper (figures 13 and 15) are pictures
// that its text lacks: what it says of them is true of these.
func paperPhrases(r *report.Report, c collection) {
	var rows [][]string
	for _, f := range []struct {
		figure  string
		of      [3]phrase
		printed [3]string
	}{
		{"14", [3]phrase{{1, 1}, {2, 1}, {3, 1}}, [3]string{"3", "10", "10"}},
		{"16", [3]phrase{{3, 2}, {4, 2}, {5, 1}}, [3]string{"8", "9", "10"}},
	} {
		for i, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			a, b := f.of[pair[0]], f.of[pair[1]]
			s, t := sentenceOf(c, a), sentenceOf(c, b)
			rows = append(rows, []string{
				f.figure, strconv.Itoa(pair[0]+1) + "," + strconv.Itoa(pair[1]+1), a.String(), b.String(), f.printed[i],
				strconv.Itoa(differ(asPrinted(s), asPrinted(t))), strconv.Itoa(differ(text.Papers.Chars(s), text.Papers.Chars(t))),
			})
		}
	}
	r.Printf("Figures 14 and 16, differing bits of three phrases. The phrases are pictures that the text of the paper lacks. These sentences are what it says of them: " +
		"two of versions and one of another document; two of the same score, of 270, in other words, and one of something else. " +
		"The paper keeps capitals, and counts no final stop.")
	r.Table("paper-phrases", []string{"figure", "phrases", "first", "second", "bits, printed", "bits, as the paper reads", "bits, as simdb reads"}, rows)
}

// String names the sentence.
func (p phrase) String() string {
	return "document " + strconv.Itoa(p.doc) + ", sentence " + strconv.Itoa(p.sentence)
}

func sentenceOf(c collection, p phrase) string {
	doc := c.docs[p.doc-1].Text
	n := 0
	for t := range text.Sentences(doc) {
		if n++; n == p.sentence {
			return doc[t.Start:t.End]
		}
	}
	return ""
}

// asPrinted is a sentence as the paper reads it: on one line, with capitals, without the stop.
func asPrinted(s string) []byte {
	return []byte(strings.TrimRight(strings.Join(strings.Fields(s), " "), "."))
}

func differ(a, b []byte) int { return bits.OnesCount32(sketch.Chunk(a) ^ sketch.Chunk(b)) }

// criteria is figure 7: the marks that the paper prints, and what is measured of the same.
// rows are those of the comparison on linuxdoc.
func criteria(r *report.Report, paper collection, rows [][]string) {
	of := map[string][]string{}
	for _, row := range rows {
		of[row[0]] = row
	}
	sentences, clusters, words := of["versions, sentences alone"], of["clusters of entities"], of["words, tf"]
	bestF, bytes, comparisons, times := slices.Index(comparisonHead, "best F"), slices.Index(comparisonHead, "bytes per document"),
		slices.Index(comparisonHead, "comparisons per pair"), slices.Index(comparisonHead, "time per pair")
	row := func(criterion, a, x, b, y, c, z string) []string { return []string{criterion, a, x, b, y, c, z} }
	column := func(criterion, a, b, c string, at int) []string {
		return row(criterion, a, sentences[at], b, clusters[at], c, words[at])
	}
	place := map[string]string{}
	for _, m := range methods(paper.docs) {
		place[m.name] = placeOf(m, 2, 3, len(paper.docs))
	}
	r.Printf("## Figure 7\n\nThe marks of the paper, page 6 of its text, beside what is measured here. Versions: the best F on linuxdoc, by sentences, by clusters of entities, and by words. "+
		"Semantic relations: the place of documents 3 and 4 of the paper among its %d pairs, by entities, clusters and words. The rest is of linuxdoc, as above.", len(paper.docs)*(len(paper.docs)-1)/2)
	r.Table("figure-7", []string{"criterion", "SimHash, printed", "SimHash", "clustering, printed", "clustering", "word frequency, printed", "word frequency"}, [][]string{
		column("versions", "++", "--", "++", bestF),
		row("semantic relations", "+", place["entities"], "+", place["clusters of entities"], "+", place["words, tf"]),
		column("bytes per document", "++", "+", "-", bytes),
		column("comparisons per pair", "+", "++", "+", comparisons),
		column("time per pair", "++", "+", "-", times),
		row("total", "+8", "", "+3", "", "+2", ""),
	})
}

// placeOf is the place of a pair among all by score: 1, and one more for each that scores more.
func placeOf(m method, a, b, docs int) string {
	own, place := m.compare(a, b), 1
	if own.Shared == 0 {
		return "not found"
	}
	for i := range docs {
		for j := i + 1; j < docs; j++ {
			if m.compare(i, j).Compare(own) > 0 {
				place++
			}
		}
	}
	return strconv.Itoa(place)
}
