package simdb

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
)

// A SearchOption says how a call of a Reader is meant. Without any Similar, Pairs and Clusters search
// the collection docs for resemblance ≥ 0.8, and return all there is.
type SearchOption func(*search)

// search gathers options; the first error in one is the answer's.
type search struct {
	engine.Search
	methods []api.Method // of each Using
	rules   []api.Rule   // nil: api.DefaultRules
	where   *condition
	limit   int      // of the rows that where keeps
	bounded bool     // a threshold was given
	given   []string // the names of the options
	err     error

	plan   *api.Plan      // of the answer
	planTo *api.Plan      // of WithPlan
	shared *[]api.Passage // of WithPassages
	cut    measure.Cut    // of Similar
}

// takes names the options of calls that do not take all.
var takes = map[string][]string{
	"Related": {"In", "Rules", "Ignoring", "WithMeta", "WithPlan"}, "Sources": {"In", "Using", "Ignoring"}, "Compare": {"In", "Using", "Ignoring"},
	"Passages": {"In", "Using", "Ignoring"}, "Sentences": {"In", "Using"},
	"Dedupe": {"In", "Min", "Using", "Ignoring", "KeepNumbers", "Via", "WithPlan"},
	"a put":  {"Min", "Using", "WithPassages"}, "a put of a batch": {"Min", "Using"},
}

// newSearch gathers the options of a call.
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
		s.fail("WithTies and Mutual say what Nearest finds: they need it")
	}
	if (s.Nearest > 0 || s.OfBest != api.Threshold{}) && !s.bounded {
		s.Min = api.Threshold{}
	}
	return &s, s.err
}

// ofOne makes Nearest a limit, which is all that the search for one target needs.
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

// explain gives WithPlan the plan of the answer.
func (s *search) explain() {
	if s.planTo != nil && s.plan != nil {
		*s.planTo = *s.plan
	}
}

// by refuses another measure than the one that a call goes by, and arguments that this does
// not take.
func (s *search) by(call string, m api.Measure) error {
	if len(s.methods) > 0 && s.Measure != m {
		return invalid("%s go by %s, not by %s", call, m, s.Measure)
	}
	if unused := m.Unused(s.Args); unused != "" {
		return invalid("%s take no argument %s", call, unused)
	}
	return nil
}

// take notes that an option is given.
func (s *search) take(name string) *search {
	s.given = append(s.given, name)
	return s
}

func (s *search) fail(format string, args ...any) {
	if s.err == nil {
		s.err = invalid(format, args...)
	}
}

// MinSim keeps what is at least this similar. The float is read as the decimal
// it prints as, so that MinSim(0.8) is 4/5 exactly. ErrInvalid below 0 and above 1.
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

// Nearest asks for the n most similar documents, whatever their similarity above 0, and not
// for those from 0.8 on. MinSim beside it bounds them. Of equally similar ones the first by
// id are taken. In Pairs it asks for the n most similar B of each A, and without Against
// every document is an A: a pair may come in both directions. With Where the nearest are
// those among the documents, or pairs, that satisfy it. Limit then counts what Nearest has
// found. ErrInvalid below 1, and in any other search.
func Nearest(n int) SearchOption {
	return func(s *search) {
		if s.take("Nearest").Nearest = n; n < 1 {
			s.fail("Nearest(%d): want 1 or more", n)
		}
	}
}

// WithTies makes Nearest name also those that score as much as the last of its n. ErrInvalid
// without Nearest.
func WithTies() SearchOption { return func(s *search) { s.take("WithTies").Ties = true } }

// OfBest keeps those rows of Similar whose similarity is this share of that of the best row,
// or more, exactly. In Pairs it keeps for each A those B whose similarity is this share of
// that of its best B: every document is an A, and a pair may come in both directions. With
// Where the best is that among the documents, or pairs, that satisfy it. Without MinSim
// there is no other threshold. ErrInvalid for 0 and above 1, and in any other search.
func OfBest(share api.Threshold) SearchOption {
	return func(s *search) {
		if s.take("OfBest").OfBest = share; share == (api.Threshold{}) || share.Cmp(api.Ratio(1, 1)) > 0 {
			s.fail("OfBest(%v): want a share above 0, and 1 at most", share)
		}
	}
}

// Directed makes Pairs yield a pair in each direction that reaches the threshold: by a
// measure that is not symmetric A is the query. ErrInvalid with Against and Nearest, and in
// any other search.
func Directed() SearchOption { return func(s *search) { s.take("Directed").Search.Directed = true } }

// Mutual keeps, of Pairs with Nearest, those pairs whose A is also among the n most similar
// documents of B. By a symmetric measure each pair comes once, with A < B unless Against or
// Where tell them apart.
func Mutual() SearchOption { return func(s *search) { s.take("Mutual").Search.Mutual = true } }

// KeepNumbers lets, in Dedupe, documents stay that differ from one that stays in words with digits alone, such as
// invoices, figures and versions of a number. Their rows say so.
func KeepNumbers() SearchOption {
	return func(s *search) { s.take("KeepNumbers").Search.KeepNumbers = true }
}

// Limit stops after n rows; 0 means all. ErrInvalid below 0.
func Limit(n int) SearchOption {
	return func(s *search) {
		if s.take("Limit").Limit = n; n < 0 {
			s.fail("Limit(%d): 0 means all rows", n)
		}
	}
}

// In searches these collections instead of docs.
func In(collections ...string) SearchOption { return func(s *search) { s.take("In").In = collections } }

// Against makes Pairs join the documents of In with those of these collections.
// ErrInvalid in any other search.
func Against(collections ...string) SearchOption {
	return func(s *search) { s.take("Against").Search.Against = collections }
}

// Since keeps the pairs, of Pairs, and the groups, of Clusters, that have a document put
// since a mark: one that was new, or replaced, also by an equal text. Mark makes marks.
// The answer is ErrMark for what is no mark of this database.
func Since(mark string) SearchOption {
	return func(s *search) {
		if mark == "" && s.err == nil {
			s.err = fmt.Errorf("%w: an empty one", api.ErrMark)
		}
		s.take("Since").Search.Since = mark
	}
}

// Using scores by another measure than Jaccard, with its arguments if they are
// not to be the defaults. ErrInvalid for arguments that the measure does not take. A
// measure of bags by another k than the collection's reads every text, and serves searches
// for one target alone: for pairs, groups and conditions it is ErrInvalid.
func Using(m api.Measure, args ...api.Args) SearchOption {
	return func(s *search) {
		if len(args) > 1 {
			s.fail("Using takes one Args, not %d", len(args))
		}
		s.take("Using").Measure, s.Args = m, argsOf(args)
		s.methods = append(s.methods, s.Method())
	}
}

// Ignoring takes shingles out of all texts before they are compared, exactly: out of the
// target, out of what is found, and out of what they are scored by. Rows say how many of the
// two texts were taken out. Text that only such shingles cover is in no passage, and no
// source is found by it. ErrInvalid for SimHash, for pairs by measures of texts, and in
// conditions.
func Ignoring(what api.Ignoring) SearchOption {
	return func(s *search) { s.take("Ignoring").Ignoring = what }
}

// argsOf returns what is there of arguments that may be left out.
func argsOf(args []api.Args) (a api.Args) {
	if len(args) > 0 {
		a = args[0]
	}
	return a
}

// Via finds candidates in the way named, instead of the cheapest exact one.
func Via(a api.Access) SearchOption { return func(s *search) { s.take("Via").Access = a } }

// Rules are what Related tells kinds of relations by, instead of api.DefaultRules.
func Rules(rules ...api.Rule) SearchOption {
	return func(s *search) { s.take("Rules").rules = append([]api.Rule{}, rules...) } // none are not the default
}

// WithPlan fills p with how the answer was found, once its rows are read.
func WithPlan(p *api.Plan) SearchOption { return func(s *search) { s.take("WithPlan").planTo = p } }
