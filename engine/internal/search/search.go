// Package search looks for what is similar to one probe: it plans, finds candidates,
// verifies each of them, and says how it went. A file holds each measure of texts. It
// knows nothing of joins.
package search

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"

	"github.com/simdb/simdb/internal/measure"
)

// Search says what is looked for. The zero value asks for resemblance ≥ 0 in
// collection docs; most callers set Min.
type Search struct {
	In      []string      // collections; empty means docs
	Against []string      // Pairs only: the other side
	Measure api.Measure   // default Jaccard
	Args    api.Args      // of the measure, if it takes any
	Access  api.Access    // default AccessAuto
	Min     api.Threshold // smallest sim that counts
	Since   string        // Pairs and Clusters only: a mark; rows with a document written after it
	Limit   int           // rows wanted, 0 means all: a hint that lets the engine stop early
	Nearest int           // Pairs only: so many of the most similar b for each a, 0 means all; in Similar a Limit alone does this
	Pairing
	Ignoring api.Ignoring // taken out of all bags before they are compared
	Meta     bool         // rows carry the metadata of their documents

	// Where says of the documents found what an index of metadata fields may know, in
	// Pairs of a, and WhereB of b. Most rows that do not meet it are left out, not all:
	// who sets it tests the rows: Limit counts them before the test.
	Where, WhereB *Fields

	Tests
}

// Tests are the caller's, and whether it wants rows at all.
type Tests struct {
	// PlanOnly, in Pairs, Clusters and Dedupe only, makes no joins: the answer says how they
	// would go, and has no rows. With a limit Pairs tries high thresholds first: its plan is that
	// of the first try.
	PlanOnly bool

	// Keep, in Clusters only, says which documents are put into groups. The others are
	// taken for not there: they tie nothing together. nil keeps all.
	Keep func(collection string, d api.DocInfo) (bool, error)

	// Accept, in Pairs with Nearest only, says which rows there are, given an a and a b with
	// its score: the nearest of a are among those. It is called by one goroutine at a time.
	// nil accepts all.
	Accept func(collection, id string, b api.Match) (bool, error)
}

// Pairing says, for Pairs only, which rows an a has.
type Pairing struct {
	Directed    bool // also that of the other direction
	KeepNumbers bool // of Dedupe: texts that differ in words with digits alone are no duplicates

	Mutual bool          // with Nearest: only those whose a is among the nearest of its b
	Ties   bool          // with Nearest: also those that score as much as the last
	OfBest api.Threshold // alone or with Nearest: those that score this share of what the best does, or more; 0: all
}

// OfEach says whether Pairs looks for each a, of which some rows are wanted.
func (q Search) OfEach() bool { return q.Nearest > 0 || q.OfBest != api.Threshold{} }

// Check refuses what no answer could heed.
func (q Search) Check() error {
	if q.Limit < 0 {
		return fault.Invalid("limit %d is negative; 0 means all rows", q.Limit)
	}
	if q.Nearest < 0 {
		return fault.Invalid("nearest %d is negative; 0 means all rows", q.Nearest)
	}
	if q.KeepNumbers {
		return fault.Invalid("KeepNumbers is for Dedupe")
	}
	if !q.OfEach() && (q.Mutual || q.Accept != nil || q.Ties) {
		return fault.Invalid("Mutual, Ties and Accept are for Pairs with Nearest or OfBest")
	}
	if q.Directed && (q.OfEach() || len(q.Against) > 0) {
		return fault.Invalid("pairs with Nearest or OfBest are found in both directions already, and with Against from one side to the other: leave Directed out")
	}
	for _, f := range []*Fields{q.Where, q.WhereB} {
		if err := f.check(); err != nil {
			return err
		}
	}
	if q.Ignoring != (api.Ignoring{}) && q.Measure.OfFingerprints() {
		return fault.Invalid("simhash compares fingerprints of whole texts: IGNORING is for measures of shingles and of texts")
	}
	if q.Ignoring.MoreThan < 0 {
		return fault.Invalid("ignoring what more than %d documents have: want 1 or more", q.Ignoring.MoreThan)
	}
	return q.scores()
}

// scores refuses a method or a threshold that there is not.
func (q Search) scores() error {
	if q.Min.Cmp(api.Ratio(1, 1)) > 0 {
		return fault.Invalid("the threshold is no ratio from 0 to 1")
	}
	return CheckMethod(q.Method())
}

// Method is what the search scores by.
func (q Search) Method() api.Method { return api.Method{Measure: q.Measure, Args: q.Args} }

// Formula is what a search by a measure of bags is filtered by: what it scores by, or where
// it ignores shingles a bound of it.
func (q Search) Formula() measure.Formula {
	f := measure.FormulaOf(q.Measure, q.Args)
	if q.Ignoring != (api.Ignoring{}) {
		return f.Loose()
	}
	return f
}

// checkOne is Check for the search of one target.
func (q Search) checkOne() error {
	if len(q.Against) > 0 {
		return fault.Invalid("a search for one target takes no Against, which names the other side of pairs: name all collections with In")
	}
	if q.Since != "" {
		return fault.Invalid("Since is for Pairs and Clusters")
	}
	if q.Directed {
		return fault.Invalid("Directed is for Pairs")
	}
	if q.Nearest != 0 || q.OfEach() {
		return fault.Invalid("Nearest and OfBest are for Pairs: in a search for one target a Limit with Min 0 gives the nearest")
	}
	return q.Check()
}

// CheckMethod refuses a measure that there is not, and arguments that the measure does not
// take.
func CheckMethod(m api.Method) error {
	if !m.Measure.Valid() {
		return fault.Invalid("unknown measure %d", m.Measure)
	}
	if err := m.Measure.Check(m.Args); err != nil {
		return fault.Invalid("%w", err)
	}
	return nil
}
