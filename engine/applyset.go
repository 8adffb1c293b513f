package engine

// How a set begins and ends in a batch: its records, its features, and what says that
// its postings are dead.

import (
	"encoding/binary"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// join finds the set of the operation's bag, or makes it, and counts one more
// document there. It says whether the set was there.
func (a *applier) join(c *collection, o *operation) (set uint32, known bool, err error) {
	dk := digestKey{c.Number, o.Set.Digest}
	set, known = a.sets[dk]
	if !known && c.seen.has(seenDigest(o.Set.Digest)) {
		v, err := disk.Get(a.db.disk.Pebble(), keys.OfDigest(c.Number, o.Set.Digest))
		if err != nil {
			return 0, false, err
		}
		if len(v) == 4 {
			set, known = binary.BigEndian.Uint32(v), true
		}
	}
	if known && int(set) < len(c.shares) && c.shares[set] > 0 {
		c.shares[set]++
		return set, true, a.writeShares(c, set)
	}
	set = c.Next
	if set == record.NoSet {
		return 0, false, fmt.Errorf("%w: collection %q has used up its set numbers; export and import it anew", api.ErrTooLarge, c.Name)
	}
	c.Next++
	c.Sets++
	c.tail++
	c.shares = append(c.shares, 1)
	c.table.Put(set, o.Set.Facts)
	c.fresh.Add(o.Bag, c.bagsBudget(a.db.opts.MemoryBytes))
	a.sets[dk] = set
	c.remember(seenDigest(o.Set.Digest), a.db.opts.MemoryBytes)
	return set, false, writeSet(a.Batch, a.Of, c.Schema, set, o.Derived)
}

// leave takes a document out of its old set, unless the new one is the same.
// joined says where it went, so that a replacement by equal text is no change.
func (a *applier) leave(c *collection, set, joined uint32) error {
	if set == record.NoSet {
		return nil
	}
	if int(set) >= len(c.shares) || c.shares[set] == 0 {
		return fault.Corrupt("a document has set %d, which is not there", set)
	}
	c.shares[set]--
	if set == joined || c.shares[set] > 0 { // join counted it once more
		return a.writeShares(c, set)
	}
	return a.end(c, set)
}

// end removes a set that no document has. Its postings stay until a merge; what
// they lead to is no longer there, so no answer holds it.
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
		c.postings.SegmentOf(set).Dead.Add(1) // the builder rewrites it some day
		if err := a.Store(c.Key(keys.Ended, set), nil); err != nil {
			return err
		}
	}
	a.sets[digestKey{c.Number, digest}] = set
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

func (a *applier) digestOf(c *collection, set uint32) ([16]byte, error) {
	v, err := disk.GetSealed(a.db.disk.Pebble(), c.Key(keys.Set, set))
	if err != nil {
		return [16]byte{}, err
	}
	if v != nil {
		r, err := record.DecodeSet(v)
		return r.Digest, err
	}
	for dk, s := range a.sets { // made in this batch
		if s == set && dk.collection == c.Number {
			return dk.digest, nil
		}
	}
	return [16]byte{}, fault.Corrupt("set %d is not there", set)
}

func (a *applier) writeShares(c *collection, set uint32) error {
	k := c.Key(keys.Shares, set)
	if c.shares[set] < 2 {
		return a.Remove(k)
	}
	return a.Store(k, binary.BigEndian.AppendUint32(nil, c.shares[set]))
}
