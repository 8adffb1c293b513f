// Package groups keeps documents in groups. What a commit does to the documents of a
// collection comes in, and which stored sets the new ones are similar to; the keys that
// change and the events go out (docs/decisions/0070). The package reads one moment of the
// store. It knows no texts, no commits and no log.
//
// Sets that chains of similar sets connect are a component, which has a label: a set number
// that no other component has. In a grouping of connected documents a component is a group,
// known by the label. In one of stars a component has a group for each set that is kept, and
// it is known by the number of that set.
//
//	GroupDoc   set, rank, id   –, of the documents of a set in the order of keep
//	GroupOf    set             label, set that is kept: varints; absent of a set that is a component by itself
//	GroupSet   label           how many sets the component has: varint; absent if one
//	GroupSet   label, set      –, of a component of several sets; between both the set that is kept, if of stars
//	Group      label or set    number of the group, its documents, the group that it came from: varints; rank and id of the document that is kept
//	GroupID    number u64      which it is: label or set u32; or the number u64 of the group that it went into
//	Alike      set             similar sets that were there when it began: a roaring bitmap
//	Grouping   –               the definition, JSON, and the next number of a group
//
// All keys begin with the number of the collection and that of the key space of the grouping.
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

// Grouping is a grouping of a store.
type Grouping struct {
	api.Grouping
	Of     uint32 // number of the collection
	Number uint32 // in the collection, as the log names it
	Space  uint32 // of its keys: the same, until the groups are made anew
	Built  uint64 // log record of the moment that it was built of
	Next   uint64 // number of the next group; the commit mutex guards it
}

// stored is a grouping as the store and the log have it.
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

// Encode is what the store keeps of a grouping.
func (g *Grouping) Encode() ([]byte, error) {
	return json.Marshal(stored{g.Name, g.Number, g.Space, g.Measure, g.Args.Alpha, g.Args.Beta, g.Min, g.Stars, g.Keep, g.Built, g.Next})
}

// Decode reads what the store or the log has of a grouping of a collection.
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

// Check refuses a grouping that cannot be kept.
func Check(g api.Grouping) error {
	if err := record.CheckCollectionName(g.Name); err != nil {
		return fault.Invalid("groups: a name has the form of a collection's: %w", err)
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

// CheckKeep refuses what is no order of documents; "" is that of api.KeepFirst.
func CheckKeep(keep api.Keep) error {
	switch keep {
	case api.KeepFirst, api.KeepNewest, api.KeepLongest, api.KeepShortestID, "":
		return nil
	}
	return fault.Invalid("keep %q: want first, newest, longest or shortest-id", keep)
}

// Key is a key of the grouping in a key space.
func (g *Grouping) Key(s keys.Space, numbers ...uint32) []byte {
	return append(keys.Of(s, g.Of, g.Space), keys.Of(s, numbers...)[1:]...)
}

func (g *Grouping) idKey(number uint64) []byte {
	return binary.BigEndian.AppendUint64(g.Key(keys.GroupID), number)
}

// Doc is a document as its order sees it.
type Doc struct {
	ID      string
	Bytes   int64
	Written record.Written
}

// suffix is what the key of a document has behind the number of its set.
func (g *Grouping) suffix(d Doc) []byte {
	return AppendPlace(make([]byte, 0, 24+len(d.ID)), g.Keep, d)
}

// AppendPlace appends the place of a document in the order of keep, which is that of the bytes.
// Its id comes last.
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

// RankBytes is how much of such a place comes before the id.
func RankBytes(keep api.Keep) int {
	switch keep {
	case api.KeepShortestID:
		return 4
	case api.KeepLongest:
		return 20
	}
	return 12
}

// docKey is the key of a document of a set.
func (g *Grouping) docKey(set uint32, suffix []byte) []byte {
	return append(g.Key(keys.GroupDoc, set), suffix...)
}
