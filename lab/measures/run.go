// Package measures repeats the comparison of paper 004: which measure finds
// versions of a document and related documents, in how many bytes and with how
// many comparisons. It reads corpora and writes a report.
package measures

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/lab/corpora"
)

// rocBits are the distances of the ROC.
var rocBits = []int{0, 1, 2, 3, 4}

// Run compares the measures on the corpora. It takes some minutes on two cores and 2 GB.
func Run(ctx context.Context, corporaDir string, o report.Options) (*report.Report, error) {
	r, err := writeComparisons(ctx, corporaDir, collections, o)
	if err == nil {
		err = writeChoices(ctx, r, corporaDir, []int{1, 2, 3}, o)
	}
	if err == nil {
		err = writeROC(ctx, r, corporaDir, rocBits, o)
	}
	if err == nil {
		err = writeDamage(ctx, r, corporaDir, o)
	}
	if err == nil {
		err = writeRelated(r, corporaDir, o)
	}
	return r, err
}

// collections read what the measures are compared on.
var collections = []func(dir string) (collection, error){readPaper, readRoth, readSPDX, readLinux}

// writeComparisons begins the report: all measures on each collection.
func writeComparisons(ctx context.Context, corporaDir string, collections []func(dir string) (collection, error), o report.Options) (*report.Report, error) {
	r := report.NewReport("Paper 004: the comparison of measures")
	r.Printf("All pairs of each collection are compared. \"From score\" is the bound a measure has by default, \"best from\" the one with the highest F on these documents. " +
		"Bytes are those of what is compared: 8 for a shingle, 4 for a chunk, 12 for a word and its count. " +
		"Comparisons are of shingles, chunks, words or fingerprints, without an index; for clusters, of a document with a centre. Times are of one run on a machine of two cores that others used too; clusters are made beforehand, which no time here counts.")
	measured := map[string][][]string{} // rows of the comparison, by collection
	var paper *collection
	var clusters [][]string
	for _, read := range collections {
		c, err := read(corporaDir)
		if c.name == "paper" && errors.Is(err, fs.ErrNotExist) {
			r.Printf("## paper\n\nLeft out: %v.", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		o.Progressf("measures: %s, %d documents", c.name, len(c.docs))
		rows, err := comparison(ctx, c)
		if err != nil {
			return nil, err
		}
		r.Printf("## %s\n\n%d documents: %s.", c.name, len(c.docs), c.truth)
		r.Table(c.name, comparisonHead, rows)
		if c.name == "paper" {
			paperFigures(r, c)
			paper = &c
		}
		measured[c.name] = rows
		more, err := groupings(ctx, c)
		if err != nil {
			return nil, err
		}
		clusters = append(clusters, more...)
	}
	if paper != nil {
		criteria(r, *paper, measured["linuxdoc"])
	}
	writeGroupings(r, clusters)
	return r, nil
}

// writeROC adds how the defaults of versions were found, with a curve for each
// distance in allBits.
func writeROC(ctx context.Context, r *report.Report, corporaDir string, allBits []int, o report.Options) error {
	o.Progressf("measures: ROC of versions, reading linuxdoc")
	l, err := readLinuxdoc(corporaDir)
	if err != nil {
		return err
	}
	rule := measure.DefaultVersions()
	var all, short, heldOut [][]string
	leftOut := 0
	for _, b := range allBits {
		o.Progressf("measures: ROC of versions, %d bits", b)
		s, err := l.sweep(ctx, b)
		if err != nil {
			return err
		}
		rows := s.rows(b, rule)
		all = append(all, rows...)
		for _, row := range rows {
			if row[1][3] == '0' || row[1][3] == '5' || b == rule.Bits && row[1] > "0.90" {
				short = append(short, row)
			}
		}
		heldOut = append(heldOut, s.heldOut(b)...)
		if b == rule.Bits {
			leftOut = s.leftOut
		}
	}
	known := l.count(func(p samePath) bool { return p.known })
	found := l.count(func(p samePath) bool { return p.known && p.alike })
	changed := l.count(func(p samePath) bool { return p.changed })
	below, alone := l.below(rule)
	r.Printf("## ROC of versions\n\nAll %d documents of linuxdoc. A pair is reported if its share of matched sentences is at least that of the row, or its resemblance at least 0.8. "+
		"Recall is of the %d changed paths with resemblance ≥ 0.8. Precision is over all pairs reported: those of one path are right, those of different paths wrong; of these the ones with resemblance ≥ 0.8 are left out (%d with a share of 0.60 or more at %d bits). "+
		"The second precision has only the %d changed paths on the right side. All points are in roc.csv.", len(l.paths), known, leftOut, rule.Bits, changed)
	r.Table("roc-short", rocHead, short)
	r.Data("roc", rocHead, all)
	r.Figure("roc", "Precision by recall, a curve for each number of bits")
	r.Printf("Resemblance ≥ 0.8 alone, over simdb's words, finds %d of the %d (%s); by the definition above none of its pairs is wrong. "+
		"Of the %d changed pairs, %d have a versions score below their resemblance; by sentences alone %d.", found, known, four(share(found, known)), changed, below, alone)
	r.Printf("## Held out\n\nThe paths are divided in halves by a hash. On one half the share is chosen: the smallest, in steps of 0.05, that has precision ≥ 0.97 among changed pairs, or 0.95 if none has. The other half judges it. " +
		"Pairs of different paths count if both are in the half; twice where paths are divided, as half the texts have a quarter of the pairs.")
	r.Table("held-out", heldOutHead, heldOut)
	return nil
}

// writeDamage adds what the distance of sentences is good for.
func writeDamage(ctx context.Context, r *report.Report, corporaDir string, o report.Options) error {
	o.Progressf("measures: damaged texts")
	docs, err := corpora.ReadJSONL(filepath.Join(corporaDir, "nsf.jsonl.gz"), 0)
	if errors.Is(err, fs.ErrNotExist) {
		r.Printf("## Damaged texts\n\nLeft out: %v.", err)
		return nil
	}
	if err != nil {
		return err
	}
	tried, rows, err := damage(ctx, docs)
	if err != nil {
		return err
	}
	r.Printf("## Damaged texts\n\nOne letter is changed in each sentence of %d abstracts of nsf, every tenth that has five sentences or more. How many are still found, and how many pairs of all %d abstracts are reported by their sentences only:", tried, len(docs))
	r.Table("damaged", damageHead, rows)
	return nil
}

// writeRelated adds how many documents entities relate.
func writeRelated(r *report.Report, corporaDir string, o report.Options) error {
	o.Progressf("measures: related documents")
	docs, err := corpora.ReadJSONL(filepath.Join(corporaDir, "linuxdoc.jsonl.gz"), 0)
	if err != nil {
		return err
	}
	r.Printf("## Related by entities\n\nOf all %d documents of linuxdoc, how many are related to every 64th:", len(docs))
	r.Table("related", relatedHead, related(docs, 64))
	return nil
}
