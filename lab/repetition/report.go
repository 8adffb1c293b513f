package repetition

// This file writes the report.

import "github.com/simdb/simdb/internal/report"

// paperTable is table 3 of the paper.
var paperTable = [][]string{
	{"the paper, 645 abstracts", "without", "6810", "0:18", "5:38", "5:56"},
	{"the paper, 645 abstracts", "with", "6960", "1:07", "10:45", "11:52"},
}

func (e *experiment) report() *report.Report {
	r := report.NewReport("Buckets by repetition")
	r.Printf(`Shingles are k = %d characters, white-space runs as one blank, in lower case as simdb reads them. A pair is similar from J = %v up.
A document belongs to a bucket for each of the first ⌊(1−J)·L⌋+1 of its L shingles in a global order; with intervals, the bucket
is the shingle together with the interval of its repetition, A for 1–10, … J for 91–100, K for more. Pairs that meet in a bucket
are candidates if the shorter set is at least J times as long as the longer, and are then verified.`, k, e.j)
	r.Printf(`Whatever the paper says is done here as it says, in a plain program with a map of buckets. "Lost" is said against a
comparison of all pairs through no index. Times are of one run on a machine of two cores that others used too.`)

	r.Printf("## The corpora")
	r.Printf(`Shingles per document are distinct ones; "repeated more than ten times" is the share of them outside interval A,
the only ones that intervals can tell apart.`)
	r.Table("corpora", []string{"corpus", "documents", "shingles in all", "shingles per document", "with repetition", "repeated more than ten times",
		"pairs, jaccard", "pairs, repetition", "pairs, multiset", "shingling", "comparing all pairs"}, e.corpora)

	if len(e.paper) > 0 {
		r.Printf("## Beside the paper")
		r.Printf(`Many-many, alphabetical order. The paper's abstracts could not be had; these are as many, of other years.
Its times, in minutes, are of another machine and language. Counting repetitions costs nothing here: one pass gives both.`)
		var rows [][]string
		for _, row := range e.paper {
			rows = append(rows, append([]string{"here, nsf first 645"}, row...))
		}
		r.Table("paper", []string{"", "intervals", "buckets", "shingling", "indexing", "in all"}, append(rows, paperTable...))
	}

	r.Printf("## Many-many: every pair of a collection")
	r.Printf(`Comparisons are members of buckets met, each time they are met, as the paper compares; candidates are distinct pairs
behind the length filter. Time is that of indexing, looking up and verifying.`)
	r.Table("many-many", []string{"corpus", "order", "intervals", "buckets", "postings", "comparisons", "candidates", "time"}, e.many)

	r.Printf("## Many-one: a document against the collection")
	r.Printf("The means of all probes, which are taken evenly from the corpus. Time is that of looking up and verifying.")
	r.Table("many-one", []string{"corpus", "order", "intervals", "probes", "comparisons", "candidates", "time"}, e.one)

	r.Printf("## Pairs found and lost")
	r.Printf(`By resemblance (without repetition), by the paper's formula 3 (with repetition) and by multiset similarity, Σmin/Σmax.
Prefix and length filter are safe for resemblance and for nothing else; with intervals they are safe for no measure.`)
	r.Table("lost", []string{"corpus", "order", "intervals", "jaccard found", "lost", "repetition found", "lost", "multiset found", "lost"}, e.lost)

	r.Printf("## Buckets by prefix position")
	r.Printf(`A bucket that knows where in the prefix of a set its shingle stands can be read up to the position that a threshold needs, and
dismisses a set that has too few shingles behind that place. simdb has tiers instead: three bits of a posting name the highest of
1, 0.95, 0.9, 0.8, … 0.5 whose prefix it is in. Both are of an index for 0.5 and above, rarest first, and both find the same pairs.
The means of all probes; postings are members of buckets read, candidates are behind the length filter, and behind that of positions.`)
	r.Table("positions", []string{"corpus", "from", "probes", "postings, tiers", "postings, positions", "candidates, tiers", "candidates, positions",
		"pairs found", "lost by positions"}, e.placed)

	r.Printf("## The same in simdb")
	r.Printf(`A collection with unit = 'char', k = %d and intervals = 'paper', at sim >= %v. The access that simdb chooses itself loses
nothing; 'interval' is the paper's filter, rarest first. The other measures are left out for whole corpora, whose
pairs the tables above have.`, k, e.j)
	r.Table("simdb", []string{"corpus", "measure", "access", "candidates", "pairs", "lost", "time"}, e.stored)
	return r
}
