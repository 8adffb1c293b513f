package api

// Targets of searches, and access paths.

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Target is the probe of a search: a stored document, unless Text, Tokens or Fingerprint is set.
type Target struct {
	ID          string
	Collection  string // of the document; "" looks in the searched collections
	Store       string // of the document, in a search of several databases; "" looks in all
	Text        *string
	Tokens      []string // only in collections with unit = 'token'; may accompany the text
	Fingerprint *Fingerprint

	Name  string // of a text, or ""; determines its language in collections with unit = 'code'
	Lexed []byte // Document.Lexed of the text, or nil
}

// Stored reports whether the probe is a stored document.
func (t Target) Stored() bool { return t.Text == nil && t.Tokens == nil && t.Fingerprint == nil }

// ByID probes with a stored document, which must be in one of the searched collections; see Of.
func ByID(id string) Target { return Target{ID: id} }

// Of sets the collection of the document, which need not be among the searched collections.
func (t Target) Of(collection string) Target {
	t.Collection = collection
	return t
}

// ByText probes with a text that need not be stored.
func ByText(text string) Target { return Target{Text: &text} }

// Named sets the name of a text, such as a file name, which determines its language.
func (t Target) Named(name string) Target {
	t.Name = name
	return t
}

// ByTokens probes with tokens, in collections with unit = 'token'.
func ByTokens(tokens []string) Target {
	return Target{Tokens: append([]string{}, tokens...)} // never nil, so that an empty list is a target too
}

// ByFingerprint probes with the fingerprint of a text that is not available. It requires
// Using(SimHash).
func ByFingerprint(f Fingerprint) Target { return Target{Fingerprint: &f} }

// Fingerprint is the 64-bit SimHash of a text: similar texts differ in few bits. Its operations are
// those of paper 002.
type Fingerprint uint64

// ParseFingerprint parses 64 binary digits, the highest bit first. Anything else is ErrInvalid.
func ParseFingerprint(s string) (Fingerprint, error) {
	if len(s) != 64 || strings.Trim(s, "01") != "" {
		return 0, invalid("fingerprint %q: want 64 binary digits", s)
	}
	v, err := strconv.ParseUint(s, 2, 64)
	return Fingerprint(v), err
}

// String returns 64 binary digits, the highest bit first.
func (f Fingerprint) String() string { return fmt.Sprintf("%064b", uint64(f)) }

// Distance returns the number of different bits, 0 to 64.
func (f Fingerprint) Distance(other Fingerprint) int { return bits.OnesCount64(uint64(f ^ other)) }

// Similarity returns (64 − Distance) / 64.
func (f Fingerprint) Similarity(other Fingerprint) float64 {
	return float64(64-f.Distance(other)) / 64
}

// IsSimilar reports whether the similarity is at least min, exactly.
func (f Fingerprint) IsSimilar(other Fingerprint, min Threshold) bool {
	return min.Admits(uint64(64-f.Distance(other)), 64)
}

// Access names the path by which a search finds candidates. Only AccessInterval may miss matches,
// and no search uses it unless Via or a statement names it.
type Access string

const (
	AccessAuto      Access = ""          // the cheapest exact path
	AccessPrefix    Access = "prefix"    // postings of the first tiers, which contain a shared shingle of each match
	AccessPostings  Access = "postings"  // postings of all shingles; any measure of bags at any threshold
	AccessNearest   Access = "nearest"   // NEAREST without a selective threshold; only in plans
	AccessSignature Access = "signature" // scan of the parity signatures in memory
	AccessInterval  Access = "interval"  // postings of shingles with equal repetition: lossy
	AccessRotated   Access = "rotated"   // rotated tables; simhash
	AccessScan      Access = "scan"      // every set compared; simhash: flat scan of fingerprints
	AccessRange     Access = "range"     // si: the values in order
	AccessChunks    Access = "chunks"    // versions, entities: rotated tables of 32-bit fingerprints
	AccessTerms     Access = "terms"     // words, patricia: postings of words or of passages
)
