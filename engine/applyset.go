package engine

// The life of a set in a batch: its records, its features, and the marks of dead postings.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/shingle"
)

// join finds or creates the set of the operation's bag, and increments its document count.
// known reports whether the set existed.
func (a *applier) join(o *put) (set uint32, known bool, err error) {
	c := o.c
	dk := digestKey{c.Number, o.Set.Digest}
	set, known = a.sets[dk]
	if !known {
		if set, known, err = a.db.setOf(c, o.Set.Digest); err != nil {
			return 0, false, err
		}
	}
	if known && c.shares.of(set) > 0 {
		a.joined(c, set, o.Bag)
		c.shares.put(set, c.shares.of(set)+1)
		return set, true, a.writeShares(c, set)
	}
	set = c.Next
	if set == record.NoSet {
		return 0, false, fmt.Errorf("%w: collection %q has used up its set numbers; export it and import it again", api.ErrTooLarge, c.Name)
	}
	c.Next++
	a.joined(c, set, o.Bag)
	c.Sets++
	c.tail++
	c.shares.put(set, 1)
	c.table.Put(set, o.Set.Facts)
	c.fresh.Add(o.Bag, c.bagsBudget(a.db.opts.MemoryBytes))
	a.noteSet(dk, set)
	c.remember(seenDigest(o.Set.Digest), a.db.opts.MemoryBytes)
	return set, false, writeSet(a.Batch, a.Of, c.Schema, set, o.Derived)
}

// noteSet records a created or ended set for the following operations of the batch.
func (a *applier) noteSet(k digestKey, set uint32) {
	if len(a.ops) == 1 { // the common case of one put: no operation follows
		return
	}
	if a.sets == nil {
		a.sets = make(map[digestKey]uint32, len(a.ops))
	}
	a.sets[k] = set
}

// forget removes a document from its set before a deletion or a replacement. It deletes the
// text unless the replacement overwrites it.
func (a *applier) forget(d *document, old *record.DocumentRecord, set uint32, writtenOver bool) error {
	c := d.c
	c.TextBytes -= old.TextBytes
	key := keys.WithID(c.Key(keys.Text, old.Set), d.id)
	if err := a.left(c, old.Set, key); err != nil {
		return err
	}
	if !writtenOver {
		if err := a.Remove(key); err != nil {
			return err
		}
	}
	if old.Joined {
		if err := a.Remove(keys.WithID(keys.OfJoined(c.Number, old.Written.Record), d.id)); err != nil {
			return err
		}
	}
	return a.leave(c, old.Set, set)
}

// joined notes for document frequencies that a document joined a set.
func (a *applier) joined(c *collection, set uint32, bag shingle.Bag) {
	a.db.shared.Note(c.Number, view.SetChange{Record: a.seq, Set: set, Documents: 1, Bag: bag})
}

// left notes that the document with a text key left its set.
func (a *applier) left(c *collection, set uint32, key []byte) error {
	if set == record.NoSet {
		return nil
	}
	if !a.db.shared.Follows(c.Number) { // not Note: a query may begin to follow meanwhile, and the change has no text
		a.db.shared.Miss(c.Number, a.seq)
		return nil
	}
	x := view.SetChange{Record: a.seq, Set: set, Documents: -1, Key: key}
	v, closer, err := a.db.disk.Pebble().Get(key)
	if err == nil {
		x.Text, err = slices.Clone(v), closer.Close()
	}
	if err != nil && !errors.Is(err, pebble.ErrNotFound) {
		return disk.PebbleError(err)
	}
	a.db.shared.Note(c.Number, x)
	return nil
}

// leave decrements the document count of a set, and ends the set at 0. joined is the new
// set of the document, so that a replacement by an equal text changes nothing.
func (a *applier) leave(c *collection, set, joined uint32) error {
	if set == record.NoSet {
		return nil
	}
	if c.shares.of(set) == 0 {
		return fault.Corrupt("a document refers to set %d, which does not exist", set)
	}
	c.shares.put(set, c.shares.of(set)-1)
	if set == joined || c.shares.of(set) > 0 { // join has already counted it again
		return a.writeShares(c, set)
	}
	return a.end(c, set)
}

// end removes a set without documents. Its postings remain until a merge, but lead to a set
// that no longer exists, so no result contains it.
func (a *applier) end(c *collection, set uint32) error {
	digest, err := a.digestOf(c, set)
	if err != nil {
		return err
	}
	c.Sets--
	if err := c.table.End(set); err != nil {
		return err
	}
	if set >= c.postings.Built {
		c.tail--
	} else {
		c.postings.SegmentOf(set).Dead.Add(1) // a later merge drops the postings
		if err := a.Store(c.Key(keys.Ended, set), nil); err != nil {
			return err
		}
	}
	a.noteSet(digestKey{c.Number, digest}, set)
	if err := removeFeatures(a.Batch, a.db.disk.Pebble(), c.Schema, set); err != nil {
		return err
	}
	for _, k := range [][]byte{c.Key(keys.Set, set), c.Key(keys.Shares, set), keys.OfDigest(c.Number, digest)} {
		if err := a.Remove(k); err != nil {
			return err
		}
	}
	return nil
}

// digestOf returns the digest of a set, from the store or from the sets of this batch.
func (a *applier) digestOf(c *collection, set uint32) ([16]byte, error) {
	v, err := disk.GetSealed(a.db.disk.Pebble(), c.Key(keys.Set, set))
	if err != nil {
		return [16]byte{}, err
	}
	if v != nil {
		r, err := record.DecodeSet(v)
		return r.Digest, err
	}
	for dk, s := range a.sets { // created in this batch
		if s == set && dk.collection == c.Number {
			return dk.digest, nil
		}
	}
	return [16]byte{}, fault.Corrupt("set %d does not exist", set)
}

// writeShares stores the document count of a set. A missing record means 1, which saves a
// key for most sets.
func (a *applier) writeShares(c *collection, set uint32) error {
	k := c.Key(keys.Shares, set)
	n := c.shares.of(set)
	if n < 2 {
		return a.Remove(k)
	}
	return a.Store(k, binary.BigEndian.AppendUint32(nil, n))
}

// The records of a set in the store, except its document count.

// writeSet stores a new set, except its document count. Features go to b, other keys to the
// batch that of returns.
func writeSet(b *pebble.Batch, of func(key []byte) *pebble.Batch, c *record.Schema, set uint32, d *record.Derived) error {
	key := c.Key(keys.Set, set)
	if err := disk.SetSealed(of(key), key, d.Set.Encode()); err != nil {
		return err
	}
	if c.Kept.Texts() {
		if err := c.EachFeatureKey(set, &d.Features, func(_ *record.KeySpace, key, value []byte) error { return b.Set(key, value, nil) }); err != nil {
			return err
		}
	}
	key = keys.OfDigest(c.Number, d.Set.Digest)
	return of(key).Set(key, binary.BigEndian.AppendUint32(nil, set), nil)
}

// removeFeatures deletes the features of an ended set.
func removeFeatures(b *pebble.Batch, r pebble.Reader, c *record.Schema, set uint32) (err error) {
	if !c.Kept.Texts() {
		return nil
	}
	var f record.Features
	if c.Kept.Has(record.InFeatures) {
		if f, err = view.ReadFeatures(r, c, set); err != nil {
			return err
		}
	}
	return c.EachFeatureKey(set, &f, func(_ *record.KeySpace, key, _ []byte) error { return b.Delete(key, nil) })
}
