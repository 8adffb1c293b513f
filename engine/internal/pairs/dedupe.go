package pairs

// Which documents of a group stay: going through them in an order, each stays unless one
// that stays already is similar to it (docs/language.md, Duplicates). So none goes that
// is not similar to one that stays, and no two that stay are similar. Documents that
// share a set have the same partners, so that sets are compared, by their first documents.

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
)

// DatedDuplicate is a row with the writes that made its document and its Like what they were.
type DatedDuplicate struct {
	api.Duplicate
	Written, LikeWas record.Written
}

// Dedupe finds the documents of all groups: by cluster, those of one in the order. It
// holds about 100 bytes and an id for each set that is similar to another or has several
// documents, and the documents of one group.
func Dedupe(ctx context.Context, m *view.Snapshot, q search.Search, keep api.Keep) (*search.Result[DatedDuplicate], error) {
	start := time.Now()
	d, err := newDedupe(ctx, m, q, keep)
	if err != nil {
		return nil, err
	}
	if d.found, err = findEdges(ctx, d.question); err != nil {
		return nil, err
	}
	if err := d.choose(ctx); err != nil {
		return nil, err
	}
	d.plan.Took(start)
	return &search.Result[DatedDuplicate]{Plan: d.plan, All: d.rows(ctx)}, nil
}

// ExplainDedupe says how Dedupe would go, without joining.
func ExplainDedupe(ctx context.Context, m *view.Snapshot, q search.Search, keep api.Keep) (*api.Plan, error) {
	d, err := newDedupe(ctx, m, q, keep)
	if err != nil {
		return nil, err
	}
	return explain(ctx, d.question)
}

// dedupe is the sets of groups in the order of their first documents. Their places in it
// are called ranks.
type dedupe struct {
	*found
	before func(a, b *keptDocument) int
	ranks  [][]uint32 // by side and set: one more than its rank, 0 if it is in no group
	sets   []dedupeSet
	groups join.UnionFind // of ranks
}

// keptDocument is a document as the order sees it.
type keptDocument struct {
	id      string
	bytes   int64
	written record.Written
}

type dedupeSet struct {
	node
	first keptDocument
	same  measure.Score // of its documents with each other, if it has several
	goes  bool
	like  uint32        // rank of the set that it goes to; its own if it stays
	score measure.Score // with that; none yet if Of is 0
}

func newDedupe(ctx context.Context, m *view.Snapshot, q search.Search, keep api.Keep) (*dedupe, error) {
	switch {
	case len(q.Against) > 0 || q.Since != "" || q.Limit != 0 || q.Nearest != 0 || q.OfEach() || q.Directed:
		return nil, fault.Invalid("Dedupe looks at whole collections: it takes no Against, Since, Limit, Nearest or Directed")
	case q.Where != nil || q.WhereB != nil || q.Keep != nil:
		return nil, fault.Invalid("Dedupe looks at whole collections: it takes no Where and no Keep; to look at some documents give them a collection")
	case !q.Method().Symmetric():
		return nil, fault.Invalid("Dedupe by %s: it is not symmetric, so which of two is similar to the other is not defined", q.Measure)
	case len(q.In) > 1 && q.Ignoring.MoreThan > 0: // equal documents of one might be nothing to each other, and both like one of another
		return nil, fault.Invalid("Dedupe of several collections: documents are counted in one, so it takes no Ignoring MoreThan")
	case q.Access == api.AccessInterval:
		return nil, fault.Invalid("Dedupe by access %q: it may miss pairs, and two similar documents would stay", q.Access)
	}
	d := &dedupe{}
	switch keep {
	case api.KeepFirst, "":
		d.before = compareFirst
	case api.KeepNewest:
		d.before = func(a, b *keptDocument) int { return compareFirst(b, a) }
	case api.KeepLongest:
		d.before = func(a, b *keptDocument) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), compareFirst(a, b)) }
	case api.KeepShortestID:
		d.before = func(a, b *keptDocument) int {
			return cmp.Or(cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id), compareFirst(a, b))
		}
	default:
		return nil, fault.Invalid("keep %q: want first, newest, longest or shortest-id", keep)
	}
	question, err := newQuestion(ctx, m, q)
	d.found = &found{question: question}
	return d, err
}

func compareFirst(a, b *keptDocument) int { return a.written.Compare(b.written) }

// choose decides which sets stay.
func (d *dedupe) choose(ctx context.Context) error {
	if err := d.gather(ctx); err != nil {
		return err
	}
	if err := d.rank(ctx); err != nil {
		return err
	}
	later, err := d.byLater(ctx)
	if err != nil {
		return err
	}
	d.groups = join.NewUnionFind(uint32(len(d.sets)))
	err = later.each(func(list []edge) error {
		for _, x := range list {
			from, to := d.rankOf(x.from()), d.rankOf(x.to())
			d.groups.Union(from, to)
			d.sets[from].goes = d.sets[from].goes || !d.sets[to].goes
		}
		return d.m.Interrupted(ctx)
	})
	if err != nil {
		return err
	}
	return later.each(func(list []edge) error {
		for _, x := range list {
			from, to := d.rankOf(x.from()), d.rankOf(x.to())
			d.offer(from, to, x.score(d.formula.Unit()))
			d.offer(to, from, x.score(d.formula.Unit()))
		}
		return d.m.Interrupted(ctx)
	})
}

// offer makes a set go to one that stays, if that comes before the one that it goes to.
func (d *dedupe) offer(rank, to uint32, score measure.Score) {
	s := &d.sets[rank]
	if !s.goes || d.sets[to].goes {
		return
	}
	if s.score.Of == 0 || to < s.like {
		s.like, s.score = to, score
	}
}

// gather lists the sets of all groups.
func (d *dedupe) gather(ctx context.Context) error {
	d.ranks = make([][]uint32, len(d.views))
	for i, v := range d.views {
		d.ranks[i] = make([]uint32, v.Table.Len())
	}
	add := func(n node) *dedupeSet {
		at := &d.ranks[n.side][n.set]
		if *at == 0 {
			d.sets = append(d.sets, dedupeSet{node: n})
			*at = uint32(len(d.sets))
		}
		return &d.sets[*at-1]
	}
	err := d.list.each(func(list []edge) error {
		for _, x := range list {
			add(x.from())
			add(x.to())
		}
		return d.m.Interrupted(ctx)
	})
	for side := range d.views {
		if err == nil {
			err = d.shared(ctx, side, func(s sharedSet) { add(node{s.set, uint16(side)}).same = s.score })
		}
	}
	return err
}

// rank sorts the sets by their first documents.
func (d *dedupe) rank(ctx context.Context) error {
	for side, v := range d.views {
		err := d.m.Records(v, func(id string, r record.DocumentRecord) error {
			if r.Set < v.Table.Len() && d.ranks[side][r.Set] > 0 {
				s, doc := &d.sets[d.ranks[side][r.Set]-1], keptDocument{id, r.TextBytes, r.Written}
				if s.first.id == "" || d.before(&doc, &s.first) < 0 {
					s.first = doc
				}
			}
			return d.m.Interrupted(ctx)
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(d.sets, func(a, b dedupeSet) int { return d.before(&a.first, &b.first) })
	for i := range d.sets {
		s := &d.sets[i]
		d.ranks[s.side][s.set], s.like = uint32(i)+1, uint32(i)
	}
	return nil
}

func (d *dedupe) rankOf(n node) uint32 { return d.ranks[n.side][n.set] - 1 }

// byLater lists the edges by the later of their sets, which is from.
func (d *dedupe) byLater(ctx context.Context) (*edgeList, error) {
	out := newEdgeList(ctx, d.m)
	out.by = func(a, b edge) int { return cmp.Compare(d.rankOf(a.from()), d.rankOf(b.from())) }
	err := d.list.each(func(list []edge) error {
		for i := range list {
			if x := &list[i]; d.rankOf(x.from()) < d.rankOf(x.to()) {
				x.fromSet, x.fromSide, x.toSet, x.toSide = x.toSet, x.toSide, x.fromSet, x.fromSide
			}
		}
		out.add(list)
		return d.m.Interrupted(ctx)
	})
	d.list = nil // its edges are in the other
	if err != nil {
		return nil, err
	}
	return out, out.sort()
}

// rows lists the groups in the order of their first documents.
func (d *dedupe) rows(ctx context.Context) iter.Seq2[DatedDuplicate, error] {
	return func(yield func(DatedDuplicate, error) bool) {
		members := make([]uint32, len(d.sets)) // ranks by group
		for i := range members {
			members[i] = uint32(i)
		}
		slices.SortStableFunc(members, func(a, b uint32) int { return cmp.Compare(d.groups.Find(a), d.groups.Find(b)) })
		readers := d.readers()
		defer closeAll(readers)
		for _, r := range readers {
			r.Heed(ctx)
		}
		for cluster := 1; len(members) > 0; cluster++ {
			n := 1
			for n < len(members) && d.groups.Find(members[n]) == d.groups.Find(members[0]) {
				n++
			}
			rows, err := d.group(ctx, cluster, members[:n], readers)
			if err != nil {
				yield(DatedDuplicate{}, err)
				return
			}
			for _, row := range rows {
				d.plan.Matches++
				if !yield(row, nil) {
					return
				}
			}
			members = members[n:]
		}
	}
}

// group makes the rows of the sets of one group.
func (d *dedupe) group(ctx context.Context, cluster int, ranks []uint32, readers []*view.Reader) ([]DatedDuplicate, error) {
	type item struct {
		keptDocument
		rank uint32
	}
	var items []item
	for _, rank := range ranks {
		n := d.sets[rank].node
		ids, err := readers[n.side].IDs(n.set, nil)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			r, err := d.m.Record(d.views[n.side], id)
			if err == nil {
				err = d.m.Interrupted(ctx)
			}
			if err != nil {
				return nil, err
			}
			items = append(items, item{keptDocument{id, r.TextBytes, r.Written}, rank})
		}
	}
	slices.SortFunc(items, func(a, b item) int { return d.before(&a.keptDocument, &b.keptDocument) })
	rows := make([]DatedDuplicate, len(items))
	for i, x := range items {
		s := &d.sets[x.rank]
		row := DatedDuplicate{Duplicate: api.Duplicate{Cluster: cluster, Collection: d.views[s.side].Name, ID: x.id}, Written: x.written}
		row.Keep = !s.goes && x.written == s.first.written
		if !row.Keep {
			row.goesTo(d, s)
		}
		rows[i] = row
	}
	return rows, nil
}

// goesTo says which document that stays a document of the set is similar to.
func (row *DatedDuplicate) goesTo(d *dedupe, s *dedupeSet) {
	score := s.score
	if !s.goes {
		score = s.same
	}
	to := &d.sets[s.like]
	row.LikeCollection, row.Like, row.LikeWas = d.views[to.side].Name, to.first.id, to.first.written
	row.Sim, row.Shared, row.Union, row.Of, row.Ignored = score.Sim(), score.Shared, score.Union, score.Of, score.Ignored
	row.Unit = score.Unit
	if d.Measure == api.SimHash {
		row.Dist = int(score.Of - score.Shared)
	}
}
