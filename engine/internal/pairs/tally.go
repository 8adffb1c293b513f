package pairs

// The number of rows that edges make, without making them. A set of n documents has
// n(n−1)/2 pairs, and an edge of sets of n and m documents has n·m.

import (
	"cmp"
	"context"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// manyRows are as many as it is worth to count before the first one.
const manyRows = 1_000_000

// mayBeMany bounds the rows, without reading a text.
func (f *found) mayBeMany(ctx context.Context) (bool, error) {
	most, within := 1.0, 0.0
	for side := range f.views {
		several, err := f.sharersOf(ctx, side)
		if err != nil {
			return false, err
		}
		for _, s := range several {
			n := float64(uint32(s))
			most, within = max(most, n), within+n*n
		}
	}
	return within+float64(f.list.n)*most*most >= manyRows, nil
}

// tally calls yield with the score and the number of rows of each set of several documents,
// and of each edge, in no order.
func (f *found) tally(ctx context.Context, yield func(score measure.Score, n rows) error) error {
	t := &tally{found: f, readers: f.readers(), kept: map[node]population{}, room: f.m.MemoryBytes / 16}
	defer closeAll(t.readers)
	for side := range f.views {
		var end error // which the scan does not return if it is ErrEnough
		err := f.shared(ctx, side, nil, func(s sharedSet) error {
			p, err := t.population(ctx, node{s.set, uint16(side)})
			if err == nil {
				err = yield(s.score, t.within(p))
			}
			end = err
			return err
		})
		if err = cmp.Or(err, end); err != nil {
			return err
		}
	}
	return f.list.each(func(list []edge) error {
		for _, x := range list {
			from, err := t.population(ctx, x.from())
			if err != nil {
				return err
			}
			to, err := t.population(ctx, x.to())
			if err == nil && f.isAgainst(x.fromSide) {
				from, to = to, from
			}
			if err == nil {
				err = yield(x.score(f.formula.Unit()), t.between(from, to, x.directed))
			}
			if err != nil {
				return err
			}
		}
		return f.m.Interrupted(ctx)
	})
}

// tally counts rows.
type tally struct {
	*found
	readers []*view.Reader
	kept    map[node]population // of several documents
	room    int64               // bytes for more
}

// population is the documents of a set: all, and those from before the mark.
type population struct {
	all, old parts
	members  []populace // by id; nil if the number of rows does not depend on them
}

// parts are the numbers of some documents, of those that may be the a of a row, the b, and both.
type parts struct{ n, a, b, both int64 }

type populace struct {
	member
	a, b, old bool
}

// rows is a number of rows, and how many there are without keepA and keepB.
type rows struct{ kept, of int64 }

func (r rows) plus(o rows) rows { return rows{r.kept + o.kept, r.of + o.of} }

// heeds says that the rows depend on the documents, not only on their number.
func (q *question) heeds() bool { return q.keepA != nil || q.keepB != nil || q.ordered() }

// ordered says that an edge has rows only for ids that come in the order from, to.
func (q *question) ordered() bool { return q.directed() && !q.Directed }

func (t *tally) population(ctx context.Context, n node) (p population, err error) {
	if !t.heeds() {
		several, err := t.sharersOf(ctx, int(n.side))
		all := int64(several.of(n.set))
		p.all = parts{all, all, all, all}
		if t.since != nil && n.set < t.since[n.side].Next {
			old := all - int64(t.since[n.side].Joined(n.set))
			p.old = parts{old, old, old, old}
		}
		return p, err
	}
	if p, ok := t.kept[n]; ok {
		return p, nil
	}
	ids, err := t.idsOf(t.readers, n)
	if err != nil {
		return p, err
	}
	p.members = make([]populace, len(ids))
	for i, id := range ids {
		m := populace{member: member{id, n.side}, old: t.since != nil && !t.since[n.side].Document(n.set, id)}
		if m.a, m.b, err = t.may(ctx, m.member); err != nil {
			return p, err
		}
		p.members[i] = m
		p.all.add(m)
		if m.old {
			p.old.add(m)
		}
	}
	const bytes = 64 // of a member, about
	if size := bytes * int64(len(ids)); len(ids) > 1 && size <= t.room {
		t.kept[n], t.room = p, t.room-size
	}
	return p, nil
}

func (p *parts) add(m populace) {
	p.n++
	if m.a {
		p.a++
	}
	if m.b {
		p.b++
	}
	if m.a && m.b {
		p.both++
	}
}

// may says whether a document may be the a of a row, and the b.
func (t *tally) may(ctx context.Context, m member) (a, b bool, err error) {
	if err = t.m.Interrupted(ctx); err != nil || t.keepA == nil && t.keepB == nil {
		return true, true, err
	}
	name := t.views[m.side].Name
	info, err := t.m.Info(name, m.id)
	if a = true; t.keepA != nil && err == nil {
		a, err = t.keepA(name, info)
	}
	if b = true; t.keepB != nil && err == nil {
		b, err = t.keepB(name, info)
	}
	return a, b, err
}

// between returns the rows of an edge.
func (t *tally) between(from, to population, directed bool) rows {
	any := func(p, q population) rows {
		return rows{p.all.a*q.all.b - p.old.a*q.old.b, p.all.n*q.all.n - p.old.n*q.old.n}
	}
	switch {
	case t.against > 0, t.Directed && directed, !t.Directed && from.members == nil:
		return any(from, to)
	case t.Directed:
		return any(from, to).plus(any(to, from))
	case directed:
		return before(from.members, to.members)
	}
	return before(from.members, to.members).plus(before(to.members, from.members))
}

// within returns the rows of the documents of a set with each other.
func (t *tally) within(p population) rows {
	ordered := func(p parts) rows { return rows{p.a*p.b - p.both, p.n * (p.n - 1)} }
	all, old := ordered(p.all), ordered(p.old)
	n := rows{all.kept - old.kept, all.of - old.of}
	switch {
	case t.Directed:
		return n
	case p.members == nil:
		return rows{n.kept / 2, n.of / 2}
	}
	return before(p.members, p.members)
}

// before counts the pairs of an a of the one set and a b of the other that comes after it.
func before(as, bs []populace) (n rows) {
	var all, old parts // of as, that come before b
	for _, b := range bs {
		for ; len(as) > 0 && compareMembers(as[0].member, b.member) < 0; as = as[1:] {
			if all.add(as[0]); as[0].old {
				old.add(as[0])
			}
		}
		with := all
		if b.old {
			with.n, with.a = all.n-old.n, all.a-old.a
		}
		if n.of += with.n; b.b {
			n.kept += with.a
		}
	}
	return n
}
