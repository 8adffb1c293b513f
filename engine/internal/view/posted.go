package view

// What the postings of sets are made of, and a segment made of them.

import (
	"context"
	"errors"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
)

// posted reads what the postings of a set are made of.
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

// BuildSegment makes one segment of the sets named, which lie in [lo,hi). It
// reaches less far than hi when its postings take more than so much memory: to the end of a
// slab of the table, if the next slab might have no room.
func (m *Snapshot) BuildSegment(ctx context.Context, v *View, l index.Layout, lo, hi uint32, sets []uint32, memory int64, emit index.Emit) (*index.Segment, error) {
	posts, full := index.NewBuilder(l, lo), errors.New("memory is full")
	slab, before := lo/index.SlabSets, int64(0) // at hand, and the bytes of those before it
	err := EachSet(ctx, m, v, sets, (*Reader).posted, func(set uint32, p record.Posted) error {
		if at := set / index.SlabSets; at > slab {
			bytes := int64(posts.Bytes())
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
