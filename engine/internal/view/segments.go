package view

// The segments of a view, for those who read them while a call lasts.

import (
	"context"

	"github.com/simdb/simdb/index"
)

// LookFrom is the segments with sets numbered from or above, to look things up in,
// for a call that ends with its context.
func (m *Snapshot) LookFrom(ctx context.Context, v *View, from uint32) (out []index.Stored) {
	for _, seg := range v.Postings.Segments {
		if seg.Hi > from {
			out = append(out, seg.LookUp(func() error { return m.Interrupted(ctx) }))
		}
	}
	return out
}

// ReadThrough is the segments of a collection to go through once.
func (m *Snapshot) ReadThrough(ctx context.Context, v *View) (out []index.Stored) {
	for _, seg := range v.Postings.Segments {
		out = append(out, seg.ReadThrough(len(v.Postings.Segments), func() error { return m.Interrupted(ctx) }))
	}
	return out
}
