package main

// This file has the targets: what simdb's figures should be. RESULTS.md sets the
// measured ones beside them.

import "slices"

// A target is what a figure should be, at most or at least.
type target struct {
	work      string // what is measured, as the report calls it
	figure    string
	documents int // 0 means whatever the figure was measured on
	cores     int // 0 means 2
	aim       string
	most      float64 // one of the two is not 0
	least     float64
	over      string // the figure is divided by this one of the same cores; "" by none
	overOf    int    // the documents of that one; 0 means the same
	overPeer  string // whose figure that is, if not simdb's
}

const (
	oneCore = 1
	million = 1_000_000
)

// targets are what simdb aims at. Texts have 2 kB, shingles are three words and
// the threshold is 0.8 unless said.
var targets = slices.Concat([]target{
	{work: "analysis of nsf by words, one core", figure: "analysis, nsf, word 3, SimHash", cores: oneCore, aim: "≥ 150 MB/s", least: 150},
	{work: "analysis of linuxdoc by words, one core", figure: "analysis, linuxdoc, word 3, SimHash", cores: oneCore, aim: "≥ 150 MB/s", least: 150},
	{work: "analysis of nsf by characters, one core", figure: "analysis, nsf, char 5, SimHash", cores: oneCore, aim: "≥ 120 MB/s", least: 120},
	{work: "analysis of linuxdoc by characters, one core", figure: "analysis, linuxdoc, char 5, SimHash", cores: oneCore, aim: "≥ 120 MB/s", least: 120},

	{work: "import of 100,000 from memory, durable and indexed", figure: "import, from memory", documents: 100_000, aim: "≥ 25,000 docs/s", least: 25_000},
	{work: "import of 100,000 from memory, durable and indexed, stretch goal", figure: "import, from memory", documents: 100_000, aim: "≥ 40,000 docs/s", least: 40_000},
	{work: "import of 1,000,000 from memory", figure: "import, from memory", documents: million, aim: "≥ 25,000 docs/s", least: 25_000},
	{work: "import of 1,000,000 from memory, CPU time", figure: "import, plain, time of cores", documents: million, aim: "≤ 119 µs/doc", most: 119},
	{work: "import of 1,000,000 unless similar, compared with a plain one", figure: "import, unless similar, to a plain one in turn", documents: million, aim: "≥ 0.6 ×", least: 0.6},
	{work: "import of 1,000,000 as JSONL, whole process", figure: "import, JSONL, whole process", documents: million, aim: "≥ 25,000 docs/s", least: 25_000},
	{work: "import of 10,000 from memory, compared with the sketching of datasketch, one core", figure: "load and index", documents: 10_000, cores: oneCore, aim: "≥ 15 ×", least: 15, over: "sketching", overPeer: "datasketch"},

	{work: "one durable Put beyond a write and sync of its text", figure: "Put beyond the write and sync", aim: "≤ 60 µs", most: 60},
	{work: "32 writers, compared with one", figure: "Put, 32 writers to one", aim: "≥ 6 ×", least: 6},

	{work: "SIMILAR TO, 100,000, up to 2 rows, median", figure: "SIMILAR TO an id, up to 2 rows, median", documents: 100_000, aim: "≤ 50 µs", most: 50},
	{work: "SIMILAR TO, 100,000, up to 2 rows, median, stretch goal", figure: "SIMILAR TO an id, up to 2 rows, median", documents: 100_000, aim: "≤ 18 µs", most: 18},
	{work: "SIMILAR TO, 100,000, 99 of 100", figure: "SIMILAR TO an id, up to 2 rows, 99 of 100", documents: 100_000, aim: "≤ 200 µs", most: 200},
	{work: "SIMILAR TO, 100,000, each further row", figure: "SIMILAR TO an id, each further row", documents: 100_000, aim: "≤ 20 µs", most: 20},
	{work: "SIMILAR TO, 1,000,000, up to 2 rows, median", figure: "SIMILAR TO an id, up to 2 rows, median", documents: million, aim: "≤ 200 µs", most: 200},
	{work: "SIMILAR TO, 1,000,000, 99 of 100, compared with the median", figure: "SIMILAR TO an id, up to 2 rows, 99 of 100", documents: million, aim: "≤ 4 ×", most: 4, over: "SIMILAR TO an id, up to 2 rows, median"},
	{work: "SIMILAR TO, 1,000,000, each further row", figure: "SIMILAR TO an id, each further row", documents: million, aim: "≤ 20 µs", most: 20},
	{work: "SIMILAR TO, 100,000, cold, 99 of 100", figure: "SIMILAR TO an id, cold, 99 of 100", documents: 100_000, aim: "≤ 5 ms", most: 5},
	{work: "SIMILAR TO, 10,000,000, 99 of 100", figure: "SIMILAR TO an id, up to 2 rows, 99 of 100", documents: 10 * million, aim: "≤ 5000 µs", most: 5000},
	{work: "10,000,000 opened and searched, memory without mapped files", figure: "opened and searched, memory", documents: 10 * million, aim: "≤ 600 MB", most: 600},
	{work: "10,000,000 opened, to the first answer", figure: "open to the first answer", documents: 10 * million, aim: "≤ 0.5 s", most: 0.5},
	{work: "import of 10,000,000, compared with that of 100,000, both from a pipe", figure: pipedFigure, documents: 10 * million, aim: "≥ 0.7 ×", least: 0.7, over: pipedFigure, overOf: 100_000},
	{work: "import of 10,000,000, written per byte of the store", figure: "import, written per byte of the store", documents: 10 * million, aim: "≤ 3", most: 3},
	{work: "import of 10,000,000, peak memory with mapped files", figure: "import, peak memory", documents: 10 * million, aim: "≤ 512 MB", most: 512},
	{work: "SIMILAR PAIRS, CPU of a document, 10,000,000 to 1,000,000", figure: "SIMILAR PAIRS, word 3, 0.8, CPU of a document", documents: 10 * million, aim: "≤ 1.5 ×", most: 1.5, over: "SIMILAR PAIRS, word 3, 0.8, CPU of a document", overOf: million},

	{work: "SIMILAR PAIRS, 100,000", figure: "SIMILAR PAIRS, word 3, 0.8", documents: 100_000, aim: "≤ 1 s", most: 1},
	{work: "SIMILAR PAIRS, 100,000, stretch goal", figure: "SIMILAR PAIRS, word 3, 0.8", documents: 100_000, aim: "≤ 0.6 s", most: 0.6},
	{work: "SIMILAR PAIRS, 1,000,000", figure: "SIMILAR PAIRS, word 3, 0.8", documents: million, aim: "≤ 12 s", most: 12},
	{work: "SIMILAR PAIRS, 1,000,000, stretch goal", figure: "SIMILAR PAIRS, word 3, 0.8", documents: million, aim: "≤ 8 s", most: 8},
	{work: "SIMILAR PAIRS, 1,000,000, CPU of a document", figure: "SIMILAR PAIRS, word 3, 0.8, CPU of a document", documents: million, aim: "≤ 17 µs", most: 17},
	{work: "SIMILAR PAIRS, 1,000,000, peak memory", figure: "SIMILAR PAIRS, word 3, 0.8, peak memory", documents: million, aim: "≤ 512 MB", most: 512},
	{work: "SIMILAR PAIRS, 100,000, characters, 0.8", figure: "SIMILAR PAIRS, char 5, 0.8", documents: 100_000, aim: "≤ 6 s", most: 6},
	{work: "SIMILAR PAIRS, 100,000, characters, 0.8, stretch goal", figure: "SIMILAR PAIRS, char 5, 0.8", documents: 100_000, aim: "≤ 4 s", most: 4},
	{work: "SIMILAR PAIRS, 100,000, characters, 0.5", figure: "SIMILAR PAIRS, char 5, 0.5", documents: 100_000, aim: "≤ 20 s", most: 20},
	{work: "SIMILAR PAIRS, 100,000, characters, 0.5, peak memory", figure: "SIMILAR PAIRS, char 5, 0.5, peak memory", documents: 100_000, aim: "≤ 512 MB", most: 512},
	{work: "SIMILAR PAIRS, 100,000 and 5,000 equal ones, each row after the first", figure: "SIMILAR PAIRS, word 3, 0.8, 5,000 equal documents, each row after the first", documents: 100_000, aim: "≤ 1 µs", most: 1},
	{work: "the first row of these, compared with that without equal documents", figure: "SIMILAR PAIRS, word 3, 0.8, 5,000 equal documents, first row", documents: 100_000, aim: "≤ 1.1 ×", most: 1.1, over: "SIMILAR PAIRS, word 3, 0.8, first row"},

	{work: "SIMILAR TO by containment, 1,000,000, WHERE keeps 1 of 1,000: without index, compared with index", figure: "SIMILAR TO by containment, 0.1, WHERE keeps 1 of 1,000, no index", documents: million, aim: "≥ 20 ×", least: 20, over: "SIMILAR TO by containment, 0.1, WHERE keeps 1 of 1,000, index"},
	{work: "SIMILAR TO at 0.05, 1,000,000, the same", figure: "SIMILAR TO, 0.05, WHERE keeps 1 of 1,000, no index", documents: million, aim: "≥ 20 ×", least: 20, over: "SIMILAR TO, 0.05, WHERE keeps 1 of 1,000, index"},
	{work: "SIMILAR PAIRS, 1,000,000, the same", figure: "SIMILAR PAIRS, 0.8, of a, WHERE keeps 1 of 1,000, no index", documents: million, aim: "≥ 20 ×", least: 20, over: "SIMILAR PAIRS, 0.8, of a, WHERE keeps 1 of 1,000, index"},

	{work: "SimHash, 1,000,000, any distance, one core", figure: "SimHash, any distance", documents: million, cores: oneCore, aim: "≤ 0.3 ms", most: 0.3},
	{work: "SimHash, 10,000,000, any distance, one core", figure: "SimHash, any distance", documents: 10 * million, cores: oneCore, aim: "≤ 6 ms", most: 6},
	{work: "SimHash, 1,000,000, any distance, each of 8, one core", figure: "SimHash, any distance, each of 8", documents: million, cores: oneCore, aim: "≤ 0.15 ms", most: 0.15},
	{work: "SimHash, 10,000,000, any distance, each of 8, one core", figure: "SimHash, any distance, each of 8", documents: 10 * million, cores: oneCore, aim: "≤ 2 ms", most: 2},
	{work: "SimHash, 10,000,000, up to 3 bits, one core", figure: "SimHash, up to 3 bits", documents: 10 * million, cores: oneCore, aim: "≤ 5 µs", most: 5},
	{work: "SimHash, 1,000,000, all pairs up to 3 bits", figure: "SimHash, pairs up to 3 bits", documents: million, aim: "≤ 120 ms", most: 120},

	{work: "disk, 100,000", figure: "disk", documents: 100_000, aim: "≤ 2.15 kB/doc", most: 2.15},
	{work: "disk, 1,000,000", figure: "disk", documents: million, aim: "≤ 2.15 kB/doc", most: 2.15},
	{work: "log", figure: "log per document", aim: "≤ 1 kB", most: 1},
	{work: "import of 1,000,000, peak memory", figure: "import, peak memory", documents: million, aim: "≤ 512 MB", most: 512},
	{work: "1,000,000 opened and searched, memory without mapped files", figure: "opened and searched, memory", documents: million, aim: "≤ 400 MB", most: 400},
	{work: "1,000,000 opened, to the first answer", figure: "open to the first answer", documents: million, aim: "≤ 0.5 s", most: 0.5},
	{work: "searches after 30 % churn", figure: "searches after churn, of before", documents: 100_000, aim: "≤ 15 % slower", most: 15},
	{work: "disk after churn and COMPACT, compared with before", figure: "disk after churn and COMPACT", documents: 100_000, aim: "≤ 1 ×", most: 1, over: "disk before churn"},

	{work: "linuxdoc, pairs at 0.8, whole process", figure: "linuxdoc, pairs at 0.8, whole process", aim: "≤ 0.25 s", most: 0.25},
	{work: "linuxdoc, import, whole process", figure: "linuxdoc, import, whole process", aim: "≤ 1.1 s", most: 1.1},
	{work: "linuxdoc, import, text", figure: "linuxdoc, import, whole process, text", aim: "≥ 30 MB/s", least: 30},
	{work: "linuxdoc, SIMILAR TO, median", figure: "linuxdoc, SIMILAR TO an id, median", aim: "≤ 300 µs", most: 300},
	{work: "linuxdoc, import, peak memory", figure: "linuxdoc, import, peak memory", aim: "≤ 512 MB", most: 512},

	{work: "linuxdoc, USING patricia, median", figure: "USING patricia, median", aim: "≤ 100 ms", most: 100},
	{work: "linuxdoc, USING versions, median", figure: "USING versions, median", aim: "≤ 100 ms", most: 100},
	{work: "linuxdoc, USING entities, median", figure: "USING entities, median", aim: "≤ 100 ms", most: 100},
	{work: "linuxdoc, USING words, median", figure: "USING words, median", aim: "≤ 100 ms", most: 100},
	{work: "linuxdoc, USING si, median", figure: "USING si, median", aim: "≤ 100 ms", most: 100},
}, setTargets())
