package api

// Rows of searches.

// Comparison is one row of Compare: the score of two texts by one measure.
type Comparison struct {
	Method
	Sim     float64 `json:"sim"`
	Shared  uint64  `json:"shared"`
	Union   uint64  `json:"union"`
	Of      uint64  `json:"of"`                // as in Match
	Ignored uint64  `json:"ignored,omitempty"` // shingles that Ignoring removed from the two texts
	Dist    int     `json:"dist"`              // simhash only
	None    bool    `json:"none,omitempty"`    // no value: the texts are too short for the measure
}

// Passage is a common piece of two texts: bytes [AStartByte, AEndByte) of the first and
// [BStartByte, BEndByte) of the second.
type Passage struct {
	AStartByte int    `json:"a_start_byte"`
	AEndByte   int    `json:"a_end_byte"`
	BStartByte int    `json:"b_start_byte"`
	BEndByte   int    `json:"b_end_byte"`
	ALine      int    `json:"a_line,omitempty"` // line of the first byte, from 1, with unit = 'code'; otherwise 0
	BLine      int    `json:"b_line,omitempty"`
	Chars      int    `json:"chars"` // code points of the normal form; for code, of A
	A          string `json:"a"`     // the bytes of the piece
	B          string `json:"b"`
}

// SentencePair is a sentence of one text with its nearest sentence in the other.
type SentencePair struct {
	Passage
	Dist int `json:"dist"` // distance of their fingerprints in bits
}

// Match is one row of Similar.
type Match struct {
	Collection string  `json:"collection"`
	ID         string  `json:"id"`
	Sim        float64 `json:"sim"`
	Shared     uint64  `json:"shared"` // for Weighted the sum of the weights, in units of 1/WeightUnit
	Union      uint64  `json:"union"`
	Ignored    uint64  `json:"ignored,omitempty"` // shingles that Ignoring removed from the two texts
	Of         uint64  `json:"of"`                // Sim is Shared/Of: Union, or for containment and overlap the size of one side
	Unit       uint64  `json:"unit,omitempty"`    // if not 0, Sim is Unit·Shared/Of: dice, and tversky with fractional weights
	Dist       int     `json:"dist"`              // simhash only
	SI         SIValue `json:"si"`                // si only: the index of the document
	Store      string  `json:"store,omitempty"`   // the database of the document, in a search of several

	meta *Meta // a pointer, so that rows remain comparable
}

// Ratio returns Sim as an exact fraction.
func (m Match) Ratio() (num, den uint64) { return max(m.Unit, 1) * m.Shared, max(m.Of, 1) }

// SetMeta sets the metadata of the document. The engine calls it.
func (m *Match) SetMeta(meta *Meta) { m.meta = meta }

// Meta returns the metadata of the document; nil if it has none, or without WithMeta.
func (m Match) Meta() Meta { return metaOf(m.meta) }

// ClusterMember is one row of Clusters. The groups are in descending order of size, then by
// Cluster; members by id.
type ClusterMember struct {
	Cluster    string `json:"cluster"` // smallest id of the group
	Collection string `json:"collection"`
	ID         string `json:"id"`
	Size       int    `json:"size"`

	meta *Meta // a pointer, so that rows remain comparable
}

// SetMeta sets the metadata of the document. The engine calls it.
func (m *ClusterMember) SetMeta(meta *Meta) { m.meta = meta }

// Meta returns the metadata of the document; nil if it has none, or without WithMeta.
func (m ClusterMember) Meta() Meta { return metaOf(m.meta) }

// PairMatch is one row of Pairs: A < B bytewise, or A from In and B from Against.
type PairMatch struct {
	CollectionA string  `json:"a_collection"`
	A           string  `json:"a"`
	CollectionB string  `json:"b_collection"`
	B           string  `json:"b"`
	Sim         float64 `json:"sim"`
	Shared      uint64  `json:"shared"`
	Union       uint64  `json:"union"`
	Ignored     uint64  `json:"ignored,omitempty"`
	Of          uint64  `json:"of"` // as in Match
	Unit        uint64  `json:"unit,omitempty"`
	Dist        int     `json:"dist"` // simhash only

	metaA, metaB *Meta // pointers, so that rows remain comparable
}

// SetMeta sets the metadata of both documents. The engine calls it.
func (m *PairMatch) SetMeta(a, b *Meta) { m.metaA, m.metaB = a, b }

// Ratio returns Sim as an exact fraction.
func (m PairMatch) Ratio() (num, den uint64) { return max(m.Unit, 1) * m.Shared, max(m.Of, 1) }

// MetaA returns the metadata of A; nil if A has none, or without WithMeta.
func (m PairMatch) MetaA() Meta { return metaOf(m.metaA) }

// MetaB returns the metadata of B; nil if B has none, or without WithMeta.
func (m PairMatch) MetaB() Meta { return metaOf(m.metaB) }

// metaOf returns the metadata, nil for a nil pointer.
func metaOf(m *Meta) Meta {
	if m == nil {
		return nil
	}
	return *m
}

// Keep is the order of preference for documents of a group: the first document always stays.
type Keep string

const (
	KeepFirst      Keep = "first"       // unchanged for the longest time; also ""
	KeepNewest     Keep = "newest"      // written last
	KeepLongest    Keep = "longest"     // with the most bytes of text, then the first
	KeepShortestID Keep = "shortest-id" // fewest bytes, then first in bytewise order
)

// Duplicate is one row of Dedupe: a document of a group, with Keep if it stays. A removed document
// is similar to Like, which stays: the first such document in the order.
type Duplicate struct {
	Cluster        int     `json:"cluster"` // number of the group, from 1; the groups are in the order of their first documents
	Collection     string  `json:"collection"`
	ID             string  `json:"id"`
	Keep           bool    `json:"keep"`
	Numbers        bool    `json:"numbers,omitempty"`         // stays only because of KeepNumbers: it differs from a kept document only in words with digits
	LikeCollection string  `json:"like_collection,omitempty"` // this and the following fields are for removed documents
	Like           string  `json:"like,omitempty"`
	Sim            float64 `json:"sim"`
	Shared         uint64  `json:"shared"`
	Union          uint64  `json:"union"`
	Ignored        uint64  `json:"ignored,omitempty"`
	Of             uint64  `json:"of"` // as in Match
	Unit           uint64  `json:"unit,omitempty"`
	Dist           int     `json:"dist"`              // simhash only
	Changed        bool    `json:"changed,omitempty"` // not deleted, because the document or Like has changed
}

// Ratio returns Sim as an exact fraction; 0/1 for a document that stays.
func (d Duplicate) Ratio() (num, den uint64) { return max(d.Unit, 1) * d.Shared, max(d.Of, 1) }

// DedupeOptions set the order of preference, and the action on the other documents.
type DedupeOptions struct {
	Keep   Keep // "" means KeepFirst
	Delete bool // delete the others; otherwise only report them
}
