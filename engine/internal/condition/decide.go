package condition

// Decision about a batch. Operations take effect in order, and each condition is checked
// against the store and the effects of the operations before it.

import (
	"context"
	"errors"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/measure"
)

// Outcome describes the effect of a batch in one snapshot.
type Outcome struct {
	Kept       []int         // effective operations, each id once
	Deleted    []api.Dropped // evicted documents to delete, each once; Op is the place among the operations
	Dropped    []api.Dropped // puts kept out by similar documents
	Evicted    []api.Dropped // documents that puts replaced
	Superseded int
	Alike      map[int]map[uint32]Alike // similar sets of the effective puts, by operation and grouping
	Refused    error                    // the batch violates unique_sim: nothing takes effect, and of the other fields only Falls is set
	Falls      []Fall                   // rows for the ledgers of the collections
}

// Decide finds all conflicts in a snapshot and decides by them. It reads files: call it
// outside of the commit mutex.
func (b *Batch) Decide(ctx context.Context, m *view.Snapshot) (Outcome, error) {
	if err := Look(ctx, m, b); err != nil {
		return Outcome{}, err
	}
	return b.decide(ctx, m, false)
}

// DecideAgain decides again in a later snapshot, under the commit mutex. It returns ok =
// false if that requires reading a text, because nothing may be read under the mutex.
func (b *Batch) DecideAgain(ctx context.Context, m *view.Snapshot) (o Outcome, ok bool, err error) {
	if !b.lookInMemory(m) {
		return o, false, nil
	}
	o, err = b.decide(ctx, m, true)
	if errors.Is(err, errTextNeeded) {
		return Outcome{}, false, nil
	}
	return o, true, err
}

// decide decides by conflicts that are already known in m.
func (b *Batch) decide(ctx context.Context, m *view.Snapshot, again bool) (Outcome, error) {
	d := decision{ctx: ctx, m: m, Batch: b, again: again, last: make(map[ref]int, len(b.ops)), readers: map[uint32]*view.Reader{}, standing: map[uint32]*standing{}}
	defer d.close()
	return d.all()
}

// decision walks through a batch in one snapshot. All conflicts with the snapshot are known.
type decision struct {
	ctx context.Context
	m   *view.Snapshot
	*Batch
	again    bool        // texts must not be read
	last     map[ref]int // by document: place of the last effective put or deletion, or gone
	readers  map[uint32]*view.Reader
	standing map[uint32]*standing // by collection
}

// gone marks a document in decision.last that a put replaced.
const gone = -1

// close releases the readers.
func (d *decision) close() {
	for _, r := range d.readers {
		r.Close() // reads have reported their errors already
	}
}

// all decides each operation in order.
func (d *decision) all() (out Outcome, err error) {
	dropped := make([]bool, len(d.ops))
	for i := range d.ops {
		o := &d.ops[i]
		if o.Kind != record.OpPut && !o.Deletes() {
			continue // metadata conflicts with nothing
		}
		if err := d.m.Interrupted(d.ctx); err != nil {
			return out, err
		}
		if o.Wants.New {
			if there, err := d.there(o); err != nil {
				return out, err
			} else if there {
				return out, fmt.Errorf("document %q %w", o.Name, api.ErrExists)
			}
		}
		d.meetEarlier(i)
		m, by, err := d.similar(o)
		if by != nil && o.Wants.Replace {
			var evicted []api.Dropped
			var falls []Fall
			if evicted, falls, err = d.evict(i); evicted != nil {
				by = nil
				out.Evicted = append(out.Evicted, evicted...)
				out.Falls = append(out.Falls, falls...)
			}
		}
		if err != nil {
			return out, err
		}
		if by != nil && by.refuses {
			refused := &api.SimilarError{Collection: o.Schema.Name, ID: o.Name, UniqueSim: by.Min.String(), Match: m}
			return Outcome{Refused: refused, Falls: d.fell(nil, i, by, m)}, nil
		}
		if by != nil {
			dropped[i] = true
			out.Dropped = append(out.Dropped, api.Dropped{Op: o.Place, ID: o.Name, Match: m, Measure: by.Measure})
			out.Falls = d.fell(out.Falls, i, by, m)
			continue
		}
		if last, again := d.last[o.ref()]; again && last != gone {
			out.Superseded++
			d.falls(last)
		}
		d.last[o.ref()] = i
		d.stands(i)
	}
	d.keep(&out, dropped)
	return out, nil
}

// keep lists the effective operations and the deletions of evicted documents.
func (d *decision) keep(out *Outcome, dropped []bool) {
	for i := range d.ops {
		o := &d.ops[i]
		if o.Schema == nil { // not on a document
			out.Kept = append(out.Kept, i)
			continue
		}
		last, touched := d.last[o.ref()]
		switch {
		case o.Kind == record.OpMeta && touched: // overwritten: metadata after a put is merged into the put
			out.Superseded++
		case o.Kind == record.OpMeta, !dropped[i] && last == i:
			out.Kept = append(out.Kept, i)
			d.watch(out, i)
		}
	}
	for i := range out.Evicted {
		e := &out.Evicted[i]
		id := ref{d.ops[e.Op].Schema.Number, e.ID}
		if d.last[id] == gone {
			out.Deleted = append(out.Deleted, *e)
			d.last[id] = len(d.ops) // delete once
		}
		e.Op = d.ops[e.Op].Place
	}
}

// there reports whether the document of an operation exists when its turn comes.
func (d *decision) there(o *operation) (bool, error) {
	if i, touched := d.last[o.ref()]; touched {
		return i != gone && d.ops[i].Kind == record.OpPut, nil
	}
	b, err := disk.Get(d.m.Pebble, keys.WithID(o.Schema.Key(keys.Document), o.Name))
	return b != nil, err
}

// similar returns the best match that keeps a put out, with the condition that the put
// violates; a nil condition if the put may take effect.
func (d *decision) similar(o *operation) (api.Match, *condition, error) {
	for i := range o.conditions {
		c := &o.conditions[i]
		if c.watches {
			continue
		}
		if m, found, err := d.best(o, c); found || err != nil {
			return m, c, err
		}
	}
	return api.Match{}, nil, nil
}

// best returns the first row of a search at this point: sim descending, then id ascending,
// without the document itself.
func (d *decision) best(o *operation, c *condition) (m api.Match, found bool, err error) {
	earlier, stored := c.earlier, c.stored
	offer := func(id string, s measure.Score) { // offer keeps the first id of the rows with equal sim.
		if id != "" && (!found || id < m.ID) {
			m, found = c.Match(o.Schema.Name, id, s), true
		}
	}
	for len(earlier)+len(stored) > 0 && !found {
		top := measure.Score{Of: 1}
		for _, hits := range [][]search.Hit{earlier, stored} {
			if len(hits) > 0 && hits[0].Score.Compare(top) > 0 {
				top = hits[0].Score
			}
		}
		for ; len(earlier) > 0 && earlier[0].Score.Compare(top) == 0; earlier = earlier[1:] {
			if put := d.stillStands(o, earlier[0]); put != nil {
				offer(put.Name, earlier[0].Score)
			}
		}
		for ; len(stored) > 0 && stored[0].Score.Compare(top) == 0; stored = stored[1:] {
			id, err := d.firstOf(o, stored[0].Set)
			if err != nil {
				return m, false, err
			}
			offer(id, stored[0].Score)
		}
	}
	return m, found, nil
}

// firstOf returns the first document of the set when the turn of o comes, except o's own; ""
// if there is none.
func (d *decision) firstOf(o *operation, set uint32) (string, error) {
	r := d.reader(o)
	if r == nil {
		return "", nil
	}
	for _, most := range []uint32{1, 0} { // usually the first id is enough
		ids, err := r.IDsOf(set, most, nil)
		if err != nil {
			return "", err
		}
		for _, id := range ids {
			if _, touched := d.last[ref{o.Schema.Number, id}]; !touched && id != o.Name {
				return id, nil
			}
		}
		if uint32(len(ids)) < most {
			break
		}
	}
	return "", nil
}

// reader returns a reader of the operation's collection; nil if the collection was dropped,
// an error that the commit reports.
func (d *decision) reader(o *operation) *view.Reader {
	r := d.readers[o.Schema.Number]
	if v := d.m.ViewOf(o.Schema.Number); r == nil && v != nil {
		r = d.m.Reader(v)
		d.readers[o.Schema.Number] = r
	}
	return r
}

// watch lists the sets and puts similar to an effective put. The list may contain sets that
// have ended; readers skip them.
func (d *decision) watch(out *Outcome, i int) {
	for j := range d.ops[i].conditions {
		c := &d.ops[i].conditions[j]
		if !c.watches {
			continue
		}
		a := Alike{Watch: Watch{c.grouping, c.Method(), c.Min}}
		for _, hit := range c.stored {
			a.Stored = append(a.Stored, hit.Set)
		}
		for _, hit := range c.earlier {
			if p := &d.ops[hit.Set]; d.last[p.ref()] == int(hit.Set) {
				a.Earlier = append(a.Earlier, p.Place)
			}
		}
		if out.Alike == nil {
			out.Alike = map[int]map[uint32]Alike{}
		}
		if out.Alike[i] == nil {
			out.Alike[i] = map[uint32]Alike{}
		}
		out.Alike[i][c.grouping] = a
	}
}
