package engine

// The groups of documents follow a commit. It is planned before the record is in
// the log, because the record tells of it; a replay plans the same once more, from what the
// record has (docs/decisions/0070).

import (
	"errors"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// errRegrouped sends a batch back that was prepared before a grouping was made.
var errRegrouped = errors.New("a grouping was made meanwhile")

// grouped is what a commit does to groups.
type grouped struct {
	writes []groups.Write
	sets   map[int]uint32 // that the puts at these places come to
}

// grouper keeps the groups of collections that have groupings.
type grouper struct{ passive }

// watch names the groupings of a collection for its puts.
func (grouper) watch(c *collection) (out []condition.Watch) {
	for _, g := range c.groupings {
		out = append(out, watchOf(g))
	}
	return out
}

// plan settles what operations do to groups, and adds that to the record. In a replay the log
// says what is similar to sets that begin; else the operations have it. Numbers of groups are
// given out only once nothing can send the batch back.
func (grouper) plan(db *DB, p *plan) error {
	var in []*collection
	for _, o := range p.ops {
		c := o.in()
		if slices.Contains(db.outdated, c) { // they are made anew in the end
			if err := p.groups.keepNumbers(o); err != nil {
				return err
			}
		} else if c != nil && len(c.groupings) > 0 && !slices.Contains(in, c) && onDocument(o) != nil {
			in = append(in, c)
		}
	}
	all := make([]regrouping, len(in))
	for i, c := range in {
		r := &all[i]
		*r = regrouping{db: db, c: c, seq: p.seq, ops: p.ops, sets: map[int]uint32{}, byPlace: map[int]uint32{}, byDigest: map[[16]byte]uint32{}, shares: map[uint32]uint32{}, next: c.Next}
		if err := r.walk(); err != nil {
			return err
		}
		if err := r.find(p.again); err != nil {
			return err
		}
	}
	next := map[*groups.Grouping]uint64{}
	for i := range all {
		for _, g := range all[i].c.groupings {
			next[g] = g.Next
		}
		if err := all[i].settle(p); err != nil {
			for g, n := range next { // the numbers are given to others
				g.Next = n
			}
			return err
		}
	}
	return nil
}

// written holds the set of a put against that of which groups were told.
func (grouper) written(a *applier, w write) error {
	if set, planned := a.groups.sets[int(a.at.Place)]; planned && set != w.set {
		return fault.Corrupt("document %q comes to set %d, and groups were told of %d", w.id, w.set, set)
	}
	return nil
}

// finish stores what changes of groups.
func (grouper) finish(a *applier) error { return writeGroups(a.Changes, a.groups.writes) }

// alikeSets tells the log which sets are similar to those that begin in its record.
type alikeSets struct {
	of
	value []byte
}

func (o *alikeSets) record() record.Operation {
	return record.Operation{Kind: record.OpAlike, Number: o.c.Number, Value: o.value}
}

func (*alikeSets) apply(*applier) error { return nil }

// groupEvents tells the log what became of the groups of a grouping.
type groupEvents struct {
	of
	grouping string
	value    []byte
}

func (o *groupEvents) record() record.Operation {
	return record.Operation{Kind: record.OpGrouped, Number: o.c.Number, Name: o.grouping, Value: o.value}
}

func (*groupEvents) apply(*applier) error { return nil }

// keepNumbers keeps the numbers that a record of the log gives to groups from being given to
// others. The record is replayed with other Unicode tables, so its sets may be
// others than the log tells of, and nothing else of it can be planned.
func (g *grouped) keepNumbers(of operation) error {
	o, ok := of.(*groupEvents)
	if !ok {
		return nil
	}
	events, err := groups.DecodeEvents(o.grouping, o.value)
	if err != nil {
		return err
	}
	for _, of := range o.c.groupings {
		if of.Name != o.grouping {
			continue
		}
		for _, e := range events {
			of.Next = max(of.Next, e.Group+1, e.Other+1)
		}
		w, err := definition(of)
		if err != nil {
			return err
		}
		g.writes = append(g.writes, w)
	}
	return nil
}

// regrouping goes through the operations on a collection as the commit will.
type regrouping struct {
	db       *DB
	c        *collection
	seq      uint64
	ops      []operation
	sets     map[int]uint32      // of puts, by place
	byPlace  map[int]uint32      // of puts, by their place in the batch as the caller made it
	byDigest map[[16]byte]uint32 // of sets that begin
	shares   map[uint32]uint32   // of sets whose documents change
	next     uint32
	begun    []int // places of the puts that begin a set
	moved    []groups.Moved
	commits  []groups.Commit // by grouping
}

func (p *regrouping) walk() error {
	for i, o := range p.ops {
		d := onDocument(o)
		if _, meta := o.(*metaChange); meta || d == nil || d.c != p.c {
			continue
		}
		old, err := p.db.document(p.c, d.id)
		if err != nil {
			return err
		}
		m := groups.Moved{From: record.NoSet, To: record.NoSet}
		if o, ok := o.(*put); ok {
			m.Is = groups.Doc{ID: o.id, Bytes: o.textBytes, Written: record.Written{Record: p.seq, Place: uint32(i)}}
			if m.To, err = p.join(i, o); err != nil {
				return err
			}
		}
		if old != nil && old.Set != record.NoSet {
			m.From, m.Was = old.Set, groups.Doc{ID: d.id, Bytes: old.TextBytes, Written: old.Written}
			n := p.docs(old.Set)
			if n == 0 {
				return fault.Corrupt("a document has set %d, which is not there", old.Set)
			}
			p.shares[old.Set] = n - 1
		}
		if m.From != record.NoSet || m.To != record.NoSet {
			p.moved = append(p.moved, m)
		}
	}
	return nil
}

// docs is how many documents have a set at this point of the batch, and in the end after it.
func (p *regrouping) docs(set uint32) uint32 {
	if n, changed := p.shares[set]; changed {
		return n
	}
	return p.c.shares.of(set)
}

// join finds the set that a put comes to, as applier.join will.
func (p *regrouping) join(place int, o *put) (set uint32, err error) {
	set, known := p.byDigest[o.Set.Digest]
	if !known {
		if set, known, err = p.db.setOf(p.c, o.Set.Digest); err != nil {
			return 0, err
		}
	}
	n := uint32(0)
	if known {
		n = p.docs(set)
	}
	if n == 0 {
		set = p.next
		p.next++
		p.byDigest[o.Set.Digest] = set
		p.begun = append(p.begun, place)
	}
	p.shares[set] = n + 1
	p.sets[place], p.byPlace[o.place] = set, set
	return set, nil
}

// find lists what each grouping is told.
func (p *regrouping) find(again bool) (err error) {
	known := groups.Alike{}
	if again {
		if known, err = p.known(); err != nil {
			return err
		}
	}
	var ended []uint32
	for _, set := range slices.Sorted(maps.Keys(p.shares)) {
		if p.shares[set] == 0 {
			ended = append(ended, set)
		}
	}
	for _, g := range p.c.groupings {
		commit := groups.Commit{Moved: p.moved, Ended: ended, Docs: p.docs}
		for _, place := range p.begun {
			b := groups.Begun{Set: p.sets[place]}
			if k := (groups.AlikeKey{Grouping: g.Number, Set: b.Set}); again {
				b.Alike = known[k]
				delete(known, k)
			} else if b.Alike, err = p.alike(p.ops[place].(*put), g); err != nil {
				return err
			}
			commit.Begun = append(commit.Begun, b)
		}
		p.commits = append(p.commits, commit)
	}
	for k := range known {
		return fault.Corrupt("the log says what is similar to set %d of collection %q, which does not begin there", k.Set, p.c.Name)
	}
	return nil
}

// settle asks each grouping of the collection.
func (p *regrouping) settle(out *plan) error {
	var encoded []byte
	for i, g := range p.c.groupings {
		commit, before := p.commits[i], g.Next
		o, err := groups.State{Grouping: g, R: p.db.disk.Pebble()}.Settle(commit)
		if err != nil {
			return err
		}
		out.groups.writes = append(out.groups.writes, o.Writes...)
		if g.Next != before {
			w, err := definition(g)
			if err != nil {
				return err
			}
			out.groups.writes = append(out.groups.writes, w)
		}
		if out.again { // the log has it
			continue
		}
		for _, b := range commit.Begun {
			if !b.Alike.IsEmpty() {
				if encoded, err = groups.EncodeAlike(encoded, groups.AlikeKey{Grouping: g.Number, Set: b.Set}, b.Alike); err != nil {
					return err
				}
			}
		}
		if events := groups.EncodeEvents(o.Events); events != nil {
			out.add(&groupEvents{of{p.c}, g.Name, events})
		}
	}
	if encoded != nil {
		out.add(&alikeSets{of{p.c}, encoded})
	}
	if out.groups.sets == nil {
		out.groups.sets = map[int]uint32{}
	}
	maps.Copy(out.groups.sets, p.sets)
	return nil
}

// alike are the sets that were found to be similar to that of a put.
func (p *regrouping) alike(o *put, g *groups.Grouping) (*roaring.Bitmap, error) {
	found := o.alike[g.Number]
	if found.Watch != watchOf(g) { // it was made, or made anew otherwise, since the batch was prepared
		return nil, errRegrouped
	}
	b := roaring.New()
	for _, set := range found.Stored {
		if p.docs(set) > 0 { // else it has ended since it was found
			b.Add(set)
		}
	}
	for _, place := range found.Earlier {
		if set, stands := p.byPlace[place]; stands {
			b.Add(set)
		}
	}
	return b, nil
}

// definition is the key of a grouping.
func definition(g *groups.Grouping) (groups.Write, error) {
	value, err := g.Encode()
	return groups.Write{Key: g.Key(keys.Grouping), Value: value, Sealed: true}, err
}

// known is what the record of the log has of sets that begin.
func (p *regrouping) known() (groups.Alike, error) {
	known := groups.Alike{}
	for _, o := range p.ops {
		if o, ok := o.(*alikeSets); ok && o.c == p.c {
			if err := known.Decode(o.value); err != nil {
				return nil, err
			}
		}
	}
	return known, nil
}

// writeGroups adds what changes of groupings to a batch.
func writeGroups(b *disk.Changes, writes []groups.Write) error {
	for _, w := range writes {
		var err error
		switch {
		case w.Value == nil:
			err = b.Remove(w.Key)
		case w.Sealed:
			err = b.StoreSealed(w.Key, w.Value)
		default:
			err = b.Store(w.Key, w.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func watchOf(g *groups.Grouping) condition.Watch {
	return condition.Watch{Grouping: g.Number, Method: g.Method(), Min: g.Min}
}
