package view

// Input of postings, and segments built from it.

import (
	"context"
	"errors"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
)

// posted reads the input of a set's postings.
func (r *Reader) posted(set uint32) (p record.Posted, err error) {
	if p.Bag, err = r.Once(set); err != nil {
		return p, err
	}
	k := &r.View.Kept
	if !k.Texts() {
		return p, nil
	}
	p.Features = &record.Features{}
	for _, in := range record.KeySpaces {
		if k.Has(in) && !in.Ordered() {
			if err := r.feature(in, set, p.Features); err != nil {
				return p, err
			}
		}
	}
	if k.Rereads() {
		doc, err := r.Text(set)
		if err != nil {
			return p, err
		}
		k.Reread(doc, p.Features)
	}
	return p, nil
}

// BuildSegment builds a segment of the given sets, which lie in [lo,hi). If the postings exceed
// memory, in bytes, the segment ends below hi: after the last slab of the table that certainly
// fits, if possible.
func (m *Snapshot) BuildSegment(ctx context.Context, v *View, l index.Layout, lo, hi uint32, sets []uint32, memory int64, emit index.Emit) (*index.Segment, error) {
	posts, full := index.NewBuilder(l, lo), errors.New("memory is full")
	slab, before := lo/index.SlabSets, int64(0) // current slab, and bytes before it
	err := EachSet(ctx, m, v, sets, (*Reader).posted, func(set uint32, p record.Posted) error {
		if at := set / index.SlabSets; at > slab {
			bytes := int64(posts.Bytes())
			// The next slab may take as much as this one did.
			if 2*bytes-before > memory {
				hi = at * index.SlabSets
				return full
			}
			slab, before = at, bytes
		}
		posts.Add(set, p.Bag, v.Table.SimHash(set))
		v.Kept.Postings(p.Features, posts.Post)
		if int64(posts.Bytes()) > memory {
			hi = set + 1
			return full
		}
		return nil
	})
	if err != nil && !errors.Is(err, full) {
		return nil, err
	}
	return posts.Finish(hi, emit)
}
