package pairs

// Restriction of joins to documents that a WHERE accepts, by metadata indexes
// (docs/decisions/0033).

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
)

// confine restricts the a and the b of rows by metadata indexes.
func (q *question) confine(ctx context.Context) error {
	if q.Where != nil || q.WhereB != nil {
		q.Limit = 0 // the number of rows of an edge is unknown
	}
	for side, v := range q.views {
		c := &q.kept[side]
		for _, of := range []struct {
			sets **search.Sets
			must *search.Fields
			are  bool
		}{{&c.a, q.Where, q.against == 0 || side < q.against}, {&c.b, q.WhereB, q.against == 0 || side >= q.against}} {
			if !of.are {
				continue
			}
			sets, name, err := search.SetsOf(ctx, q.m, v, of.must)
			if err != nil {
				return err
			}
			if *of.sets = sets; sets != nil {
				q.filters = append(q.filters, api.FilterStat{Name: name, Safe: true, In: v.Sets, Out: int64(sets.GetCardinality())})
			}
		}
	}
	return nil
}

// keep restricts groups to sets with an accepted document. A metadata index saves reading
// all documents.
func (q *question) keep(ctx context.Context) error {
	if q.Keep == nil {
		return nil
	}
	for side, v := range q.views {
		sets := new(search.Sets)
		look := func(id string, r record.DocumentRecord) error {
			if err := q.m.Interrupted(ctx); err != nil || r.Set == record.NoSet {
				return err
			}
			info, err := q.m.InfoOf(v, id, r)
			if err != nil {
				return err
			}
			ok, err := q.Keep(v.Name, info)
			if ok {
				sets.Add(r.Set)
			}
			return err
		}
		ids, name, known, err := search.IDsOf(ctx, q.m, v, q.Where)
		if err == nil && !known {
			name, err = "where", q.m.Records(v, look)
		}
		for _, id := range ids {
			if err != nil {
				return err
			}
			var r record.DocumentRecord
			if r, err = q.m.Record(v, id); err == nil {
				err = look(id, r)
			}
		}
		if err != nil {
			return err
		}
		q.kept[side] = confined{sets, sets}
		q.filters = append(q.filters, api.FilterStat{Name: name, Safe: true, In: v.Sets, Out: int64(sets.GetCardinality())})
	}
	return nil
}
