package main

// This file has the targets of what is asked about sets. The measurement sets makes their
// figures.

import "fmt"

// setFigure names a figure of the measurement sets: of a corpus, "" for the one that is
// generated.
func setFigure(corpus, question, what string) string {
	if corpus != "" {
		corpus += ", "
	}
	return "sets, " + corpus + question + ", " + what
}

const (
	middle     = "median"
	ninetyNine = "99 of 100"
)

// setTargets are those of searches and joins by any measure of sets.
func setTargets() (all []target) {
	for _, q := range setSearches {
		median, most := 0.5, 5.0 // ms
		switch q.name {
		case tenNearest:
			median, most = 3, 20
		case tenNearest + " of 0.1":
			median, most = 1, 20
		}
		all = append(all,
			target{work: q.name + ", 1,000,000, " + middle, figure: setFigure("", q.name, middle), documents: million, aim: fmt.Sprintf("≤ %g ms", median), most: median},
			target{work: q.name + ", 1,000,000, " + ninetyNine, figure: setFigure("", q.name, ninetyNine), documents: million, aim: fmt.Sprintf("≤ %g ms", most), most: most},
			target{work: "linuxdoc, " + q.name + ", " + middle, figure: setFigure("linuxdoc", q.name, middle), aim: "≤ 1 ms", most: 1})
	}
	for _, q := range setJoins[1:] {
		all = append(all, target{work: "SIMILAR PAIRS by " + q + ", 1,000,000, compared with that by resemblance", figure: setFigure("", q, "pairs"+ofCores), documents: million, aim: "≤ 3 ×", most: 3,
			over: setFigure("", setJoins[0], "pairs"+ofCores)})
	}
	return append(all, target{work: "SIMILAR PAIRS a AGAINST b, 500,000 each, compared with that of the union", figure: setFigure("", setJoins[0], "pairs against the other half"+ofCores), documents: million, aim: "≤ 1.3 ×", most: 1.3,
		over: setFigure("", setJoins[0], "pairs of both halves"+ofCores)})
}
