package main

// This file has the targets of what is asked about sets. The measurement sets makes
// their figures; while there is none they are not measured.

import "slices"

// setQuestions are what is asked, as the names of figures have it.
var setQuestions = []string{
	"jaccard 0.8", "containment(of='query') 0.8", "containment(of='query') 0.5", "containment(of='doc') 0.8",
	"multiset 0.8", "repetition 0.8", "jaccard 0.3",
}

const tenNearest = "ten nearest"

// setFigure names a figure of the measurement sets: of searches in the corpus that
// is generated, or in linuxdoc, with these settings; "" are the default ones.
func setFigure(corpus, with, question, what string) string {
	name := "sets, "
	if corpus != "" {
		name += corpus + ", "
	}
	if with != "" {
		name += "WITH (" + with + "), "
	}
	return name + question + ", " + what
}

const (
	allPostings = "postings = 'all'"
	middle      = "median"
	ninetyNine  = "99 of 100"
)

// setTargets are those of searches, joins and imports by any measure of sets.
func setTargets() (all []target) {
	for _, at := range []struct {
		documents     int
		median, most  float64
		aim, aimOfAll string
	}{
		{100_000, 0.15, 1, "≤ 0.15 ms", "≤ 1 ms"},
		{million, 0.5, 3, "≤ 0.5 ms", "≤ 3 ms"},
	} {
		for _, q := range setQuestions {
			work := q + ", " + thousands(at.documents) + ", " + allPostings + ", "
			all = append(all,
				target{work: work + middle, figure: setFigure("", allPostings, q, middle), documents: at.documents, aim: at.aim, most: at.median},
				target{work: work + ninetyNine, figure: setFigure("", allPostings, q, ninetyNine), documents: at.documents, aim: at.aimOfAll, most: at.most})
		}
	}
	for _, q := range []string{"containment(of='doc') 0.8", "multiset 0.8", "repetition 0.8"} {
		all = append(all, target{work: q + ", 1,000,000, default settings, median", figure: setFigure("", "", q, middle), documents: million, aim: "≤ 1 ms", most: 1})
	}
	all = append(all,
		target{work: "ten nearest, 1,000,000, median", figure: setFigure("", allPostings, tenNearest, middle), documents: million, aim: "≤ 1 ms", most: 1},
		target{work: "ten nearest, 1,000,000, 99 of 100", figure: setFigure("", allPostings, tenNearest, ninetyNine), documents: million, aim: "≤ 5 ms", most: 5})
	for _, q := range []string{"containment(of='query') 0.8", "multiset 0.8", "repetition 0.8"} {
		all = append(all, target{work: "SIMILAR PAIRS by " + q + ", 1,000,000, to that by resemblance", figure: setFigure("", allPostings, q, "pairs"), documents: million, aim: "≤ 3 ×", most: 3,
			over: setFigure("", allPostings, "jaccard 0.8", "pairs")})
	}
	all = append(all,
		target{work: "SIMILAR PAIRS a AGAINST b, 500,000 each, to that of the union", figure: setFigure("", "", "jaccard 0.8", "pairs against the other half"), documents: million, aim: "≤ 1.2 ×", most: 1.2,
			over: setFigure("", "", "jaccard 0.8", "pairs of both halves")},
		target{work: "import WITH (postings = 'all'), 100,000, to the default", figure: setFigure("", allPostings, "import", "docs/s"), documents: 100_000, aim: "≥ 0.8 ×", least: 0.8,
			over: setFigure("", "", "import", "docs/s")},
		target{work: "disk WITH (postings = 'all'), 100,000, to the default", figure: setFigure("", allPostings, "import", "disk"), documents: 100_000, aim: "≤ 1.3 ×", most: 1.3,
			over: setFigure("", "", "import", "disk")})
	for _, q := range slices.Concat(setQuestions, []string{tenNearest}) {
		all = append(all, target{work: "linuxdoc, " + q + ", median", figure: setFigure("linuxdoc", allPostings, q, middle), aim: "≤ 1 ms", most: 1})
	}
	return all
}
