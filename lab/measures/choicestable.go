package measures

// This file reports what ways to choose rows give.

import (
	"context"
	"strconv"

	"github.com/simdb/simdb/internal/report"
)

// writeChoices adds how well a threshold chooses rows, and how well the best row of
// each document does, for shingles of so many words each; 3 must be among them.
func writeChoices(ctx context.Context, r *report.Report, corporaDir string, allWords []int, o report.Options) error {
	var rows, short [][]string
	var truths []string
	byTriples := map[string]summed{}
	for _, read := range []func(dir string) (askedFor, error){askRoth, askSPDX, askChanged, askHalves} {
		a, err := read(corporaDir)
		if err != nil {
			return err
		}
		o.Progressf("measures: thresholds and best rows of %s", a.name)
		for _, words := range allWords {
			made, err := a.choose(ctx, words)
			if err != nil {
				return err
			}
			for i, c := range made {
				lines, line := a.lines(words, setRules[i], c)
				rows, short = append(rows, lines...), append(short, line)
			}
			if words == 3 {
				byTriples[a.name] = summed{a, made}
			}
		}
		truths = append(truths, a.name+": "+strconv.Itoa(a.having)+" of "+strconv.Itoa(len(a.queries))+" documents searched by have a version, "+a.truth+".")
	}
	r.Printf("## Thresholds, and the best row of each document\n\n" +
		"Documents are searched by, and rows chosen in four ways: all from a threshold on, the best row, the best row if it scores 0.5, and the best row if the searched document is its best in turn. " +
		"A document is served if a right row is chosen for it; the share is of the documents that have a version. All thresholds are in choices.csv, with recall.")
	for _, t := range truths {
		r.Printf("- %s", t)
	}
	writeLessons(r, byTriples)
	r.Table("choices-short", shortHead, short)
	r.Data("choices", choicesHead, rows)
	return nil
}

// summed is what was found in a collection by three words.
type summed struct {
	askedFor
	made []choice
}

// writeLessons says what follows for a user, by three words.
func writeLessons(r *report.Report, by map[string]summed) {
	const resemblance, containment, tversky = 0, 2, 3 // of setRules
	linux, halves, spdx := by["linuxdoc"], by["linuxdoc, halves"], by["spdx"]
	best := func(s summed, rule int) string {
		return strconv.Itoa(s.made[rule].best.right) + " of " + strconv.Itoa(s.having)
	}
	r.Printf("What follows, by three words:")
	half, first := linux.made[resemblance].from[5], linux.made[resemblance].best
	r.Printf("- Ask for the best row where a document has one version among many similar texts. On linuxdoc resemblance from 0.5 has precision %s and serves %s; the best row has %s and serves %s. "+
		"A document without a version has a best row too: a threshold beside it, or that the two are each other's best, leaves some of these out.",
		linux.precision(half), linux.served(half), linux.precision(first), linux.served(first))
	r.Printf("- A best row that is wanted in turn misses versions where a document has several, as in roth: there a threshold serves more.")
	r.Printf("- No threshold suits all texts. In roth 0.1 has precision 0.95, as the other texts are of something else; in linuxdoc, where folders have similar files, it takes 0.7 by resemblance.")
	r.Printf("- tversky(1, ½) finds the right one no more often than resemblance where whole versions are compared: the best row of linuxdoc is right for %s by it, for %s by resemblance, for %s by containment. "+
		"Where the text searched by is a part, it is hardly better, and containment of the query is: right are %s by tversky, %s by resemblance and %s by containment, of halves.",
		best(linux, tversky), best(linux, resemblance), best(linux, containment), best(halves, tversky), best(halves, resemblance), best(halves, containment))
	r.Printf("- In spdx the best row is right for %s by resemblance and for %s by tversky(1, ½). The others tie: licences of the GFDL with equal texts, whose ids the labels hold apart. The precision is low because few licences have a version by these labels, though many are alike.",
		best(spdx, resemblance), best(spdx, tversky))
}

var (
	choicesHead = []string{"collection", "words", "measure", "rows chosen", "rows", "precision", "recall", "documents served"}
	shortHead   = []string{"collection", "words", "measure", "precision 0.95 from", "served", "from 0.50: precision", "served",
		"best of each: precision", "served", "that from 0.50: precision", "served", "each other's best: precision", "served"}
)

// lines returns all choices by one measure, and a line that sums them up.
func (a askedFor) lines(words int, rule setRule, c choice) (all [][]string, short []string) {
	head := []string{a.name, strconv.Itoa(words), rule.name}
	line := func(name string, c chosen) {
		all = append(all, append(head[:3:3], name, strconv.Itoa(c.rows), a.precision(c), three(share(c.right, a.rows)), a.served(c)))
	}
	lowest := []string{"none", ""}
	for t := tenths; t >= 1; t-- {
		if c := c.from[t]; c.rows > 0 && 100*c.right >= 95*c.rows {
			lowest = []string{decimal(10 * t), a.served(c)}
		} else if c.rows > 0 {
			break
		}
	}
	for t := 1; t <= tenths; t++ {
		line("from "+decimal(10*t), c.from[t])
	}
	line("best of each", c.best)
	line("best of each, from 0.50", c.likelyBest)
	line("each other's best", c.mutual)
	short = append(head[:3:3], lowest...)
	for _, c := range []chosen{c.from[5], c.best, c.likelyBest, c.mutual} {
		short = append(short, a.precision(c), a.served(c))
	}
	return all, short
}

func (a askedFor) precision(c chosen) string {
	if c.rows == 0 {
		return ""
	}
	return three(share(c.right, c.rows))
}

func (a askedFor) served(c chosen) string { return three(share(c.served, a.having)) }
