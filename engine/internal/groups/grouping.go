// Package groups maintains groups of similar documents. Its input is the changes of a commit and
// the stored sets that each new set is similar to; its output is the changed keys and the events
// (docs/decisions/0070). The result depends only on the state before and the commit, so replicas
// and replays agree. The package reads one snapshot of the store and writes nothing.
//
// A component is a maximal collection of sets connected by chains of similar sets. Its label is
// a set number that no other component has. With connected grouping a component is a group,
// keyed by the label. With star grouping a component has one group per kept set, keyed by the
// number of that set.
//
//	GroupDoc   set, rank, id   –, the documents of a set in the order of keep
//	GroupOf    set             label, kept set: varints; absent for a component of one set
//	GroupSet   label           number of sets in the component: varint; absent if one
//	GroupSet   label, set      –, in a component of several sets; the key with stars: label, kept set, set
//	Group      label or set    number of the group, number of documents, origin group: varints; rank and id of the kept document
//	GroupID    number u64      key of the group, label or set u32; or the number u64 of the group that it merged into
//	Alike      set             similar sets present when the set began: a roaring bitmap
//	Grouping   –               the definition, JSON, with the next group number
//
// All keys begin with the number of the collection and the key space of the grouping. Begin
// reading with State.Settle in commit.go.
package groups

import (
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Grouping is a stored grouping of a collection.
type Grouping struct {
	api.Grouping
	Of     uint32 // number of the collection
	Number uint32 // in the collection, as in the log
	Space  uint32 // number of its key space: Number, until a rebuild
	Built  uint64 // log record of the snapshot that it was built from
	Next   uint64 // next group number; the commit mutex guards it
}

// stored is the encoding of a grouping in the store and the log.
type stored struct {
	Name    string        `json:"name"`
	Number  uint32        `json:"number"`
	Space   uint32        `json:"space"`
	Measure api.Measure   `json:"measure"`
	Alpha   api.Weight    `json:"alpha,omitzero"`
	Beta    api.Weight    `json:"beta,omitzero"`
	Min     api.Threshold `json:"min"`
	Stars   bool          `json:"stars,omitempty"`
	Keep    api.Keep      `json:"keep"`
	Built   uint64        `json:"built"`
	Next    uint64        `json:"next"`
}

// Encode returns the stored form of a grouping.
func (g *Grouping) Encode() ([]byte, error) {
	return json.Marshal(stored{g.Name, g.Number, g.Space, g.Measure, g.Args.Alpha, g.Args.Beta, g.Min, g.Stars, g.Keep, g.Built, g.Next})
}

// Decode decodes a grouping of a collection. ErrCorrupt if it does not decode or is invalid.
func Decode(c *record.Schema, b []byte) (*Grouping, error) {
	var s stored
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fault.Corrupt("a grouping of collection %q: %w", c.Name, err)
	}
	g := &Grouping{
		Grouping: api.Grouping{Name: s.Name, Collection: c.Name, Measure: s.Measure, Args: api.Args{Alpha: s.Alpha, Beta: s.Beta}, Min: s.Min, Stars: s.Stars, Keep: s.Keep},
		Of:       c.Number, Number: s.Number, Space: s.Space, Built: s.Built, Next: s.Next,
	}
	if err := Check(g.Grouping); err != nil {
		return nil, fault.Corrupt("grouping %q: %w", s.Name, err)
	}
	return g, nil
}

// Check returns ErrInvalid for a grouping that cannot be maintained: one with a bad name, a
// measure that is asymmetric or needs texts, a k, or a threshold outside of (0, 1].
func Check(g api.Grouping) error {
	if err := record.CheckCollectionName(g.Name); err != nil {
		return fault.Invalid("groups: a name follows the rules for collection names: %w", err)
	}
	if m := g.Measure; !m.Valid() || m.OfTexts() || m.Weighs() {
		return fault.Invalid("groups by %s: want jaccard, dice, overlap, multiset, repetition, simhash, or tversky with equal weights", g.Measure)
	}
	if err := g.Measure.Check(g.Args); err != nil {
		return fault.Invalid("groups: %w", err)
	}
	none := api.Threshold{}
	switch {
	case !g.Method().Symmetric():
		return fault.Invalid("groups by %s: it is not symmetric, so which of two is similar to the other is not defined", g.Measure.Describe(g.Args))
	case g.Args.K != 0:
		return fault.Invalid("groups are by the shingles of the collection: leave k out")
	case g.Min == none || g.Min.Cmp(api.Ratio(1, 1)) > 0:
		return fault.Invalid("groups: want a threshold above 0 and at most 1")
	}
	return CheckKeep(g.Keep)
}

// CheckKeep returns ErrInvalid for an unknown order of documents. "" means api.KeepFirst.
func CheckKeep(keep api.Keep) error {
	switch keep {
	case api.KeepFirst, api.KeepNewest, api.KeepLongest, api.KeepShortestID, "":
		return nil
	}
	return fault.Invalid("keep %q: want first, newest, longest or shortest-id", keep)
}

// Key returns a key of the grouping in a key space.
func (g *Grouping) Key(s keys.Space, numbers ...uint32) []byte {
	return append(keys.Of(s, g.Of, g.Space), keys.Of(s, numbers...)[1:]...)
}

// idKey returns the key of a group number.
func (g *Grouping) idKey(number uint64) []byte {
	return binary.BigEndian.AppendUint64(g.Key(keys.GroupID), number)
}

// Doc holds the attributes of a document that determine its order.
type Doc struct {
	ID      string
	Bytes   int64
	Written record.Written
}

// suffix returns the part of a document's key after its set number.
func (g *Grouping) suffix(d Doc) []byte {
	return AppendPlace(make([]byte, 0, 24+len(d.ID)), g.Keep, d)
}

// AppendPlace appends the position of a document in the order of keep. The byte order of
// positions is that order, and the id comes last.
func AppendPlace(b []byte, keep api.Keep, d Doc) []byte {
	switch keep {
	case api.KeepNewest:
		b = binary.BigEndian.AppendUint64(b, math.MaxUint64-d.Written.Record)
		b = binary.BigEndian.AppendUint32(b, math.MaxUint32-d.Written.Place)
	case api.KeepShortestID:
		b = binary.BigEndian.AppendUint32(b, uint32(len(d.ID)))
	case api.KeepLongest:
		b = binary.BigEndian.AppendUint64(b, math.MaxUint64-uint64(d.Bytes))
		fallthrough
	default:
		b = binary.BigEndian.AppendUint64(b, d.Written.Record)
		b = binary.BigEndian.AppendUint32(b, d.Written.Place)
	}
	return append(b, d.ID...)
}

// RankBytes returns the length of a position without the id.
func RankBytes(keep api.Keep) int {
	switch keep {
	case api.KeepShortestID:
		return 4
	case api.KeepLongest:
		return 20
	}
	return 12
}

// docKey returns the key of a document of a set.
func (g *Grouping) docKey(set uint32, suffix []byte) []byte {
	return append(g.Key(keys.GroupDoc, set), suffix...)
}
