package engine

// Groups follow commits. The changes are planned before the record enters the log, because
// the record contains them; a replay plans the same changes again from the record
// (docs/decisions/0070).

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

// errRegrouped makes a commit prepare its batch again, because a new grouping needs
// comparisons that the batch lacks.
var errRegrouped = errors.New("a grouping was created in the meantime")

// grouped collects the changes of groups in one commit.
type grouped struct {
	writes []groups.Write
	sets   map[int]uint32 // sets of the puts, by place
}

// grouper maintains the groups of collections with groupings.
type grouper struct{ passive }

// watch returns the comparisons that the groupings of a collection need for its puts.
func (grouper) watch(c *collection) (out []condition.Watch) {
	for _, g := range c.groupings {
		out = append(out, watchOf(g))
	}
	return out
}

// plan computes the changes of groups, and adds them to the record. In a replay the record
// has the sets similar to each new set; otherwise the puts have them. If plan fails, it
// takes back the numbers of new groups: the next commit assigns them.
func (grouper) plan(db *DB, p *plan) error {
	var in []*collection
	for _, o := range p.ops {
		c := o.in()
		if slices.Contains(db.outdated, c) { // its groups are rebuilt at the end
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
		if err := all[i].planGroups(p); err != nil {
			for g, n := range next { // assigned by a later commit
				g.Next = n
			}
			return err
		}
	}
	return nil
}

// written verifies that a put joins the set that the groups were planned for.
func (grouper) written(a *applier, w write) error {
	if set, planned := a.groups.sets[int(a.at.Place)]; planned && set != w.set {
		return fault.Corrupt("document %q joins set %d, but its groups expect set %d", w.id, w.set, set)
	}
	return nil
}

// finish stores the changes of groups.
func (grouper) finish(a *applier) error { return writeGroups(a.Changes, a.groups.writes) }

// alikeSets records the sets similar to each set that begins in the same log record, so
// that a replay needs no search.
type alikeSets struct {
	of
	value []byte
}

func (o *alikeSets) record() record.Operation {
	return record.Operation{Kind: record.OpAlike, Number: o.c.Number, Value: o.value}
}

// apply does nothing: plan reads the operation in a replay.
func (*alikeSets) apply(*applier) error { return nil }

// groupEvents records the changes of the groups of a grouping, for Tail.
type groupEvents struct {
	of
	grouping string
	value    []byte
}

func (o *groupEvents) record() record.Operation {
	return record.Operation{Kind: record.OpGrouped, Number: o.c.Number, Name: o.grouping, Value: o.value}
}

// apply does nothing: finish stores the groups.
func (*groupEvents) apply(*applier) error { return nil }

// keepNumbers reserves the group numbers that a log record assigned. The record is replayed
// with other Unicode tables, so the sets may differ from those in the record, and nothing
// else of its group changes can be planned.
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

// regrouping simulates the operations on one collection, to plan the changes of its groups.
type regrouping struct {
	db       *DB
	c        *collection
	seq      uint64
	ops      []operation
	sets     map[int]uint32      // of puts, by place
	byPlace  map[int]uint32      // of puts, by place in the caller's batch
	byDigest map[[16]byte]uint32 // of sets that begin
	shares   map[uint32]uint32   // of sets with changed documents
	next     uint32
	begun    []int // places of the puts that begin a set
	moved    []groups.Moved
	commits  []groups.Commit // by grouping
}

// walk collects the moves of documents between sets, in the order of the operations.
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
				return fault.Corrupt("a document refers to set %d, which does not exist", old.Set)
			}
			p.shares[old.Set] = n - 1
		}
		if m.From != record.NoSet || m.To != record.NoSet {
			p.moved = append(p.moved, m)
		}
	}
	return nil
}

// docs returns the document count of a set at this point of the batch.
func (p *regrouping) docs(set uint32) uint32 {
	if n, changed := p.shares[set]; changed {
		return n
	}
	return p.c.shares.of(set)
}

// join predicts the set of a put, as applier.join determines it later.
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

// find collects the changes that each grouping must process.
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
		return fault.Corrupt("the log record has sets similar to set %d of collection %q, but that set does not begin in the record", k.Set, p.c.Name)
	}
	return nil
}

// planGroups lets each grouping process its changes, and collects the writes and the
// operations for the log record.
func (p *regrouping) planGroups(out *plan) error {
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
		if out.again { // the log already has it
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

// alike returns the sets similar to the set of a put.
func (p *regrouping) alike(o *put, g *groups.Grouping) (*roaring.Bitmap, error) {
	found := o.alike[g.Number]
	if found.Watch != watchOf(g) { // the grouping is newer than the preparation of the batch
		return nil, errRegrouped
	}
	b := roaring.New()
	for _, set := range found.Stored {
		if p.docs(set) > 0 { // otherwise it has ended since
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

// definition returns the write that stores a grouping.
func definition(g *groups.Grouping) (groups.Write, error) {
	value, err := g.Encode()
	return groups.Write{Key: g.Key(keys.Grouping), Value: value, Sealed: true}, err
}

// known returns the similar sets that a log record contains.
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

// writeGroups adds changes of groupings to a batch.
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

// watchOf returns the comparison that a grouping needs for each put.
func watchOf(g *groups.Grouping) condition.Watch {
	return condition.Watch{Grouping: g.Number, Method: g.Method(), Min: g.Min}
}
