package segment

// The manifest of a collection: which segments there are. It is the last thing written
// when postings change.

import (
	"encoding/json"
	"fmt"

	"github.com/simdb/simdb/engine/disk"
	"github.com/simdb/simdb/engine/fault"
	"github.com/simdb/simdb/engine/record"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
)

// manifest is the value under keys.Index, JSON. It is the last thing written
// when the postings change: what it does not name is not there.
type manifest struct {
	Order    uint32 `json:"order"`
	Ordered  int64  `json:"ordered"`
	Built    uint32 `json:"built"`
	Segments []Span `json:"segments"`
}

// Span is a segment as the manifest names it: its number, and its sets [Lo, Hi), of
// which so many were live.
type Span struct {
	Number uint32 `json:"number"`
	Lo     uint32 `json:"lo"`
	Hi     uint32 `json:"hi"`
	Sets   uint32 `json:"sets"`
}

// EncodeManifest returns the manifest.
func (p *Postings) EncodeManifest() ([]byte, error) {
	m := manifest{Order: p.OrderNumber, Ordered: p.Ordered, Built: p.Built}
	for _, s := range p.Segments {
		m.Segments = append(m.Segments, s.Span())
	}
	return json.Marshal(m)
}

// Span says how the manifest names the segment.
func (s *Segment) Span() Span { return Span{s.Number, s.Lo, s.Hi, s.Sets} }

// ReadPostings reads the manifest of a collection and opens its segments, which
// have numbers below next. The order is still missing.
func (d *Dir) ReadPostings(c *record.Schema, next uint32) (*Postings, error) {
	b, err := disk.Get(d.store.Pebble(), c.Key(keys.Index))
	if err != nil || b == nil {
		return &Postings{Words: NewWordCounts()}, err
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fault.Corrupt("manifest: %w", err)
	}
	p := &Postings{OrderNumber: m.Order, Ordered: m.Ordered, Built: m.Built, Words: NewWordCounts()}
	end := uint32(0)
	for _, ms := range m.Segments {
		if ms.Lo != end || ms.Hi <= ms.Lo || ms.Hi > m.Built || ms.Hi-ms.Lo > index.MaxSegmentSpan {
			return nil, fault.Corrupt("manifest: segment %d covers [%d,%d), want it to begin at %d", ms.Number, ms.Lo, ms.Hi, end)
		}
		end = ms.Hi
		s, err := d.Open(ms)
		if err != nil {
			return nil, fmt.Errorf("segment %d: %w", ms.Number, err)
		}
		for k, run := range s.Runs {
			if run == nil && c.Layout(nil).Keeps(index.Kind(k)) {
				return nil, fault.Corrupt("segment %d has no run %d", ms.Number, k)
			}
		}
		p.Segments = append(p.Segments, s)
	}
	if end != m.Built || m.Built > next {
		return nil, fault.Corrupt("manifest: segments end at %d, postings at %d, sets at %d", end, m.Built, next)
	}
	return p, nil
}
