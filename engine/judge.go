package engine

// What becomes of the operations of a batch: they take effect one after another, and each
// condition is held against what is stored and what the operations before it have done
// (docs/decisions/0032).

import (
	"context"
	"fmt"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/measure"
)

// verdict is what becomes of a batch at one moment.
type verdict struct {
	kept       []int       // places of the operations that change something, each id once
	deleted    []operation // of documents that puts have taken the place of
	dropped    []api.Dropped
	evicted    []api.Dropped
	superseded int
}

// inBatch counts the operations of a list as the caller has put them into the batch.
func inBatch(ops []operation, list []api.Dropped) []api.Dropped {
	out := slices.Clone(list)
	for i := range out {
		out[i].Op = ops[out[i].Op].place
	}
	return out
}

// judge looks for all rivals there are at a moment, and decides by them.
func (db *DB) judge(ctx context.Context, m *view.Moment, ops []operation) (verdict, error) {
	if err := db.look(ctx, m, ops); err != nil {
		return verdict{}, err
	}
	return decide(ctx, m, ops)
}

// decide decides by the rivals of a moment, which are known.
func decide(ctx context.Context, m *view.Moment, ops []operation) (verdict, error) {
	j := judging{ctx: ctx, m: m, ops: ops, last: make(map[ref]int, len(ops)), readers: map[uint32]*view.Reader{}, standing: map[uint32]*standing{}}
	defer j.close()
	return j.all()
}

// judging goes through a batch at one moment, when the rivals of that are known.
type judging struct {
	ctx      context.Context
	m        *view.Moment
	ops      []operation
	last     map[ref]int // by document: the last put or deletion of it that took effect, or gone
	readers  map[uint32]*view.Reader
	standing map[uint32]*standing // by collection
}

// gone is in judging.last of a document that a put has taken the place of.
const gone = -1

// ref is a document by its collection's number.
type ref struct {
	collection uint32
	id         string
}

func (o *operation) ref() ref { return ref{o.Number, o.Name} }

func (j *judging) close() {
	for _, r := range j.readers {
		r.Close() // what it has read was read without error
	}
}

func (j *judging) all() (v verdict, err error) {
	dropped := make([]bool, len(j.ops))
	for i := range j.ops {
		o := &j.ops[i]
		if o.Kind != record.OpPut && o.Kind != record.OpDelete {
			continue // a change of metadata keeps nothing out
		}
		if err := j.m.Interrupted(j.ctx); err != nil {
			return v, err
		}
		if o.mustBeNew {
			if there, err := j.there(o); err != nil {
				return v, err
			} else if there {
				return v, fmt.Errorf("document %q %w", o.Name, api.ErrExists)
			}
		}
		j.meetPeers(i)
		d, found, err := j.similar(o)
		if found && o.evicts != nil {
			var evicted []api.Dropped
			if evicted, err = j.evict(i); evicted != nil {
				found = false
				v.evicted = append(v.evicted, evicted...)
			}
		}
		if err != nil {
			return v, err
		}
		if found {
			dropped[i] = true
			d.Op = i
			v.dropped = append(v.dropped, d)
			continue
		}
		if last, again := j.last[o.ref()]; again && last != gone {
			v.superseded++
			j.falls(last)
		}
		j.last[o.ref()] = i
		j.stands(i)
	}
	for i := range j.ops {
		o := &j.ops[i]
		last, touched := j.last[o.ref()]
		switch {
		case o.Kind == record.OpMeta && touched: // written over: what follows a put is joined with it
			v.superseded++
		case !o.ofDocument(), o.Kind == record.OpMeta, !dropped[i] && last == i:
			v.kept = append(v.kept, i)
		}
	}
	for _, e := range v.evicted {
		o := operation{Operation: record.Operation{Kind: record.OpDelete, Name: e.ID}}
		o.of(j.ops[e.Op].c)
		if j.last[o.ref()] == gone {
			v.deleted = append(v.deleted, o)
			j.last[o.ref()] = len(j.ops) // once is enough
		}
	}
	return v, nil
}

// there says whether the document of an operation exists when its turn comes.
func (j *judging) there(o *operation) (bool, error) {
	if i, touched := j.last[o.ref()]; touched {
		return i != gone && j.ops[i].Kind == record.OpPut, nil
	}
	b, err := disk.Get(j.m.Pebble, keys.WithID(o.c.Key(keys.Document), o.Name))
	return b != nil, err
}

// similar returns what keeps a put from taking effect. Where that refuses the batch it is
// an error.
func (j *judging) similar(o *operation) (d api.Dropped, found bool, err error) {
	for i := range o.conditions {
		g := &o.conditions[i]
		m, found, err := j.best(o, g)
		switch {
		case err != nil:
			return d, false, err
		case found && g.refuses:
			return d, false, &api.SimilarError{Collection: o.c.Name, ID: o.Name, UniqueSim: g.Min.String(), Match: m}
		case found:
			return api.Dropped{ID: o.Name, Match: m, Measure: g.Measure}, true, nil
		}
	}
	return d, false, nil
}

// best returns the row that a search would have first if it ran now: sim descending, then
// id ascending, without the document itself.
func (j *judging) best(o *operation, g *condition) (m api.Match, found bool, err error) {
	peers, rivals := g.peers, g.rivals
	offer := func(id string, s measure.Score) { // of rows of one sim
		if id != "" && (!found || id < m.ID) {
			m, found = g.Match(o.c.Name, id, s), true
		}
	}
	for len(peers)+len(rivals) > 0 && !found {
		top := measure.Score{Of: 1}
		for _, hits := range [][]search.Hit{peers, rivals} {
			if len(hits) > 0 && hits[0].Score.Compare(top) > 0 {
				top = hits[0].Score
			}
		}
		for ; len(peers) > 0 && peers[0].Score.Compare(top) == 0; peers = peers[1:] {
			if peer := j.peer(o, peers[0]); peer != nil {
				offer(peer.Name, peers[0].Score)
			}
		}
		for ; len(rivals) > 0 && rivals[0].Score.Compare(top) == 0; rivals = rivals[1:] {
			id, err := j.firstOf(o, rivals[0].Set)
			if err != nil {
				return m, false, err
			}
			offer(id, rivals[0].Score)
		}
	}
	return m, found, nil
}

// peer returns the earlier put of a hit, if it stands when the turn of o comes and is of
// another document; else nil.
func (j *judging) peer(o *operation, hit search.Hit) *operation {
	p := &j.ops[hit.Set]
	if last, touched := j.last[p.ref()]; touched && last == int(hit.Set) && p.Name != o.Name {
		return p
	}
	return nil
}

// firstOf returns the first document that has the set when the turn of o comes, not
// counting o's own; "" if there is none.
func (j *judging) firstOf(o *operation, set uint32) (string, error) {
	r := j.reader(o)
	if r == nil {
		return "", nil
	}
	for _, most := range []uint32{1, 0} { // mostly the first will do
		ids, err := r.IDsOf(set, most, nil)
		if err != nil {
			return "", err
		}
		for _, id := range ids {
			if _, touched := j.last[ref{o.Number, id}]; !touched && id != o.Name {
				return id, nil
			}
		}
		if uint32(len(ids)) < most {
			break
		}
	}
	return "", nil
}

// reader reads the collection of an operation; nil if it was dropped meanwhile, as the commit
// will say.
func (j *judging) reader(o *operation) *view.Reader {
	r := j.readers[o.Number]
	if v := j.m.ViewOf(o.Number); r == nil && v != nil {
		r = j.m.Reader(v)
		j.readers[o.Number] = r
	}
	return r
}
