package api

// The table of measures. The formulas are in internal/measure, candidate generation in
// engine/internal/search.

// The measures. Q is the query and D the document, as sets of shingles unless noted.
const (
	Jaccard            Measure = iota // |Q∩D| / |Q∪D| over sets: resemblance
	ContainmentOfQuery                // |Q∩D| / |Q|
	ContainmentOfDoc                  // |Q∩D| / |D|
	Multiset                          // Σmin / Σmax of repetitions
	Dice                              // 2·|Q∩D| / (|Q| + |D|) over sets
	Overlap                           // |Q∩D| / min(|Q|, |D|) over sets: the Szymkiewicz–Simpson coefficient
	Repetition                        // Σ over common (rQ+rD) / Σ over all (rQ+rD): paper 003, eq. 3
	SimHash                           // (64 − Hamming distance) / 64
	Patricia                          // characters of D in long matches with Q / characters of Q: paper 001
	Coverage                          // characters of Q in long matches with D / characters of Q
	Versions                          // share of the sentences of both texts that have a near sentence in the other text: paper 004
	Entities                          // the same for paragraphs, compared by the entities that they name: paper 004
	Words                             // cosine of the word frequencies: paper 004
	SI                                // 1 − |SI of Q − SI of D| / |SI of Q|: paper 000
	Tversky                           // |Q∩D| / (|Q∩D| + α·|Q∖D| + β·|D∖Q|) over sets
	Weighted                          // Σ weights of Q∩D / Σ weights of Q∪D, or of one side; a shingle weighs 1/(number of its documents)
	Quotes                            // words of Q in runs of words that D contains / words of Q
)

// table has one row per measure, in the order of the constants.
var table = [...]measure{
	Jaccard: {method: "jaccard", about: "shared shingles as a share of all shingles of the two texts", params: []Param{ofK}, access: setAccess},
	ContainmentOfQuery: {
		method: "containment", chosen: "query", about: "how much of the query is in the document", params: []Param{ofSide, ofK}, access: sizeAccess,
		oneSided: always, swapped: func(*Args) Measure { return ContainmentOfDoc },
	},
	ContainmentOfDoc: {
		method: "containment", chosen: "doc", about: "how much of the document is in the query", params: []Param{ofSide, ofK}, access: sizeAccess,
		oneSided: always, swapped: func(*Args) Measure { return ContainmentOfQuery },
	},
	Dice:       {method: "dice", about: "twice the shared shingles, divided by the sum of the shingle counts of both texts", params: []Param{ofK}, access: setAccess, alone: true},
	Overlap:    {method: "overlap", about: "how much of the smaller text is in the other", params: []Param{ofK}, access: sizeAccess, alone: true},
	Multiset:   {method: "multiset", about: "shared shingles, with repetitions counted", params: []Param{ofK}, unit: "repetitions", access: setAccess},
	Repetition: {method: "repetition", about: "repetitions of shared shingles as a share of all repetitions", params: []Param{ofK}, unit: "repetitions", access: setAccess},
	Tversky: {
		method: "tversky", about: "shared shingles, with weights for the shingles of only one text", params: []Param{ofAlpha, ofBeta, ofK}, access: setAccess, alone: true,
		oneSided: func(a Args) bool {
			alpha, beta, _ := a.CommonWeights()
			return alpha != beta
		},
		swapped: func(a *Args) Measure { a.Alpha, a.Beta = a.Beta, a.Alpha; return Tversky },
		check:   Args.checkWeights,
	},
	Weighted: {
		method: "weighted", of: weights, about: "shared shingles, where rare shingles weigh more", params: []Param{by, weightedOf}, alone: true,
		columns: []string{"weight", "whole"}, access: []Access{AccessAuto, AccessPostings, AccessScan},
		oneSided: func(a Args) bool { return a.Of != BothSides },
		swapped:  func(a *Args) Measure { a.Of = a.Of.swapped(); return Weighted },
	},
	SimHash: {
		method: "simhash", of: fingerprints, about: "equal bits of two 64-bit fingerprints", columns: []string{"dist"},
		access: []Access{AccessAuto, AccessRotated, AccessScan},
	},
	Patricia: {
		method: "patricia", of: letters, about: "passages of the query that the document contains, counted in the document", params: []Param{ofMin}, unit: "characters",
		oneSided: always, kept: func(s Settings) bool { return s.Patricia }, setting: "patricia = on", access: termAccess,
	},
	Coverage: {
		method: "coverage", of: letters, about: "how much of the query is in passages of the document", params: []Param{ofMin}, unit: "characters",
		oneSided: always, kept: func(s Settings) bool { return s.Patricia }, setting: "patricia = on", access: termAccess,
	},
	Versions: {
		method: "versions", of: texts, about: "shared sentences, or resemblance", params: ofVersions, columns: []string{}, unit: "sentences",
		oneSided: func(a Args) bool { return a.Versions.Of != BothSides },
		swapped:  func(a *Args) Measure { a.Versions.Of = a.Versions.Of.swapped(); return Versions },
		check: func(a Args) error {
			num, den := a.Versions.Share.Fraction() // 1 if not given, which is valid
			return CheckVersions(max(a.Bits, 0), a.Versions.Of, Threshold{num, den})
		},
		kept: func(s Settings) bool { return s.Versions }, setting: "versions = on", access: chunkAccess,
	},
	Entities: {
		method: "entities", of: texts, about: "paragraphs that name the same entities", params: []Param{ofBits, ofTF}, columns: []string{}, unit: "paragraphs",
		least: Ratio(1, 2), kept: func(s Settings) bool { return s.Entities }, setting: "entities = on", access: chunkAccess,
	},
	Words: {
		method: "words", of: texts, about: "similarity of the word frequencies", params: []Param{ofIDF}, columns: []string{}, unit: "words", nameBound: true,
		kept: func(s Settings) bool { return s.Words }, setting: "words = on", access: termAccess,
	},
	SI: {
		method: "si", of: texts, about: "closeness of two numbers, one computed from each text", params: ofIndex, columns: []string{"si"}, oneSided: always,
		least: Ratio(7, 10), kept: func(s Settings) bool { return s.SI != "" }, setting: "si = 'm43b k40'", access: []Access{AccessAuto, AccessRange, AccessScan},
	},
	Quotes: {
		method: "quotes", of: texts, about: "how much of the query consists of runs of words from the document", params: []Param{ofMin}, unit: "words",
		oneSided: always, nameBound: true, alone: true, kept: func(s Settings) bool { return s.Unit == "" || s.Unit == "word" }, setting: "unit = 'word'", access: termAccess,
	},
}

// always is oneSided for measures that are never symmetric.
func always(Args) bool { return true }
