package api

// Groups that are kept.

// Grouping says which documents of a collection are kept in groups, and how. The names in JSON are those of
// dumps.
type Grouping struct {
	Name       string    `json:"Name"` // of the grouping, in the whole store
	Collection string    `json:"Collection"`
	Measure    Measure   `json:"Measure"`       // jaccard, dice, overlap, multiset, repetition, simhash, or tversky with equal weights
	Args       Args      `json:"Args,omitzero"` // Alpha and Beta of tversky
	Min        Threshold `json:"Min"`           // two documents are similar from this on
	Stars      bool      `json:"Stars"`         // each is similar to the one that is kept of its group; else groups are what chains of similar documents connect
	Keep       Keep      `json:"Keep"`          // which document of a group is kept; "" means KeepFirst
}

// Method is what documents are compared by.
func (g Grouping) Method() Method { return Method{g.Measure, g.Args} }

// Group is a group of documents. Its number is never used again in its grouping.
type Group struct {
	Group  uint64 `json:"group"`
	Size   int    `json:"size"`
	Keeper string `json:"keeper"`
	From   uint64 `json:"from,omitempty"` // the group that it was a part of before; 0: none
}

// GroupMember is a document of a group, and how similar it is to the one that is kept.
type GroupMember struct {
	Group  uint64 `json:"group"`
	Keeper string `json:"keeper"`
	Match         // of the document
}

// GroupsQuery says which groups are wanted.
type GroupsQuery struct {
	MinSize int  // documents that a group has at least; 0 means 1
	BySize  bool // the largest first; else by number
	Limit   int  // 0 means all
}

// GroupEventKind says what became of a group or of a document in it.
type GroupEventKind string

const (
	GroupJoin  GroupEventKind = "join"  // the document ID is in Group from now on
	GroupLeave GroupEventKind = "leave" // the document ID, which was in Group, is in no group
	GroupMerge GroupEventKind = "merge" // all that is in Group is in Other from now on
	GroupSplit GroupEventKind = "split" // Other is a part of what was in Group: joins tell of its documents
)

// GroupEvent is a change of a grouping. Those of one commit come in an order in which a
// consumer can apply them: merges, splits, then documents.
type GroupEvent struct {
	Grouping string         `json:"grouping"`
	Event    GroupEventKind `json:"event"`
	ID       string         `json:"id"` // join, leave
	Group    uint64         `json:"group"`
	Other    uint64         `json:"other,omitempty"` // merge, split
}
