package check

// Stored sets against those derived from documents.

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

// sets compares the stored sets with the sets of the documents.
func (c *check) sets(ctx context.Context, v *view.View, sets []checkedSet) error {
	var live int64
	for _, in := range append([]*record.KeySpace{{Space: keys.Set, What: "record"}}, record.KeySpaces...) {
		if in.Ordered() {
			continue // count reports it
		}
		err := c.eachSet(v, in.Space, func(set uint32, _, _ []byte) {
			if !sets[set].seen.Load() {
				c.problem(v, ofSet(set), "%s of set %d, which has no document", in.What, set)
			}
			if in.Space == keys.Set {
				live++
			}
		})
		if err := c.reportError(ctx, v, at{kind: KindSet}, err); err != nil {
			return err
		}
	}
	c.report.Sets += live
	if live != v.Sets {
		c.problem(v, at{kind: KindCounters}, "counters say %d sets, but there are %d", v.Sets, live)
	}
	members := make([]uint32, len(sets))
	err := c.eachSet(v, keys.Text, func(set uint32, _, _ []byte) { members[set]++ })
	if err := c.reportError(ctx, v, at{kind: KindSet}, err); err != nil {
		return err
	}
	shares := make([]uint32, len(sets))
	err = c.eachSet(v, keys.Shares, func(set uint32, _, value []byte) {
		if len(value) == 4 {
			shares[set] = binary.BigEndian.Uint32(value)
		}
	})
	if err := c.reportError(ctx, v, at{kind: KindSet}, err); err != nil {
		return err
	}
	for set := range sets {
		n := sets[set].documents.Load()
		want := n
		if n < 2 {
			want = 0
		}
		if members[set] != n || shares[set] != want {
			c.problem(v, ofSet(uint32(set)), "set %d: %d documents have it, %d are listed, the count says %d", set, n, members[set], shares[set])
		}
		if live := v.Table.Size(uint32(set)).Distinct > 0; live != (members[set] > 0) {
			c.problem(v, ofSet(uint32(set)), "set %d: %d documents are listed, in memory it is live: %v", set, members[set], live)
		}
	}
	for _, in := range record.KeySpaces {
		if !in.Ordered() {
			continue
		}
		err := c.count(ctx, v, in.Space, KindSet, func(key, _ []byte) error {
			set, err := in.SetOf(key)
			if err != nil {
				return fault.Corrupt("%w", err)
			}
			c.below(v, set)
			return nil
		}, KindSet, c.ordered[in], "%d "+in.What+", the texts have %d")
		if err != nil {
			return err
		}
	}
	return c.count(ctx, v, keys.Digest, KindSet, c.valueBelow(v), KindSet, live, "%d digests for %d sets")
}

// count calls look with each key of a space and reports a number of keys other than want. The
// problem is of the kind unreadable if the keys cannot be read, and of the kind wrong if their
// number differs.
func (c *check) count(ctx context.Context, v *view.View, space keys.Space, unreadable string, look func(key, value []byte) error, wrong string, want int64, format string) error {
	var n int64
	err := disk.Scan(c.m.Pebble, v.Key(space), func(key, value []byte) error { n++; return look(key, value) })
	if err := c.reportError(ctx, v, at{kind: unreadable}, err); err != nil {
		return err
	}
	if n != want {
		c.problem(v, at{kind: wrong}, format, n, want)
	}
	return nil
}

// eachSet calls yield with the keys of a space that begin with a set number.
func (c *check) eachSet(v *view.View, space keys.Space, yield func(set uint32, key, value []byte)) error {
	return disk.Scan(c.m.Pebble, v.Key(space), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 2)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		if space == keys.Text && n[1] == record.NoSet {
			return nil
		}
		if c.below(v, n[1]) {
			yield(n[1], key, value)
		}
		return nil
	})
}

// facts compares the copies of facts in segment files with the facts in memory, which are already
// checked.
func (c *check) facts(ctx context.Context, v *view.View) error {
	ended, err := segment.ReadEnded(c.m.Pebble, v.Schema)
	if err := c.reportError(ctx, v, at{kind: KindSet}, err); err != nil {
		return err
	}
	var buf []byte
	for _, s := range v.Postings.Segments {
		for lo := s.Lo; lo < s.Hi; {
			hi := segment.PieceEnd(lo, s.Hi)
			if err := c.m.Interrupted(ctx); err != nil {
				return err
			}
			var table index.Table
			slab := table.NewSlab(lo / index.SlabSets)
			buf, err = s.PutFacts(slab, lo, hi, buf, ended.In(lo, hi))
			if err := c.reportError(ctx, v, at{kind: KindSet}, err); err != nil {
				return err
			}
			if err == nil {
				table.Append(slab)
				if err := c.reportError(ctx, v, at{kind: KindSet}, c.copied(v, view.View{Table: table.View()}, s.Number, lo, hi)); err != nil {
					return err
				}
			}
			lo = hi
		}
	}
	return nil
}

// copied compares a range of copied facts with the facts that searches read.
func (c *check) copied(v *view.View, copied view.View, number, lo, hi uint32) (err error) {
	defer segment.CatchUnreadable(&err)()
	for set := lo; set < hi; set++ {
		if live := v.Table.Size(set).Distinct > 0; !sameFacts(copied.Facts(set), v.Facts(set)) && (live || copied.Table.Size(set).Distinct > 0) {
			c.problem(v, at{kind: KindPostings, place: fmt.Sprint("segment ", number)}, "facts of set %d in segment %d differ from those in use", set, number)
		}
	}
	return nil
}
