// Package search looks for what is similar to one probe: it plans, finds candidates,
// verifies each of them, and says how it went. A file holds each measure of texts. It
// knows nothing of joins.
package search

import (
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// Target is the probe of a search: a stored document or a text.
type Target struct {
	ID            string
	Text          string
	ByText        bool // Text is the probe, not ID
	Fingerprint   uint64
	ByFingerprint bool // Fingerprint is the probe: SimHash only
	Tokens        []string
	ByTokens      bool // Tokens are the probe: in collections of own tokens only. With ByText they come with the text
}

// ByID probes with a stored document, looked up in the collections searched.
func ByID(id string) Target { return Target{ID: id} }

// ByText probes with a text that need not be stored.
func ByText(text string) Target { return Target{Text: text, ByText: true} }

// ByTokens probes with tokens, as documents of collections with unit = 'token' bring them.
func ByTokens(tokens []string) Target { return Target{Tokens: tokens, ByTokens: true} }

// ByFingerprint probes with the SimHash of a text that is not at hand.
func ByFingerprint(v uint64) Target { return Target{Fingerprint: v, ByFingerprint: true} }

// Access names the way candidates are found. Only AccessInterval may miss
// matches, and it is used only where it is asked for.
type Access string

const (
	AccessAuto      Access = ""          // the cheapest exact one
	AccessPrefix    Access = "prefix"    // postings of the first tiers, where each match has a shared shingle
	AccessPostings  Access = "postings"  // postings of all shingles; any measure of bags at any threshold
	AccessNearest   Access = "nearest"   // the best rows of a limit without a threshold; named by plans alone
	AccessSignature Access = "signature" // scan of the parity signatures in memory
	AccessInterval  Access = "interval"  // postings of shingles repeated as often: lossy
	AccessRotated   Access = "rotated"   // rotated tables; simhash
	AccessScan      Access = "scan"      // every set compared; simhash: flat scan of fingerprints
	AccessRange     Access = "range"     // si: the values in order
	AccessChunks    Access = "chunks"    // versions, entities: rotated tables of 32-bit fingerprints
	AccessTerms     Access = "terms"     // words, patricia: postings of words or of passages
)

// Search says what is looked for. The zero value asks for resemblance ≥ 0 in
// collection docs; most callers set Min.
type Search struct {
	In      []string          // collections; empty means docs
	Against []string          // Pairs only: the other side
	Measure measure.Measure   // default Jaccard
	Args    measure.Args      // of the measure, if it takes any
	Access  Access            // default AccessAuto
	Min     measure.Threshold // smallest sim that counts
	Since   string            // Pairs and Clusters only: a mark; rows with a document written after it
	Limit   int               // rows wanted, 0 means all: a hint that lets the engine stop early
	Nearest int               // Pairs only: so many of the most similar b for each a, 0 means all; in Similar a Limit alone does this
	Mutual  bool              // with Nearest: only rows whose a is also among the nearest of its b
	Meta    bool              // rows carry the metadata of their documents

	// Where says of the documents found what an index of metadata fields may know, in
	// Pairs of a, and WhereB of b. Most rows that do not meet it are left out, not all:
	// who sets it tests the rows: Limit counts them before the test.
	Where, WhereB *Fields

	// Keep, in Clusters only, says which documents are put into groups. The others are
	// taken for not there: they tie nothing together. nil keeps all.
	Keep func(collection string, d view.DocInfo) (bool, error)

	// Accept, in Pairs with Nearest only, says which rows there are, given an a and a b with
	// its score: the nearest of a are among those. It is called by one goroutine at a time.
	// nil accepts all.
	Accept func(collection, id string, b Match) (bool, error)
}

// Check refuses what no answer could heed.
func (q Search) Check() error {
	if q.Limit < 0 {
		return fault.Invalid("limit %d is negative; 0 means all rows", q.Limit)
	}
	if q.Nearest < 0 {
		return fault.Invalid("nearest %d is negative; 0 means all rows", q.Nearest)
	}
	if q.Nearest == 0 && (q.Mutual || q.Accept != nil) {
		return fault.Invalid("Mutual and Accept are for Pairs with Nearest")
	}
	for _, f := range []*Fields{q.Where, q.WhereB} {
		if err := f.check(); err != nil {
			return err
		}
	}
	return q.scores()
}

// scores refuses a method or a threshold that there is not.
func (q Search) scores() error {
	if q.Min.Cmp(measure.Ratio(1, 1)) > 0 {
		return fault.Invalid("the threshold is no ratio: it is from 0 to 1, and the lower number below 2³²")
	}
	return q.Method().Check()
}

// Method is what the search scores by.
func (q Search) Method() Method { return Method{Measure: q.Measure, Args: q.Args} }

// checkOne is Check for the search of one target.
func (q Search) checkOne() error {
	if len(q.Against) > 0 {
		return fault.Invalid("a search for one target takes no Against, which names the other side of pairs: name all collections with In")
	}
	if q.Since != "" {
		return fault.Invalid("Since is for Pairs and Clusters")
	}
	if q.Nearest != 0 {
		return fault.Invalid("Nearest is for Pairs: in a search for one target a Limit with Min 0 gives the nearest")
	}
	return q.Check()
}

// Match is one row of Similar.
type Match struct {
	Collection, ID string
	Sim            float64
	Shared, Union  uint64
	Of             uint64 // Sim is Shared/Of: Union, or for containment the size of one side
	Unit           uint64 // Sim is Unit·Shared/Of where this is not 0: tversky with weights that are no whole numbers
	Dist           int    // simhash only
	SI             int64  // si only: the index of the document

	meta *record.Meta // a pointer, so that rows go on to be comparable
}

// Ratio is Sim as an exact fraction.
func (m Match) Ratio() (num, den uint64) { return max(m.Unit, 1) * m.Shared, max(m.Of, 1) }

// Meta is the metadata of the document; nil if it has none, or the search does not ask.
func (m Match) Meta() record.Meta {
	if m.meta == nil {
		return nil
	}
	return *m.meta
}

// Method is a measure with its arguments.
type Method struct {
	Measure measure.Measure
	Args    measure.Args
}

// Formula is what a measure of bags scores by.
func (m Method) Formula() measure.Formula { return m.Measure.Formula(m.Args) }

// Symmetric says whether the score stays the same if query and document are swapped.
func (m Method) Symmetric() bool { return m.Measure.Symmetric(m.Args) }

// Check refuses a measure that there is not, and arguments that the measure does not
// take.
func (m Method) Check() error {
	if !m.Measure.Valid() {
		return fault.Invalid("unknown measure %d", m.Measure)
	}
	if err := m.Measure.Check(m.Args); err != nil {
		return fault.Invalid("%w", err)
	}
	return nil
}
