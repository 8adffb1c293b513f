package engine

// When a collection gets a new order: it has grown, and its order is stale. All postings
// are made once more then (docs/decisions/0039).

import (
	"context"
	"time"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

const (
	// growth is by how much a collection grows before its order is looked at.
	growth = 8
	// orderSample is how many sets an order counts at most: measured elsewhere,
	// an order from 64 k of 1 M documents reads hardly more postings than one
	// from all.
	orderSample = 1 << 16
	// An order is tried with a quarter of the sets, of which every eighth is asked how
	// often it meets another one, and the others make the order that it is compared with.
	triedShare, askedShare = 4, 8
	// An order is made anew if searches read half as much again with it, and there
	// are so many meetings that this is no chance.
	fewMeetings = 128
)

// outgrown says that a collection has grown so much that its order should be looked at.
// db.mu is held.
func (c *collection) outgrown() bool {
	return c.postings.Order != nil && c.Sets >= growth*max(c.postings.Ordered, 1) && !time.Now().Before(c.unordered.again)
}

// reorder looks at the order of a collection, and makes it and all postings anew if it is
// stale. Where that fails it is tried again later; meanwhile postings go on to be made in
// the order that there is.
func (b *build) reorder(ctx context.Context) error {
	stale, err := b.stale(ctx, b.live(0, b.v.Table.Len()))
	if err == nil && stale {
		err = b.rebuild(ctx, b.v.Table.Len())
	} else if err == nil {
		b.new.Ordered = b.v.Sets
	}
	if err = b.end(err); ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		b.db.opts.Logger.Error("making a new order", "collection", b.c.Name, "error", err)
		b.db.noteFailed(err)
	}
	b.db.noteUnbuilt(&b.c.unordered, err)
	return b.db.disk.Poisoned()
}

// stale says whether searches would read much less in an order that is made now of the
// sets, rather than in the one in use. It reads some of them.
func (b *build) stale(ctx context.Context, all []uint32) (bool, error) {
	var asked []shingle.Set
	var counts *index.OrderBuilder
	room, i := b.m.MemoryBytes/16, 0
	err := b.eachOf(ctx, all, min(orderSample, len(all)/triedShare), func(members uint64) { counts = index.NewOrderBuilder(members) },
		func(s shingle.Set) {
			if i++; i%askedShare == 0 && int64(8*len(s)) <= room {
				asked, room = append(asked, s), room-int64(8*len(s))
				return
			}
			counts.Add(s)
		})
	if err != nil {
		return false, err
	}
	now, fresh := index.Meetings(b.old.Order, asked), index.Meetings(counts.Order(), asked)
	b.db.opts.Logger.Debug("the order of a collection was tried", "collection", b.c.Name, "sets", len(all), "asked", len(asked), "meetings", now, "fresh", fresh)
	return now > fresh+fresh/2+fewMeetings, nil
}
