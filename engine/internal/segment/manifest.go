package segment

// The manifest of a collection: its list of segments.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

// manifest is the value under keys.Index, as JSON. It is written last when the postings change,
// and segments that it does not name do not exist.
type manifest struct {
	Order    uint32 `json:"order"`
	Ordered  int64  `json:"ordered"`
	Built    uint32 `json:"built"`
	Segments []Span `json:"segments"`
}

// Span is a segment in the manifest: its number, and its sets [Lo, Hi), of which Sets were live.
type Span struct {
	Number uint32 `json:"number"`
	Lo     uint32 `json:"lo"`
	Hi     uint32 `json:"hi"`
	Sets   uint32 `json:"sets"`
}

// EncodeManifest returns the manifest of these postings.
func (p *Postings) EncodeManifest() ([]byte, error) {
	m := manifest{Order: p.OrderNumber, Ordered: p.Ordered, Built: p.Built}
	for _, s := range p.Segments {
		m.Segments = append(m.Segments, s.Span())
	}
	return json.Marshal(m)
}

// Span returns the manifest entry of the segment.
func (s *Segment) Span() Span { return Span{s.Number, s.Lo, s.Hi, s.Sets} }

// ReadPostings reads the manifest of a collection and opens its segments. All set numbers must
// be below next. The caller adds the order. If segments are missing or damaged, it returns empty
// postings and the reason in damaged; err is for a manifest that contradicts next, or a disk
// that cannot be read.
func (d *Dir) ReadPostings(c *record.Schema, next uint32) (p *Postings, damaged, err error) {
	b, err := disk.Get(d.store.Pebble(), c.Key(keys.Index))
	if err != nil || b == nil {
		return NoPostings(), nil, err
	}
	m, err := decodeManifest(b)
	if m.Built > next { // the manifest proves that these sets existed
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
	return nil, nil, err // a read failure, not damage
}

// decodeManifest decodes a manifest. ErrCorrupt if it does not decode or its segments are not
// adjacent.
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

// NoPostings returns the index of a collection with all sets in the tail.
func NoPostings() *Postings { return &Postings{Words: NewWordCounts()} }

// openSegments opens the segments of a manifest, which must have every run of the collection's
// layout.
func (d *Dir) openSegments(p *Postings, c *record.Schema, m manifest) error {
	segments, errs := make([]*Segment, len(m.Segments)), make([]error, len(m.Segments))
	var g errgroup.Group
	g.SetLimit(host.Workers())
	for i, ms := range m.Segments {
		g.Go(func() error {
			s, err := d.Open(ms)
			if err != nil {
				errs[i] = fmt.Errorf("segment %d: %w", ms.Number, err)
				return nil
			}
			segments[i] = s
			for k, run := range s.Runs {
				if run == nil && c.Layout(nil).Keeps(index.Kind(k)) {
					errs[i] = fault.Corrupt("segment %d has no run %d", ms.Number, k)
				}
			}
			return nil
		})
	}
	g.Wait()
	p.Segments = slices.DeleteFunc(segments, func(s *Segment) bool { return s == nil })
	return cmp.Or(errs...) // the first by number, whichever was met first
}

// Close closes the files of the segments.
func (p *Postings) Close() error {
	var errs []error
	for _, s := range p.Segments {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// Forget deletes, in a batch, the stored postings of a collection except its orders.
func Forget(b *pebble.Batch, c *record.Schema) error {
	return errors.Join(b.Delete(c.Key(keys.Index), nil), disk.DeleteUnder(b, c.Key(keys.Ended)))
}
