package simdb

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
)

// A SearchOption modifies a call of a Reader. Without options Similar, Pairs and Clusters search
// the collection docs for resemblance ≥ 0.8 and return all rows. Errors in options end the call
// with ErrInvalid unless documented otherwise.
type SearchOption func(*search)

// search collects the options of a call and keeps the first error among them.
type search struct {
	engine.Search
	methods []api.Method // of each Using
	rules   []api.Rule   // nil: api.DefaultRules
	where   *condition
	limit   int      // of the rows after where
	bounded bool     // a threshold was given
	given   []string // the names of the options
	err     error

	plan   *api.Plan      // of the answer
	planTo *api.Plan      // of WithPlan
	shared *[]api.Passage // of WithPassages
	cut    measure.Cut    // of Similar
}

// takes lists the accepted options of the calls that do not accept every search option.
var takes = map[string][]string{
	"Related": {"In", "Rules", "Ignoring", "WithMeta", "WithPlan"}, "Sources": {"In", "Using", "Ignoring"}, "Compare": {"In", "Using", "Ignoring"},
	"Passages": {"In", "Using", "Ignoring"}, "Sentences": {"In", "Using"}, "Scores": {"In", "Using", "Ignoring"},
	"Dedupe": {"In", "Min", "Using", "Ignoring", "KeepNumbers", "Via", "WithPlan"},
	"a put":  {"Min", "Using", "WithPassages"}, "a put of a batch": {"Min", "Using"},
}

// newSearch collects the options of a call and rejects any that the call does not accept.
func newSearch(call string, opts []SearchOption) (*search, error) {
	s := search{Search: engine.Search{Min: api.Ratio(4, 5)}}
	for _, o := range opts {
		o(&s)
	}
	some, limited := takes[call]
	for _, name := range s.given {
		if limited && !slices.Contains(some, name) || !limited && (name == "Rules" || name == "WithPassages") {
			s.fail("%s takes no %s", call, name)
		}
	}
	if len(s.methods) > 1 && call != "Compare" {
		s.fail("Using is given twice")
	}
	if s.Nearest == 0 && (s.Ties || s.Mutual) {
		s.fail("WithTies and Mutual require Nearest")
	}
	if (s.Nearest > 0 || s.OfBest != api.Threshold{}) && !s.bounded {
		s.Min = api.Threshold{}
	}
	return &s, s.err
}

// ofOne moves Nearest, WithTies and OfBest to the cut, which applies to the rows of a search for
// one target. Nearest alone also becomes a limit, which is equivalent. Fingerprints need a
// threshold above 0, because without one every document would match.
func (s *search) ofOne() {
	s.cut = measure.Cut{Nearest: s.Nearest, Ties: s.Ties, Best: s.OfBest}
	if s.Nearest == 0 && !s.cut.ByScore() {
		return
	}
	if !s.cut.ByScore() && (s.Limit == 0 || s.Nearest < s.Limit) {
		s.Limit = s.Nearest
	}
	if least := api.Ratio(1, 64); s.Measure.OfFingerprints() && s.Min.Cmp(least) < 0 {
		s.Min = least
	}
	s.Nearest, s.Ties, s.OfBest = 0, false, api.Threshold{}
}

// explain copies the plan to the destination of WithPlan.
func (s *search) explain() {
	if s.planTo != nil && s.plan != nil {
		*s.planTo = *s.plan
	}
}

// by rejects measures other than m, and arguments that m does not accept, for a call with a fixed
// measure.
func (s *search) by(call string, m api.Measure) error {
	if len(s.methods) > 0 && s.Measure != m {
		return invalid("%s uses the measure %s, not %s", call, m, s.Measure)
	}
	if unused := m.Unused(s.Args); unused != "" {
		return invalid("%s takes no argument %s", call, unused)
	}
	return nil
}

// take records the name of a given option.
func (s *search) take(name string) *search {
	s.given = append(s.given, name)
	return s
}

// fail records an ErrInvalid, unless an earlier option failed.
func (s *search) fail(format string, args ...any) {
	if s.err == nil {
		s.err = invalid(format, args...)
	}
}

// MinSim sets the threshold: rows have at least this similarity. It reads the float as the decimal
// that it prints as, so that MinSim(0.8) is exactly 4/5. A value below 0 or above 1 is ErrInvalid.
func MinSim(sim float64) SearchOption {
	return func(s *search) {
		s.take("Min")
		t, err := api.ThresholdOf(sim)
		switch {
		case err == nil:
			s.Min, s.bounded = t, true
		case sim >= 2 && sim <= 100:
			meant, _ := api.ParseThreshold(strconv.FormatFloat(sim, 'f', -1, 64) + "%") // sim/100 as a float may have many digits
			s.fail("MinSim(%v): a similarity is from 0 to 1; did you mean %v?", sim, meant)
		default:
			s.fail("MinSim(%v): %v", sim, err)
		}
	}
}

// Min is MinSim with an exact threshold.
func Min(t api.Threshold) SearchOption {
	return func(s *search) { s.take("Min").Min, s.bounded = t, true }
}

// Nearest limits the result to the n most similar documents, and replaces the default threshold of
// 0.8 by any similarity above 0. MinSim sets a threshold in addition. Equally similar documents
// rank by id. In Pairs it keeps the n most similar B of each A; without Against every document is
// an A, so a pair may appear in both directions. With Where it ranks only the documents, or pairs,
// that satisfy the predicate. Limit applies after Nearest. It is ErrInvalid if n is below 1, and in
// any other search.
func Nearest(n int) SearchOption {
	return func(s *search) {
		if s.take("Nearest").Nearest = n; n < 1 {
			s.fail("Nearest(%d): want 1 or more", n)
		}
	}
}

// WithTies adds to Nearest the rows that score as much as the last of the n. Without Nearest it is
// ErrInvalid.
func WithTies() SearchOption { return func(s *search) { s.take("WithTies").Ties = true } }

// OfBest keeps the rows of Similar with at least this share of the best row's similarity, exactly.
// In Pairs it keeps for each A every B with at least this share of the similarity of the best B;
// without Against every document is an A, so a pair may appear in both directions. With Where, only
// documents or pairs that satisfy the predicate count. Without MinSim there is no other threshold.
// It is ErrInvalid if the share is 0 or above 1, and in any other search.
func OfBest(share api.Threshold) SearchOption {
	return func(s *search) {
		if s.take("OfBest").OfBest = share; share == (api.Threshold{}) || share.Cmp(api.Ratio(1, 1)) > 0 {
			s.fail("OfBest(%v): want a share above 0, and 1 at most", share)
		}
	}
}

// Directed makes Pairs yield a pair in each direction that reaches the threshold, with A as the
// query of an asymmetric measure. It is ErrInvalid with Against or Nearest, and in any other
// search.
func Directed() SearchOption { return func(s *search) { s.take("Directed").Search.Directed = true } }

// Mutual keeps, in Pairs with Nearest, only pairs in which A is also among the n most similar
// documents of B. By a symmetric measure each pair appears once, with A < B unless Against or Where
// distinguish them.
func Mutual() SearchOption { return func(s *search) { s.take("Mutual").Search.Mutual = true } }

// KeepNumbers makes Dedupe keep documents that differ from a kept document only in words with
// digits, such as invoices, figures and version numbers. Their rows have Numbers set.
func KeepNumbers() SearchOption {
	return func(s *search) { s.take("KeepNumbers").Search.KeepNumbers = true }
}

// Limit stops after n rows; 0 means all. Below 0 it is ErrInvalid.
func Limit(n int) SearchOption {
	return func(s *search) {
		if s.take("Limit").Limit = n; n < 0 {
			s.fail("Limit(%d): 0 means all rows", n)
		}
	}
}

// In searches these collections instead of docs.
func In(collections ...string) SearchOption { return func(s *search) { s.take("In").In = collections } }

// Against makes Pairs join the documents of In with the documents of these collections. In any other search
// it is ErrInvalid.
func Against(collections ...string) SearchOption {
	return func(s *search) { s.take("Against").Search.Against = collections }
}

// Since keeps the pairs of Pairs, and the groups of Clusters, that contain a document put since a
// mark: a new or replaced document, even if its text is unchanged. DB.Mark and Snapshot.Mark return
// marks. A string that is not a mark of this database is ErrMark.
func Since(mark string) SearchOption {
	return func(s *search) {
		if mark == "" && s.err == nil {
			s.err = fmt.Errorf("%w: an empty one", api.ErrMark)
		}
		s.take("Since").Search.Since = mark
	}
}

// Using selects a measure other than Jaccard, with arguments other than the defaults if given.
// Arguments that the measure does not accept are ErrInvalid. With a K other than that of the
// collection, a measure of shingles reads every text, so only searches for one target accept it: in
// pairs, groups and conditional puts it is ErrInvalid.
func Using(m api.Measure, args ...api.Args) SearchOption {
	return func(s *search) {
		if len(args) > 1 {
			s.fail("Using takes one Args, not %d", len(args))
		}
		s.take("Using").Measure, s.Args = m, argsOf(args)
		s.methods = append(s.methods, s.Method())
	}
}

// Ignoring removes shingles from the target and from the stored documents before they are compared,
// so that the scores count only the other shingles, exactly. Rows report how many shingles of the
// two texts it removed. Text covered by removed shingles alone is in no passage and has no source.
// Ignoring is ErrInvalid for SimHash, for pairs by measures of texts, and in conditional puts.
func Ignoring(shingles api.Ignoring) SearchOption {
	return func(s *search) { s.take("Ignoring").Ignoring = shingles }
}

// argsOf returns the first of optional arguments, or the zero value.
func argsOf(args []api.Args) (a api.Args) {
	if len(args) > 0 {
		a = args[0]
	}
	return a
}

// Via finds candidates by this access path instead of the cheapest exact path.
func Via(a api.Access) SearchOption { return func(s *search) { s.take("Via").Access = a } }

// Rules replaces api.DefaultRules in Related.
func Rules(rules ...api.Rule) SearchOption {
	return func(s *search) { s.take("Rules").rules = append([]api.Rule{}, rules...) } // never nil, because no rules at all differ from the default rules
}

// WithPlan stores the plan of the search in p once its rows have been read.
func WithPlan(p *api.Plan) SearchOption { return func(s *search) { s.take("WithPlan").planTo = p } }
