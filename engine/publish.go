package engine

// How new postings come to count, and how the files of old ones go. The manifest is
// written last: what it does not name is not there (docs/decisions/0022).

import (
	"context"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/internal/keys"
)

// end publishes what was built. What it wrote besides can go: all of it on an
// error. That the collection was dropped meanwhile is no error.
func (b *build) end(err error) error {
	if err == nil {
		err = b.publish()
	}
	b.db.mu.Lock()
	defer b.db.mu.Unlock()
	for _, number := range b.written {
		if !slices.ContainsFunc(b.published, func(s *segment.Segment) bool { return s.Number == number }) {
			b.db.files.Drop(number)
		}
	}
	if b.c.dropped {
		return nil
	}
	return err
}

// publish writes the manifest and lets readers see the new postings. Snapshots
// taken before have the old segments open.
func (b *build) publish() error {
	c := b.c
	b.new.Words = segment.NewWordCounts()
	if len(b.written) > 0 { // the manifest must not come before the files it names
		if err := b.db.files.Sync(); err != nil {
			return err
		}
	}
	batch := b.db.disk.Pebble().NewBatch()
	defer batch.Close()
	if b.new.Order != b.old.Order {
		if b.new.Order != nil {
			if err := segment.WriteOrder(batch, c.Schema, b.new.OrderNumber, b.new.Order); err != nil {
				return err
			}
		}
		if b.old.Order != nil {
			if err := segment.RemoveOrder(batch, c.Schema, b.old.OrderNumber); err != nil {
				return err
			}
		}
	}
	m, err := b.new.EncodeManifest()
	if err != nil {
		return err
	}
	if err := batch.Set(c.Key(keys.Index), m, nil); err != nil {
		return err
	}
	moved, err := b.moved()
	if err != nil {
		return err
	}
	b.db.mu.Lock()
	defer b.db.mu.Unlock()
	if c.dropped {
		return nil
	}
	over := slices.DeleteFunc(slices.Clone(b.old.Segments), func(s *segment.Segment) bool { return slices.Contains(b.new.Segments, s) })
	if err := b.noteEnded(batch, over); err != nil {
		return err
	}
	if err := b.db.files.Retire(batch, over); err != nil {
		return err
	}
	if err := b.db.disk.Apply(batch); err != nil {
		return b.db.disk.Poison(err)
	}
	published := b.new // not &b.new, which would keep the build and with it what it read
	c.postings = &published
	c.table.Move(moved)
	b.published = published.Segments
	c.noteAlive()
	c.fresh.Drop(b.new.Built)
	b.db.disk.Advance()
	return nil
}

// noteEnded brings keys.Ended up to date in the batch that publishes segments in the
// place of others: of those new it names the sets that ended while they were
// written, whose facts they may have. db.mu is held.
func (b *build) noteEnded(batch *pebble.Batch, over []*segment.Segment) error {
	c := b.c
	for _, s := range over {
		if err := batch.DeleteRange(c.Key(keys.Ended, s.Lo), keys.End(c.Key(keys.Ended, s.Hi-1)), nil); err != nil {
			return err
		}
	}
	for _, s := range b.new.Segments {
		if slices.Contains(b.old.Segments, s) {
			continue
		}
		facts := b.under[s.Number]
		for set := s.Lo; set < s.Hi; set++ {
			if c.shares[set] > 0 || facts.Size(set).Distinct == 0 {
				continue
			}
			if err := batch.Set(c.Key(keys.Ended, set), nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeRetired deletes the segments that can go. Searches under way go on: they
// have the files open.
func (db *DB) removeRetired(ctx context.Context) error {
	if err := db.builder.building.Acquire(ctx, 1); err != nil { // a copy of the store may be linking them
		return err
	}
	defer db.builder.building.Release(1)
	durable, err := db.disk.DurableNumber(keys.Retired)
	if err := errors.Join(err, db.disk.Poisoned()); err != nil {
		return err
	}
	db.mu.Lock()
	removable := db.files.Removable(durable)
	db.mu.Unlock()
	for _, number := range removable {
		if err := db.files.Remove(number); err != nil {
			db.opts.Logger.Debug("a segment that is no longer needed stays for now", "error", err)
			continue
		}
		db.mu.Lock()
		db.files.Removed(number)
		db.mu.Unlock()
	}
	return nil
}
