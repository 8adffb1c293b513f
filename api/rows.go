package api

// The rows of answers about similarity.

// Comparison is one row of Compare.
type Comparison struct {
	Method
	Sim     float64 `json:"sim"`
	Shared  uint64  `json:"shared"`
	Union   uint64  `json:"union"`
	Of      uint64  `json:"of"`                // as in Match
	Ignored uint64  `json:"ignored,omitempty"` // shingles that Ignoring took out of the two texts
	Dist    int     `json:"dist"`              // simhash only
	None    bool    `json:"none,omitempty"`    // the measure has no value for these texts: they are too short for it
}

// Passage is a piece that two texts have in common: bytes [AStartByte, AEndByte) of the
// first and [BStartByte, BEndByte) of the second.
type Passage struct {
	AStartByte int    `json:"a_start_byte"`
	AEndByte   int    `json:"a_end_byte"`
	BStartByte int    `json:"b_start_byte"`
	BEndByte   int    `json:"b_end_byte"`
	ALine      int    `json:"a_line,omitempty"` // the lines where they begin, from 1, where unit = 'code'; else 0
	BLine      int    `json:"b_line,omitempty"`
	Chars      int    `json:"chars"` // code points, as texts are read; of code, those of A
	A          string `json:"a"`     // the bytes themselves
	B          string `json:"b"`
}

// SentencePair is a sentence of one text and its nearest in the other.
type SentencePair struct {
	Passage
	Dist int `json:"dist"` // bits in which their fingerprints differ
}

// Match is one row of Similar.
type Match struct {
	Collection string  `json:"collection"`
	ID         string  `json:"id"`
	Sim        float64 `json:"sim"`
	Shared     uint64  `json:"shared"` // of Weighted the weights, in parts of WeightUnit
	Union      uint64  `json:"union"`
	Ignored    uint64  `json:"ignored,omitempty"` // shingles that Ignoring took out of the two texts
	Of         uint64  `json:"of"`                // Sim is Shared/Of: Union, or for containment and overlap the size of one side
	Unit       uint64  `json:"unit,omitempty"`    // Sim is Unit·Shared/Of where this is not 0: dice, and tversky with weights that are no whole numbers
	Dist       int     `json:"dist"`              // simhash only
	SI         int64   `json:"si"`                // si only: the index of the document
	Store      string  `json:"store,omitempty"`   // of several databases, the one that has the document

	meta *Meta // a pointer, so that rows go on to be comparable
}

// Ratio is Sim as an exact fraction.
func (m Match) Ratio() (num, den uint64) { return max(m.Unit, 1) * m.Shared, max(m.Of, 1) }

// SetMeta gives the row the metadata of its document. The engine calls it.
func (m *Match) SetMeta(meta *Meta) { m.meta = meta }

// Meta is the metadata of the document; nil if it has none, or the search does not ask.
func (m Match) Meta() Meta { return metaOf(m.meta) }

// ClusterMember is one row of Clusters: the groups largest first, then by
// Cluster; members by id.
type ClusterMember struct {
	Cluster    string `json:"cluster"` // smallest id of the group
	Collection string `json:"collection"`
	ID         string `json:"id"`
	Size       int    `json:"size"`

	meta *Meta // a pointer, so that rows go on to be comparable
}

// SetMeta gives the row the metadata of its document. The engine calls it.
func (m *ClusterMember) SetMeta(meta *Meta) { m.meta = meta }

// Meta is the metadata of the document; nil if it has none, or the search does not ask.
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

	metaA, metaB *Meta // pointers, so that rows go on to be comparable
}

// SetMeta gives the row the metadata of its documents. The engine calls it.
func (m *PairMatch) SetMeta(a, b *Meta) { m.metaA, m.metaB = a, b }

// Ratio is Sim as an exact fraction.
func (m PairMatch) Ratio() (num, den uint64) { return max(m.Unit, 1) * m.Shared, max(m.Of, 1) }

// MetaA is the metadata of A; nil if it has none, or the search does not ask.
func (m PairMatch) MetaA() Meta { return metaOf(m.metaA) }

// MetaB is the metadata of B.
func (m PairMatch) MetaB() Meta { return metaOf(m.metaB) }

func metaOf(m *Meta) Meta {
	if m == nil {
		return nil
	}
	return *m
}

// Keep is the order in which documents are kept: the first of a group always stays.
type Keep string

const (
	KeepFirst      Keep = "first"       // written longest ago, as it is; also ""
	KeepNewest     Keep = "newest"      // written last
	KeepLongest    Keep = "longest"     // with the most bytes of text, then the first
	KeepShortestID Keep = "shortest-id" // in bytes, then bytewise
)

// Duplicate is one row of Dedupe: a document of a group, and whether it stays. One that
// goes is similar to Like, which stays: of several such, the first in the order.
type Duplicate struct {
	Cluster        int     `json:"cluster"` // groups are numbered from 1, in the order of their first documents
	Collection     string  `json:"collection"`
	ID             string  `json:"id"`
	Keep           bool    `json:"keep"`
	Numbers        bool    `json:"numbers,omitempty"`         // it stays for this alone: it differs from one that stays in words with digits, and in nothing else
	LikeCollection string  `json:"like_collection,omitempty"` // the rest is of documents that go
	Like           string  `json:"like,omitempty"`
	Sim            float64 `json:"sim"`
	Shared         uint64  `json:"shared"`
	Union          uint64  `json:"union"`
	Ignored        uint64  `json:"ignored,omitempty"`
	Of             uint64  `json:"of"` // as in Match
	Unit           uint64  `json:"unit,omitempty"`
	Dist           int     `json:"dist"`              // simhash only
	Changed        bool    `json:"changed,omitempty"` // it was not deleted, because it or Like had changed by then
}

// Ratio is Sim as an exact fraction; 0/1 for a document that stays.
func (d Duplicate) Ratio() (num, den uint64) { return max(d.Unit, 1) * d.Shared, max(d.Of, 1) }

// DedupeOptions say which of similar documents stay, and what happens to the others.
type DedupeOptions struct {
	Keep   Keep // "" means KeepFirst
	Delete bool // the others are deleted; else they are only named
}
