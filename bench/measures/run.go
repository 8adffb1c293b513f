// Package measures repeats the comparison of paper 004: which measure finds
// versions of a document and related documents, in how many bytes and with how
// many comparisons. It reads corpora and writes a report.
package measures

import (
	"context"
	"errors"
	"io/fs"
	"math/bits"
	"strconv"
	"strings"

	"github.com/simdb/simdb/bench/lab"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/sketch"
	"github.com/simdb/simdb/text"
)

// rocBits are the distances of the ROC.
var rocBits = []int{0, 1, 2, 3}

// Run compares the measures on the corpora and writes RESULTS.md and CSV files
// to o.Out. It takes some minutes on two cores and 2 GB.
func Run(ctx context.Context, corporaDir string, o lab.Options) error {
	r := lab.NewReport("Paper 004: the comparison of measures")
	r.Printf("All pairs of each collection are compared. \"From score\" is the bound a measure has by default, \"best from\" the one with the highest F on these documents. " +
		"Bytes are those of what is compared: 8 for a shingle, 4 for a chunk, 12 for a word and its count. " +
		"Comparisons are of shingles, chunks, words or fingerprints, without an index; for clusters, of a document with a centre. Times are of this machine, and none for clusters, which are made beforehand.")
	for _, read := range []func() (collection, error){
		func() (collection, error) { return readPaper(corporaDir) },
		func() (collection, error) { return readRoth(corporaDir) },
		func() (collection, error) { return readSPDX(corporaDir) },
		func() (collection, error) { return readLinux(corporaDir, 40) },
	} {
		c, err := read()
		if c.name == "paper" && errors.Is(err, fs.ErrNotExist) {
			r.Printf("## paper\n\nLeft out: %v.", err)
			continue
		}
		if err != nil {
			return err
		}
		o.Progressf("measures: %s, %d documents", c.name, len(c.docs))
		rows, err := comparison(ctx, c)
		if err != nil {
			return err
		}
		r.Printf("## %s\n\n%d documents: %s.", c.name, len(c.docs), c.truth)
		r.Table(c.name, comparisonHead, rows)
		if c.name == "paper" {
			paperFigures(r, c)
		}
	}
	if err := writeROC(ctx, r, corporaDir, o); err != nil {
		return err
	}
	return r.Write(o.Out)
}

// paperFigures sets figures of the paper beside what its documents give here.
func paperFigures(r *lab.Report, c collection) {
	second := c.docs[1].Text
	words := 0
	for p := range text.Paragraphs(second) {
		norm := text.Word.Normalize(nil, second[p.Start:p.End])
		distinct := map[string]bool{}
		for t := range text.Words(norm) {
			distinct[string(norm[t.Start:t.End])] = true
		}
		words += len(distinct)
	}
	r.Printf("Figure 9, bytes of document 2. Versions: %d here, for %d sentences, where the paper prints 12 for 3; words at the paper's 7 bytes for each distinct one of a paragraph: %d, printed 497.",
		4*len(sketch.Chunks(second)), len(sketch.Chunks(second)), 7*words)
	r.Printf("Least differing bits between the sentences of two documents, and the comparisons of the paper's search (all with all would take as many as the product of the sentences):")
	var rows [][]string
	for i := range c.docs {
		for j := i + 1; j < len(c.docs); j++ {
			a, b := sketch.Chunks(c.docs[i].Text), sketch.Chunks(c.docs[j].Text)
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

// writeROC adds how the defaults of versions were found.
func writeROC(ctx context.Context, r *lab.Report, corporaDir string, o lab.Options) error {
	o.Progressf("measures: ROC of versions, reading linuxdoc")
	l, err := readLinuxdoc(corporaDir)
	if err != nil {
		return err
	}
	rule := measure.DefaultVersions()
	var all, chosen [][]string
	for _, b := range rocBits {
		o.Progressf("measures: ROC of versions, %d bits", b)
		rows, err := l.roc(ctx, b)
		if err != nil {
			return err
		}
		all = append(all, rows...)
		for _, row := range rows {
			if fine := b == rule.Bits && row[1] >= "0.76" && row[1] <= "0.90"; fine || row[1][3] == '0' || row[1][3] == '5' {
				chosen = append(chosen, row)
			}
		}
	}
	below, found := l.below(rule)
	r.Printf("## ROC of versions\n\nAll %d documents of linuxdoc. Recall is of the %d changed paths with resemblance ≥ 0.8, precision over all pairs with at least this share of matched chunks. The default is %d bits and a share of %v. "+
		"All points are in roc.csv.", len(l.paths), len(l.changed), rule.Bits, rule.Share)
	r.Table("roc-short", rocHead, chosen)
	r.Data("roc", rocHead, all)
	r.Printf("Resemblance ≥ 0.8 over simdb's words finds %d of the %d (%s); by the definition above none of its pairs is wrong. "+
		"The versions score is below the resemblance for %d of the %d.", found, len(l.changed), four(share(found, len(l.changed))), below, len(l.changed))
	return nil
}
