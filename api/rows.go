package api

// The rows of answers about similarity.

// Comparison is one row of Compare.
type Comparison struct {
	Method
	Sim     float64
	Shared  uint64
	Union   uint64
	Of      uint64 // as in Match
	Ignored uint64 // shingles that Ignoring took out of the two texts
	Dist    int    // simhash only
	None    bool   // the measure has no value for these texts: they are too short for it
}

// Passage is a piece that two texts have in common: bytes [AStartByte, AEndByte) of the
// first and [BStartByte, BEndByte) of the second.
type Passage struct {
	AStartByte, AEndByte int
	BStartByte, BEndByte int
	ALine, BLine         int    // the lines where they begin, from 1, where unit = 'code'; else 0
	Chars                int    // code points, as texts are read; of code, those of A
	A, B                 string // the bytes themselves
}

// SentencePair is a sentence of one text and its nearest in the other.
type SentencePair struct {
	Passage
	Dist int // bits in which their fingerprints differ
}

// Match is one row of Similar.
type Match struct {
	Collection, ID string
	Sim            float64
	Shared, Union  uint64 // of Weighted the weights, in parts of WeightUnit
	Ignored        uint64 // shingles that Ignoring took out of the two texts
	Of             uint64 // Sim is Shared/Of: Union, or for containment the size of one side
	Unit           uint64 // Sim is Unit·Shared/Of where this is not 0: tversky with weights that are no whole numbers
	Dist           int    // simhash only
	SI             int64  // si only: the index of the document
	Store          string // of several databases, the one that has the document

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
	Cluster    string // smallest id of the group
	Collection string
	ID         string
	Size       int

	meta *Meta // a pointer, so that rows go on to be comparable
}

// SetMeta gives the row the metadata of its document. The engine calls it.
func (m *ClusterMember) SetMeta(meta *Meta) { m.meta = meta }

// Meta is the metadata of the document; nil if it has none, or the search does not ask.
func (m ClusterMember) Meta() Meta { return metaOf(m.meta) }

// PairMatch is one row of Pairs: A < B bytewise, or A from In and B from Against.
type PairMatch struct {
	CollectionA, A string
	CollectionB, B string
	Sim            float64
	Shared, Union  uint64
	Ignored        uint64
	Of, Unit       uint64 // as in Match
	Dist           int    // simhash only

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
	Cluster        int // groups are numbered from 1, in the order of their first documents
	Collection, ID string
	Keep           bool
	Numbers        bool   // it stays for this alone: it differs from one that stays in words with digits, and in nothing else
	LikeCollection string // the rest is of documents that go
	Like           string
	Sim            float64
	Shared, Union  uint64
	Ignored        uint64
	Of, Unit       uint64 // as in Match
	Dist           int    // simhash only
	Changed        bool   // it was not deleted, because it or Like had changed by then
}

// Ratio is Sim as an exact fraction; 0/1 for a document that stays.
func (d Duplicate) Ratio() (num, den uint64) { return max(d.Unit, 1) * d.Shared, max(d.Of, 1) }

// DedupeOptions say which of similar documents stay, and what happens to the others.
type DedupeOptions struct {
	Keep   Keep // "" means KeepFirst
	Delete bool // the others are deleted; else they are only named
}
