package api

// Pairs given by the caller, such as the answer of another tool, and their scores.

// Given is a pair of ids to be scored.
type Given struct {
	A string `json:"a"`
	B string `json:"b"`
}

// Scored is the score of a given pair, however similar its texts are.
type Scored struct {
	Given
	MissingA bool    `json:"missing_a,omitempty"` // no document has the id A; then there is no score
	MissingB bool    `json:"missing_b,omitempty"`
	Sim      float64 `json:"sim"`
	Shared   uint64  `json:"shared"`
	Union    uint64  `json:"union"`
	Of       uint64  `json:"of"` // as in Match
	Unit     uint64  `json:"unit,omitempty"`
	Ignored  uint64  `json:"ignored,omitempty"`
	Common   uint64  `json:"common"` // distinct shingles in both, without ignored ones, by any measure
	SizeA    uint64  `json:"size_a"` // distinct shingles of A, without ignored ones
	SizeB    uint64  `json:"size_b"`
}

// Ratio returns Sim as an exact fraction.
func (s Scored) Ratio() (num, den uint64) { return max(s.Unit, 1) * s.Shared, max(s.Of, 1) }
