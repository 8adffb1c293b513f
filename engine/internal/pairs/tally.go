package pairs

// Number of rows of edges, without making the rows. A set of n documents has n(n−1)/2 pairs,
// and an edge between sets of n and m documents has n·m.

import (
	"cmp"
	"context"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// manyRows is the number of rows from which a count before the first row pays off.
const manyRows = 1_000_000

// mayBeMany reports whether an upper bound of the rows reaches manyRows. It reads no texts.
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

// tally calls yield with the score and the number of rows of each shared set and each edge,
// in no order.
func (f *found) tally(ctx context.Context, yield func(score measure.Score, n rows) error) error {
	t := &tally{found: f, readers: f.readers(), kept: map[node]population{}, room: f.m.MemoryBytes / 16}
	defer closeAll(t.readers)
	for side := range f.views {
		var end error // the scan does not return ErrEnough
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
	return f.list.pieces(func(list []edge) error {
		for _, x := range list {
			n, err := t.ofEdge(ctx, x)
			if err == nil {
				err = yield(x.score(f.formula.Unit()), n)
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
	kept    map[node]population // sets with several documents
	room    int64               // bytes left for kept
}

// population holds the documents of a set: all, and those older than the mark.
type population struct {
	all, old parts
	members  []tallyMember // by id; nil if the number of rows does not depend on them
}

// parts counts documents: n counts all, a those allowed as the a of a row, b those allowed as
// the b, and both those allowed as either.
type parts struct{ n, a, b, both int64 }

// tallyMember is a document with its roles.
type tallyMember struct {
	member
	a, b, old bool
}

// rows is a number of rows, with and without the tests keepA and keepB.
type rows struct{ kept, of int64 }

// plus returns the sum of both numbers.
func (r rows) plus(o rows) rows { return rows{r.kept + o.kept, r.of + o.of} }

// needsDocuments reports whether the number of rows depends on the documents rather than
// their number.
func (q *question) needsDocuments() bool { return q.keepA != nil || q.keepB != nil || q.ordered() }

// ordered reports whether an edge has rows only for ids in the order from, to.
func (q *question) ordered() bool { return q.directed() && !q.Directed }

// population counts the documents of a set. It caches sets with several documents.
func (t *tally) population(ctx context.Context, n node) (p population, err error) {
	if !t.needsDocuments() {
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
	p.members = make([]tallyMember, len(ids))
	for i, id := range ids {
		m := tallyMember{member: member{id, n.side}, old: t.since != nil && !t.since[n.side].Document(n.set, id)}
		if m.a, m.b, err = t.may(ctx, m.member); err != nil {
			return p, err
		}
		p.members[i] = m
		p.all.add(m)
		if m.old {
			p.old.add(m)
		}
	}
	const bytes = 64 // per member, approximately
	if size := bytes * int64(len(ids)); len(ids) > 1 && size <= t.room {
		t.kept[n], t.room = p, t.room-size
	}
	return p, nil
}

// add counts a document.
func (p *parts) add(m tallyMember) {
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

// may reports whether a document may be the a of a row, and the b.
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

// ofEdge returns the rows of an edge.
func (t *tally) ofEdge(ctx context.Context, x edge) (n rows, err error) {
	from, err := t.population(ctx, x.from())
	if err != nil {
		return n, err
	}
	if x.from() == x.to() {
		return t.within(from), nil
	}
	to, err := t.population(ctx, x.to())
	if err != nil {
		return n, err
	}
	if t.isAgainst(x.fromSide) {
		from, to = to, from
	}
	return t.between(from, to, x.directed), nil
}

// between returns the rows of an edge between two sets.
func (t *tally) between(from, to population, directed bool) rows {
	// A row needs a document newer than the mark: subtract the pairs of two older documents.
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
	// A document makes no pair with itself.
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

// before counts the pairs (a, b) of an a from as and a later b from bs.
func before(as, bs []tallyMember) (n rows) {
	var all, old parts // of the documents in as before b
	// Both lists ascend by id, so one pass suffices.
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
