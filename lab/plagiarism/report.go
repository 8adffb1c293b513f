package plagiarism

// This file writes the report. It judges the paper's claims by the figures,
// whichever way they go.

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simdb/simdb/internal/report"
)

// reportOf judges what the paper claims: shingles beat Patricia, and one k from 2
// to 10 is best.
func reportOf(about composed, methods []method, totals []total) *report.Report {
	r := report.NewReport("Patricia against shingles")
	r.Printf(`Written by the experiment of paper 001; do not edit. Of %d abstracts of NSF awards, %d have %d paragraphs or more, as blank
lines separate them, the title being the first; %d of these share no paragraph of ten terms or more with one before. A query is a
word that 10 to 500 of their titles have; there are %d. Its sources are ten of these texts. Seed %d.`,
		about.read, about.long, leastParagraphs, about.eligible, about.themes, seed)
	r.Printf(`From the sources of each of %d queries one text is composed. It is asked to be as long as they are on average, which is %d
terms; as each gives whole paragraphs until it has given a tenth of that, it gets %d, in %d paragraphs. The expected similarity to
a source is the share of the terms that came from it, %.3f to %.3f. The text is then compared with each source, which makes %d
differences between measured and expected similarity for every method.`,
		about.texts, about.asked/about.texts, about.terms/about.texts, about.paragraphs/about.texts, about.least, about.most, totals[0].n)

	c, e, p := best(methods, totals, containment), best(methods, totals, resemblance), best(methods, totals, patricia)
	paper := find(methods, patricia, 15)
	r.Printf("## What the paper claims")
	r.Printf(`- Shingles beat Patricia. %s for the containment of equation 2, |S(P)∩S(C)| / |S(P)|: %.4f with k = %d. Patricia has %.4f with the
  paper's 15 characters, and %.4f with %d, its best here. %s for the resemblance of equation 1: %.4f with k = %d, but nearer
  than Patricia with 15 characters only for k = %s.
- One k from 2 to 10 is best. %s for containment: k = %d%s. %s for resemblance: k = %d%s.
- 15 characters are best for Patricia. %s: of those tried, %d are.`,
		holds(totals[c].meanAbs() < totals[paper].meanAbs()), totals[c].meanAbs(), methods[c].k, totals[paper].meanAbs(),
		totals[p].meanAbs(), methods[p].min,
		holds(totals[e].meanAbs() < totals[paper].meanAbs()), totals[e].meanAbs(), methods[e].k, better(methods, totals, resemblance, totals[paper].meanAbs()),
		inside(methods[c].k), methods[c].k, neighbours(methods, totals, c),
		inside(methods[e].k), methods[e].k, neighbours(methods, totals, e),
		holds(p == paper), methods[p].min)
	r.Printf(`A k too small finds phrases that anyone writes; with a greater one, more shingles lie across the seams between paragraphs and
are lost. Patricia finds the phrases too, in each candidate as often as they stand there. Resemblance divides by the shingles of
both texts, so it lies below the share taken, the further the longer the candidate; at k = 2 the phrases make up for that.`)

	r.Printf("## Mean absolute difference to the expected similarity")
	var wide [][]string
	for k := 2; k <= 10; k++ {
		wide = append(wide, []string{fmt.Sprint(k),
			number(totals[find(methods, containment, k)].meanAbs()),
			number(totals[find(methods, resemblance, k)].meanAbs()),
			number(totals[paper].meanAbs())})
	}
	r.Table("by_k", []string{"k", "containment", "resemblance", "patricia_15"}, wide)
	r.Figure("by_k", "Mean absolute difference by k, for containment, resemblance and Patricia")
	r.Printf("The same for all methods, with the mean of the signed differences: above 0, a method finds too much.")
	var long [][]string
	for i, m := range methods {
		t := totals[i]
		long = append(long, []string{m.name, label(m.k), label(m.min), number(t.meanAbs()), number(t.deviation()), number(t.mean()), number(t.largest)})
	}
	r.Table("differences", []string{"method", "k", "min", "mean_abs_diff", "standard_deviation", "mean_diff", "max_abs_diff"}, long)
	return r
}

func number(x float64) string { return fmt.Sprintf("%.4f", x) }

func holds(yes bool) string {
	if yes {
		return "True"
	}
	return "Not true"
}

// inside judges a best k: one at the end of the range may have a better one
// beyond it.
func inside(k int) string {
	if k > 2 && k < 10 {
		return "True"
	}
	return "True as far as the range goes, at the end of it,"
}

// better lists the k with which a method is nearer than limit.
func better(methods []method, totals []total, name string, limit float64) string {
	var ks []string
	for i, m := range methods {
		if m.name == name && totals[i].meanAbs() < limit {
			ks = append(ks, fmt.Sprint(m.k))
		}
	}
	if ks == nil {
		return "none"
	}
	return strings.Join(ks, ", ")
}

// label writes the k or min of a method, nothing for 0.
func label(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// neighbours says what one k less and one k more give than the best.
func neighbours(methods []method, totals []total, best int) string {
	var near []string
	for _, k := range []int{methods[best].k - 1, methods[best].k + 1} {
		if k >= 2 && k <= 10 {
			near = append(near, fmt.Sprintf("k = %d: %s", k, number(totals[find(methods, methods[best].name, k)].meanAbs())))
		}
	}
	return fmt.Sprintf(" with %s (%s)", number(totals[best].meanAbs()), strings.Join(near, ", "))
}

// find returns the number of the method with this name and k or min.
func find(methods []method, name string, kOrMin int) int {
	for i, m := range methods {
		if m.name == name && max(m.k, m.min) == kOrMin {
			return i
		}
	}
	panic(fmt.Sprintf("plagiarism: no method %s %d", name, kOrMin))
}

// best returns the number of the method of this name with the least mean
// absolute difference.
func best(methods []method, totals []total, name string) int {
	found := -1
	for i, m := range methods {
		if m.name == name && (found < 0 || totals[i].meanAbs() < totals[found].meanAbs()) {
			found = i
		}
	}
	return found
}
