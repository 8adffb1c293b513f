package pairs

// Choice of the documents of a group that stay. In a given order, each document stays unless
// an earlier similar document stays (docs/language.md, Duplicates). So each removed document
// has a similar one left, and no two documents left are similar. Documents of one set have
// the same partners, so the comparison is between sets, represented by their first
// documents.

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// DatedDuplicate is a row with the writes of its document and of its Like at the time of the
// answer. A caller deletes the document only if these are unchanged.
type DatedDuplicate struct {
	api.Duplicate
	Written, LikeWas record.Written
}

// Dedupe finds the documents of all groups, cluster by cluster in the given order. It holds
// about 100 bytes and an id for each set that is similar to another or has several
// documents, and the documents of one group.
func Dedupe(ctx context.Context, m *view.Snapshot, q search.Search, keep api.Keep) (*search.Result[DatedDuplicate], error) {
	start := time.Now()
	numbers := q.KeepNumbers
	q.KeepNumbers = false // joins do not support it
	asked, err := newDedupe(ctx, m, q, keep)
	if err != nil {
		return nil, err
	}
	f, err := findEdges(ctx, asked)
	if err != nil || q.PlanOnly {
		return planned[DatedDuplicate](f, err)
	}
	c, err := f.gather(ctx)
	if err != nil {
		return nil, err
	}
	d := &dedupe{grouped: c, keep: keep}
	if numbers {
		d.numbers = map[uint32]bool{}
	}
	if err := d.choose(ctx); err != nil {
		return nil, err
	}
	d.plan.Took(start)
	return &search.Result[DatedDuplicate]{Plan: d.plan, All: d.rows(ctx)}, nil
}

// newDedupe checks the search of Dedupe and prepares its question.
func newDedupe(ctx context.Context, m *view.Snapshot, q search.Search, keep api.Keep) (*question, error) {
	switch {
	case len(q.Against) > 0 || q.Since != "" || q.Limit != 0 || q.Nearest != 0 || q.OfEach() || q.Directed:
		return nil, fault.Invalid("Dedupe looks at whole collections: it takes no Against, Since, Limit, Nearest or Directed")
	case q.Where != nil || q.WhereB != nil || q.Keep != nil:
		return nil, fault.Invalid("Dedupe looks at whole collections: it takes no Where and no Keep; to look at some documents give them a collection")
	case !q.Method().Symmetric():
		return nil, fault.Invalid("Dedupe by %s: it is not symmetric, so which of two is similar to the other is not defined", q.Measure)
	case len(q.In) > 1 && q.Ignoring.MoreThan > 0: // a document count per collection could make equal documents of one dissimilar, yet both similar to a third of another
		return nil, fault.Invalid("Dedupe of several collections: documents are counted in one, so it takes no Ignoring MoreThan")
	case q.Access == api.AccessInterval:
		return nil, fault.Invalid("Dedupe by access %q: it may miss pairs, and two similar documents would stay", q.Access)
	}
	if err := groups.CheckKeep(keep); err != nil {
		return nil, err
	}
	return newQuestion(ctx, m, q)
}

// dedupe holds the groups, and the sets of them that stay.
type dedupe struct {
	*grouped
	keep    api.Keep
	numbers map[uint32]bool // ranks of sets that stay because they differ in numbers only; nil: such sets may go
}

// place returns the sort key of a document in the order of keep.
func (d *dedupe) place(to []byte, id string, r *record.DocumentRecord) []byte {
	return groups.AppendPlace(to, d.keep, groups.Doc{ID: id, Bytes: r.TextBytes, Written: r.Written})
}

// choose decides which sets stay, and assigns each of the others to the first similar set
// that stays.
func (d *dedupe) choose(ctx context.Context) error {
	if err := d.firsts(ctx); err != nil {
		return err
	}
	d.rank()
	readers := d.readers()
	defer closeAll(readers)
	later, err := d.byLater(ctx, d.rankOf)
	if err != nil {
		return err
	}
	return later.each(func(list []edge) error { // the edges of a set, after all earlier sets
		for _, x := range list {
			from, to := d.rankOf(x.from()), d.rankOf(x.to())
			d.connected.Union(from, to)
			// All earlier sets are decided. The first similar set that stays replaces this
			// set.
			if s := &d.sets[from]; to < s.like && d.stays(to) {
				if is, err := d.inNumbers(ctx, readers, from, to); err != nil {
					return err
				} else if is {
					d.numbers[from] = true
					continue
				}
				s.like, s.score = to, x.score(d.formula.Unit())
			}
		}
		return d.m.Interrupted(ctx)
	})
}

// inNumbers reports whether two sets differ only in words with digits and KeepNumbers
// applies.
func (d *dedupe) inNumbers(ctx context.Context, readers []*view.Reader, a, b uint32) (bool, error) {
	if d.numbers == nil {
		return false, nil
	}
	var docs [2]string
	for i, rank := range []uint32{a, b} {
		s := &d.sets[rank]
		r := readers[s.side]
		r.Heed(ctx)
		var err error
		if docs[i], err = r.Text(s.set); err != nil {
			return false, err
		}
		r.Free()
	}
	form := d.views[d.sets[a].side].Analysis.Form
	return view.Apart(ctx, d.m.Shared, int64(len(docs[0])+len(docs[1])), func() (bool, error) {
		return measure.DifferInNumbers(docs[0], docs[1], form), nil
	})
}

// stays reports whether a set stays.
func (d *dedupe) stays(rank uint32) bool { return d.sets[rank].like == rank }

// firsts finds the first document of each set.
func (d *dedupe) firsts(ctx context.Context) error {
	var place []byte
	for side, v := range d.views {
		err := d.m.Records(v, func(id string, r record.DocumentRecord) error {
			if r.Set < v.Table.Len() && d.ranks[side][r.Set] > 0 {
				s := &d.sets[d.ranks[side][r.Set]-1]
				if place = d.place(place[:0], id, &r); s.place == "" || string(place) < s.place {
					s.place, s.first = string(place), r.Written
				}
			}
			return d.m.Interrupted(ctx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rows lists the groups in the order of their first documents.
func (d *dedupe) rows(ctx context.Context) iter.Seq2[DatedDuplicate, error] {
	return func(yield func(DatedDuplicate, error) bool) {
		readers := d.readers()
		defer closeAll(readers)
		for _, r := range readers {
			r.Heed(ctx)
		}
		cluster := 0
		for ranks := range d.groups {
			cluster++
			documents, err := d.documents(ctx, ranks, readers)
			if err != nil {
				yield(DatedDuplicate{}, err)
				return
			}
			for _, x := range documents {
				d.plan.Matches++
				if !yield(d.row(cluster, x), nil) {
					return
				}
			}
		}
	}
}

// placed is a document with its sort key.
type placed struct {
	id, place string
	written   record.Written
	rank      uint32 // of its set
}

// documents lists the documents of some sets, in order.
func (d *dedupe) documents(ctx context.Context, ranks []uint32, readers []*view.Reader) (all []placed, err error) {
	var place []byte
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
			place = d.place(place[:0], id, &r)
			all = append(all, placed{id, string(place), r.Written, rank})
		}
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Or(cmp.Compare(a.place, b.place), a.written.Compare(b.written)) })
	return all, nil
}

// row returns the row of a document. If the document goes, the row names the document that
// stays in its stead.
func (d *dedupe) row(cluster int, x placed) DatedDuplicate {
	s := &d.sets[x.rank]
	row := DatedDuplicate{Duplicate: api.Duplicate{Cluster: cluster, Collection: d.views[s.side].Name, ID: x.id}, Written: x.written}
	if row.Keep = d.stays(x.rank) && x.written == s.first; row.Keep {
		row.Numbers = d.numbers[x.rank]
		return row
	}
	to := &d.sets[s.like]
	row.LikeCollection, row.Like, row.LikeWas = d.views[to.side].Name, to.place[groups.RankBytes(d.keep):], to.first
	row.Sim, row.Shared, row.Union, row.Of, row.Ignored = s.score.Sim(), s.score.Shared, s.score.Union, s.score.Of, s.score.Ignored
	row.Unit = s.score.Unit
	if d.Measure.OfFingerprints() {
		row.Dist = int(s.score.Of - s.score.Shared)
	}
	return row
}
