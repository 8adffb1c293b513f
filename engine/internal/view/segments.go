package view

// Segments of a view, as readers bound to a context.

import (
	"context"

	"github.com/simdb/simdb/index"
)

// LookFrom returns the segments with sets ≥ from, for look-ups by a call with this context.
func (m *Snapshot) LookFrom(ctx context.Context, v *View, from uint32) (out []index.Stored) {
	for _, seg := range v.Postings.Segments {
		if seg.Hi > from {
			out = append(out, seg.LookUp(func() error { return m.Interrupted(ctx) }))
		}
	}
	return out
}

// ReadThrough returns the segments of a collection for one sequential pass.
func (m *Snapshot) ReadThrough(ctx context.Context, v *View) (out []index.Stored) {
	for _, seg := range v.Postings.Segments {
		out = append(out, seg.ReadThrough(len(v.Postings.Segments), func() error { return m.Interrupted(ctx) }))
	}
	return out
}
