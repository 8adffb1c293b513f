package segment

// The manifest of a collection: which segments there are. It is the last thing written
// when postings change.

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
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
// have numbers below next. The order is still missing. damaged says why segments that
// the manifest names cannot be used; there are no postings then.
func (d *Dir) ReadPostings(c *record.Schema, next uint32) (p *Postings, damaged, err error) {
	b, err := disk.Get(d.store.Pebble(), c.Key(keys.Index))
	if err != nil || b == nil {
		return NoPostings(), nil, err
	}
	m, err := decodeManifest(b)
	if m.Built > next { // these sets were there
		return nil, nil, fault.Corrupt("manifest: postings end at %d, sets at %d", m.Built, next)
	}
	if err != nil {
		return NoPostings(), err, nil
	}
	p = &Postings{OrderNumber: m.Order, Ordered: m.Ordered, Built: m.Built, Words: NewWordCounts()}
	err = d.openSegments(p, c, m)
	if err == nil {
		return p, nil, nil
	}
	err = errors.Join(err, p.Close())
	if errors.Is(err, api.ErrCorrupt) {
		return NoPostings(), err, nil
	}
	return nil, nil, err // of a disk that cannot be read now
}

// decodeManifest reads a manifest, whose segments follow one another. ErrCorrupt if it does
// not decode.
func decodeManifest(b []byte) (m manifest, err error) {
	if err := json.Unmarshal(b, &m); err != nil {
		return manifest{}, fault.Corrupt("manifest: %w", err)
	}
	end := uint32(0)
	for _, s := range m.Segments {
		if s.Lo != end || s.Hi <= s.Lo || s.Hi > m.Built || s.Hi-s.Lo > index.MaxSegmentSpan {
			return m, fault.Corrupt("manifest: segment %d covers [%d,%d), want it to begin at %d", s.Number, s.Lo, s.Hi, end)
		}
		end = s.Hi
	}
	if end != m.Built {
		return m, fault.Corrupt("manifest: segments end at %d, postings at %d", end, m.Built)
	}
	return m, nil
}

// NoPostings is the index of a collection whose sets are all in the tail.
func NoPostings() *Postings { return &Postings{Words: NewWordCounts()} }

func (d *Dir) openSegments(p *Postings, c *record.Schema, m manifest) error {
	for _, ms := range m.Segments {
		s, err := d.Open(ms)
		if err != nil {
			return fmt.Errorf("segment %d: %w", ms.Number, err)
		}
		p.Segments = append(p.Segments, s)
		for k, run := range s.Runs {
			if run == nil && c.Layout(nil).Keeps(index.Kind(k)) {
				return fault.Corrupt("segment %d has no run %d", ms.Number, k)
			}
		}
	}
	return nil
}

// Close lets the files of the segments go.
func (p *Postings) Close() error {
	var errs []error
	for _, s := range p.Segments {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// Forget deletes, in a batch, what is stored of a collection's postings but its orders.
func Forget(b *pebble.Batch, c *record.Schema) error {
	return errors.Join(b.Delete(c.Key(keys.Index), nil), disk.DeleteUnder(b, c.Key(keys.Ended)))
}
