package api

// What a search looks for.

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Target is the probe of a search: a stored document, or what is not nil of the rest.
type Target struct {
	ID          string
	Collection  string // of the document; "" looks in those that are searched
	Store       string // of several databases, the one that has the document; "" looks in all
	Text        *string
	Tokens      []string // in collections of own tokens only; they may come with the text
	Fingerprint *Fingerprint

	Name  string // of a text: where it has one, collections with unit = 'code' know its language by it
	Lexed []byte // Document.Lexed of the text, or nil
}

// Stored says whether the probe is a stored document.
func (t Target) Stored() bool { return t.Text == nil && t.Tokens == nil && t.Fingerprint == nil }

// ByID probes with a stored document, looked up in the collections searched.
func ByID(id string) Target { return Target{ID: id} }

// Of says in which collection the document is, which need not be one of those searched.
func (t Target) Of(collection string) Target {
	t.Collection = collection
	return t
}

// ByText probes with a text that need not be stored.
func ByText(text string) Target { return Target{Text: &text} }

// Named gives a text the name of a file, by which its language is known.
func (t Target) Named(name string) Target {
	t.Name = name
	return t
}

// ByTokens probes with tokens, as documents of collections with unit = 'token' bring them.
func ByTokens(tokens []string) Target {
	return Target{Tokens: append([]string{}, tokens...)} // none are not nil
}

// ByFingerprint probes with the fingerprint of a text that is not at hand; Using
// SimHash only.
func ByFingerprint(f Fingerprint) Target { return Target{Fingerprint: &f} }

// Fingerprint is the 64-bit SimHash of a text: texts that have much in common
// differ in few bits. Its operations are those of paper 002.
type Fingerprint uint64

// ParseFingerprint reads 64 binary digits, the highest bit first. ErrInvalid for
// anything else.
func ParseFingerprint(s string) (Fingerprint, error) {
	if len(s) != 64 || strings.Trim(s, "01") != "" {
		return 0, invalid("fingerprint %q: want 64 binary digits", s)
	}
	v, err := strconv.ParseUint(s, 2, 64)
	return Fingerprint(v), err
}

// String returns 64 binary digits, the highest bit first.
func (f Fingerprint) String() string { return fmt.Sprintf("%064b", uint64(f)) }

// Distance is the number of bits in which two fingerprints differ, 0 to 64.
func (f Fingerprint) Distance(other Fingerprint) int { return bits.OnesCount64(uint64(f ^ other)) }

// Similarity is (64 − Distance) / 64.
func (f Fingerprint) Similarity(other Fingerprint) float64 {
	return float64(64-f.Distance(other)) / 64
}

// IsSimilar reports whether the similarity is min or more, exactly.
func (f Fingerprint) IsSimilar(other Fingerprint, min Threshold) bool {
	return min.Admits(uint64(64-f.Distance(other)), 64)
}

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
