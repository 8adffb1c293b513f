package groups

// The log's additions to a commit: the similar sets of new sets, which a replay cannot compute
// again, and the events for readers of the log.

import (
	"encoding/binary"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
)

// Alike maps a new set of a grouping to its similar sets.
type Alike map[AlikeKey]*roaring.Bitmap

// AlikeKey identifies a set in a grouping of its collection.
type AlikeKey struct{ Grouping, Set uint32 }

// EncodeAlike appends the encoding of the similar sets of k.
func EncodeAlike(dst []byte, k AlikeKey, sets *roaring.Bitmap) ([]byte, error) {
	b, err := sets.ToBytes()
	if err != nil {
		return nil, err
	}
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(k.Grouping)), uint64(k.Set))
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...), nil
}

// Decode adds the similar sets encoded in b. ErrCorrupt if b does not decode.
func (a Alike) Decode(b []byte) error {
	d := record.Decoder{B: b}
	for len(d.B) > 0 && d.Err == nil {
		k := AlikeKey{uint32(d.Uvarint()), uint32(d.Uvarint())}
		sets, err := decodeSets(d.Blob())
		if err != nil {
			return err
		}
		a[k] = sets
	}
	if d.Err != nil {
		return fault.Corrupt("similar sets: %w", d.Err)
	}
	return nil
}

// eventKinds is the encoding of event kinds: the index is the byte in the log, so entries must
// not move.
var eventKinds = []api.GroupEventKind{api.GroupJoin, api.GroupLeave, api.GroupMerge, api.GroupSplit}

// EncodeEvents encodes the events of one grouping for the log; nil if there are none.
func EncodeEvents(events []api.GroupEvent) (b []byte) {
	for _, e := range events {
		for i, kind := range eventKinds {
			if kind == e.Event {
				b = append(b, byte(i))
			}
		}
		b = binary.AppendUvarint(b, e.Group)
		b = binary.AppendUvarint(b, e.Other)
		b = append(binary.AppendUvarint(b, uint64(len(e.ID))), e.ID...)
	}
	return b
}

// DecodeEvents decodes the events of a grouping. ErrCorrupt if b does not decode.
func DecodeEvents(grouping string, b []byte) (events []api.GroupEvent, err error) {
	d := record.Decoder{B: b}
	for len(d.B) > 0 && d.Err == nil {
		kind := int(d.Bytes(1)[0])
		e := api.GroupEvent{Grouping: grouping, Group: d.Uvarint(), Other: d.Uvarint(), ID: string(d.Blob())}
		if kind >= len(eventKinds) {
			return nil, fault.Corrupt("events of grouping %q: unknown event %d", grouping, kind)
		}
		e.Event = eventKinds[kind]
		events = append(events, e)
	}
	if d.Err != nil {
		return nil, fault.Corrupt("events of grouping %q: %w", grouping, d.Err)
	}
	return events, nil
}
