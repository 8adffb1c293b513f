// Package search finds the documents similar to one probe: it plans, generates candidates,
// verifies each of them, and records the counts of every filter in a plan. It loses no
// match, unless the plan marks a filter as lossy. Each measure of texts has a file of its
// own. Joins are in package pairs.
//
// Start with [Search], the query, and [Finder], which runs it in one collection.
package search

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"

	"github.com/simdb/simdb/internal/measure"
)

// Search is a query for similar documents. The zero value means resemblance ≥ 0 in
// collection docs; most callers set Min.
type Search struct {
	In      []string      // collections; empty means docs
	Against []string      // Pairs only: the collections of the other side
	Measure api.Measure   // default Jaccard
	Args    api.Args      // arguments of the measure, if any
	Access  api.Access    // default AccessAuto
	Min     api.Threshold // least similarity of a match
	Since   string        // Pairs and Clusters only: a mark; return rows with a document written after it
	Limit   int           // rows needed, 0 means all: a hint that lets the engine stop early
	Nearest int           // Pairs only: the number of most similar b for each a, 0 means all; in Similar a Limit alone does this
	Pairing
	Ignoring api.Ignoring // shingles to remove from all bags before comparison
	Meta     bool         // rows carry the metadata of their documents

	// Conditions on the documents found (in Pairs: Where on a, WhereB on b), for the index of
	// metadata fields. The index removes most rows that do not meet them, not all: the
	// caller must test the rows. Limit counts rows before that test.
	Where, WhereB *Fields

	Tests
}

// Tests holds callbacks of the caller and the option to plan only.
type Tests struct {
	// PlanOnly, for Pairs, Clusters and Dedupe only, returns the plan without running joins,
	// and no rows. With a limit Pairs tries high thresholds first: the plan is that of the
	// first try.
	PlanOnly bool

	// Keep, for Clusters only, selects the documents to group. Rejected documents count as
	// absent and connect nothing. nil keeps all.
	Keep func(collection string, d api.DocInfo) (bool, error)

	// Accept, for Pairs with Nearest or OfBest only, selects the rows from which the nearest
	// of a are chosen, given an a and a b with its score. Calls do not overlap. nil accepts
	// all.
	Accept func(collection, id string, b api.Match) (bool, error)
}

// Pairing selects the rows of each a. It applies to Pairs, KeepNumbers to Dedupe.
type Pairing struct {
	Directed    bool // also return each pair in the other direction
	KeepNumbers bool // for Dedupe: texts that differ only in words with digits are not duplicates

	Mutual bool          // with Nearest: only rows with a among the nearest of its b
	Ties   bool          // with Nearest: also further rows with the same score as the last
	OfBest api.Threshold // alone or with Nearest: only rows with at least this share of the best score; 0: all
}

// OfEach reports whether Pairs searches separately for each a.
func (q Search) OfEach() bool { return q.Nearest > 0 || q.OfBest != api.Threshold{} }

// Check returns api.ErrInvalid for contradictory or unsupported parameters.
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
		return fault.Invalid("ignoring shingles of more than %d documents: want 1 or more", q.Ignoring.MoreThan)
	}
	return q.scores()
}

// scores checks the method and the threshold.
func (q Search) scores() error {
	if q.Min.Cmp(api.Ratio(1, 1)) > 0 {
		return fault.Invalid("the threshold is above 1: want a ratio from 0 to 1")
	}
	return CheckMethod(q.Method())
}

// Method returns the measure with its arguments.
func (q Search) Method() api.Method { return api.Method{Measure: q.Measure, Args: q.Args} }

// Formula returns the formula of the filters for a measure of bags: the score itself, or an
// upper bound if shingles are ignored.
func (q Search) Formula() measure.Formula {
	f := measure.FormulaOf(q.Measure, q.Args)
	if q.Ignoring != (api.Ignoring{}) {
		return f.Loose()
	}
	return f
}

// checkOne is Check for a search of one target.
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

// CheckMethod returns api.ErrInvalid for an unknown measure or for arguments that it does
// not take.
func CheckMethod(m api.Method) error {
	if !m.Measure.Valid() {
		return fault.Invalid("unknown measure %d", m.Measure)
	}
	if err := m.Measure.Check(m.Args); err != nil {
		return fault.Invalid("%w", err)
	}
	return nil
}
