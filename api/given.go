package api

// Given is a pair of ids to be scored.
type Given struct{ A, B string }

// Scored is the score of a given pair.
type Scored struct {
	Given
	MissingA, MissingB bool // no document has this id; then there is no score
	Sim                float64
	Shared, Union      uint64 // as in PairMatch
	Of, Unit, Ignored  uint64
	SizeA, SizeB       uint64 // distinct shingles of each text, before Ignoring
}

// Ratio returns Sim as an exact fraction.
func (s Scored) Ratio() (num, den uint64) { return max(s.Unit, 1) * s.Shared, max(s.Of, 1) }
