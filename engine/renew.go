package engine

// How a collection gets a new order while it is written to. The builder goes on in the
// order that is in use, and so do searches; beside it all postings are made once more
// in the new order, and take the place of the others at once (docs/decisions/0039).

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/simdb/simdb/engine/internal/segment"
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
	// renewedRounds is how often in a row a renewal may find more left to do than
	// before, because writers are faster. Then the builder waits for it.
	renewedRounds = 8
)

// renewing is what is known of the renewal of a collection's order. The commit mutex
// guards it.
type renewing struct {
	running bool
	unbuilt // how it failed
}

// outgrown says that a collection has grown so much that its order may be stale. db.mu
// is held.
func (c *collection) outgrown() bool {
	return c.postings.Order != nil && c.Sets >= growth*c.postings.Ordered
}

// renews says whether a renewal of the order is under way, or should begin. db.mu is
// held.
func (c *collection) renews() bool {
	return c.renewing.running || c.outgrown() && !time.Now().Before(c.renewing.again)
}

// beginRenewal looks at the order of a collection in a goroutine of its own, unless one
// does. db.mu is held.
func (db *DB) beginRenewal(c *collection) {
	if c.renewing.running || !c.renews() {
		return
	}
	c.renewing.running = true
	r := newRenewal(db, c)
	db.builder.renewals.Go(func() {
		err := r.run(db.shared.Closing)
		if db.shared.Closing.Err() == nil && err != nil {
			db.opts.Logger.Error("making a new order", "collection", c.Name, "error", err)
			db.noteFailed(err)
		}
		db.mu.Lock()
		c.renewing.running = false
		pause := c.renewing.note(err)
		db.mu.Unlock()
		if pause > 0 {
			time.AfterFunc(pause, db.wakeBuilder)
		}
		db.wakeBuilder()
		db.disk.Advance()
	})
}

// renewal is one look at the order of a collection, and the postings in a new one.
type renewal struct {
	db      *DB
	c       *collection
	was     uint32           // number of the order in use
	new     segment.Postings // in the new order, as far as they have come
	written []uint32
	under   map[uint32]index.View
}

func newRenewal(db *DB, c *collection) *renewal {
	return &renewal{db: db, c: c, was: c.postings.OrderNumber, under: map[uint32]index.View{}}
}

// errOtherOrder ends a renewal whose collection has a new order, or is dropped.
var errOtherOrder = errors.New("the order was made anew by another")

// run makes a new order and all postings in it, if that is worth it.
func (r *renewal) run(ctx context.Context) error {
	stale, err := r.begin(ctx)
	if err == nil && stale {
		err = r.catchUp(ctx)
	}
	if err == nil {
		err = r.finish(ctx, stale)
	}
	if err != nil {
		r.forget()
	}
	if errors.Is(err, errOtherOrder) {
		return nil
	}
	return err
}

// begin looks whether the order is stale, and makes a new one then.
func (r *renewal) begin(ctx context.Context) (stale bool, err error) {
	err = r.step(func(b *build) (err error) {
		all := b.live(0, b.v.Table.Len())
		if stale, err = b.stale(ctx, all); stale && err == nil {
			err = b.renew(ctx, all)
		}
		return err
	})
	return stale, err
}

// catchUp makes segments in the new order until there are nearly as many sets in them
// as in those of the old one.
func (r *renewal) catchUp(ctx context.Context) error {
	last := uint32(math.MaxUint32)
	for more := renewedRounds; more > 0; {
		left := uint32(0)
		err := r.step(func(b *build) error {
			if left = b.old.Built - b.new.Built; left == 0 {
				return nil
			}
			return b.extend(ctx, b.old.Built)
		})
		if err != nil || left <= loadCut*r.c.Cut(r.db.opts.SegmentSets) {
			return err
		}
		if left >= last {
			more--
		}
		last = left
	}
	return nil
}

// finish puts the postings of the new order in the place of the others, or notes that
// the old order is good. The builder waits meanwhile.
func (r *renewal) finish(ctx context.Context, stale bool) error {
	if err := r.db.builder.building.Acquire(ctx, 1); err != nil {
		return err
	}
	defer r.db.builder.building.Release(1)
	return r.step(func(b *build) error {
		if !stale {
			b.new = *b.old
			b.new.Ordered = b.v.Sets
		}
		for b.new.Built < b.old.Built {
			if err := b.extend(ctx, b.old.Built); err != nil {
				return err
			}
		}
		return b.end(nil)
	})
}

// step goes on from a snapshot of its own, so that none is kept for long.
func (r *renewal) step(do func(*build) error) error {
	s := r.db.snapshot()
	defer s.close()
	i := slices.Index(s.collections, r.c)
	if i < 0 || s.moment.Views[i].Postings.OrderNumber != r.was {
		return errOtherOrder
	}
	b := newBuild(r.db, s, i)
	b.new, b.written, b.under, b.memory = r.new, r.written, r.under, r.db.opts.MemoryBytes/8
	err := do(b)
	r.new, r.written = b.new, b.written
	return err
}

// forget lets the files go that no manifest will name.
func (r *renewal) forget() {
	r.db.mu.Lock()
	defer r.db.mu.Unlock()
	for _, number := range r.written {
		r.db.files.Drop(number)
	}
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
