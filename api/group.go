package api

// Groupings: groups of similar documents that every write keeps up to date.

// Grouping defines the groups of a collection's documents. The names in JSON are part of the format
// of dumps.
type Grouping struct {
	Name       string    `json:"Name"` // unique in the store
	Collection string    `json:"Collection"`
	Measure    Measure   `json:"Measure"`       // jaccard, dice, overlap, multiset, repetition, simhash, or tversky with equal weights
	Args       Args      `json:"Args,omitzero"` // Alpha and Beta of tversky
	Min        Threshold `json:"Min"`           // threshold of similar documents
	Stars      bool      `json:"Stars"`         // every document is similar to the kept document of its group; otherwise groups are the connected components of similar documents
	Keep       Keep      `json:"Keep"`          // order that selects the kept document of a group; "" means KeepFirst
}

// Method returns the measure with its arguments.
func (g Grouping) Method() Method { return Method{g.Measure, g.Args} }

// Group is a group of documents. A grouping never reuses the number of a group.
type Group struct {
	Group  uint64 `json:"group"`
	Size   int    `json:"size"`
	Keeper string `json:"keeper"`
	From   uint64 `json:"from,omitempty"` // the group from which it was split; 0 means none
}

// GroupMember is a document of a group, with its similarity to the kept document.
type GroupMember struct {
	Group  uint64 `json:"group"`
	Keeper string `json:"keeper"`
	Match         // of the document
}

// GroupsQuery selects and orders groups.
type GroupsQuery struct {
	MinSize int  // minimum number of documents of a group; 0 means 1
	BySize  bool // the largest first; otherwise by number
	Limit   int  // 0 means all
}

// GroupEventKind is the kind of a change of a group.
type GroupEventKind string

const (
	GroupJoin  GroupEventKind = "join"  // the document ID entered Group
	GroupLeave GroupEventKind = "leave" // the document ID left Group and is in no group
	GroupMerge GroupEventKind = "merge" // all documents of Group moved to Other
	GroupSplit GroupEventKind = "split" // Other is a new group from a part of Group; joins list its documents
)

// GroupEvent is a change of a grouping. The events of one commit are in an order in which a
// consumer can apply them: merges, splits, then joins and leaves.
type GroupEvent struct {
	Grouping string         `json:"grouping"`
	Event    GroupEventKind `json:"event"`
	ID       string         `json:"id"` // join, leave
	Group    uint64         `json:"group"`
	Other    uint64         `json:"other,omitempty"` // merge, split
}
