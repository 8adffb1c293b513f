package plan

// SELECT without similarity(): it reads every document, the documents that the WHERE names,
// or the candidates of a metadata index.

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// scanSource is the source of SELECT without similarity(). It reads every document, the ids
// that the WHERE names, or the ids of a metadata index.
type scanSource struct {
	one   Store
	ids   []string // sorted
	named bool     // only these ids
	must  *engine.Fields
}

// start yields the documents of one collection after another.
func (s scanSource) start(ctx context.Context, q engine.Search) (iter.Seq2[*Record, error], *api.Plan, error) {
	plan, parts, err := s.prepare(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return func(yield func(*Record, error) bool) {
		begin := time.Now()
		// The time includes the work of the caller on the rows.
		defer func() { plan.Micros = time.Since(begin).Microseconds() }()
		for i, c := range q.In {
			for info, err := range parts[i].infos(ctx, c) {
				if err != nil {
					yield(nil, err)
					return
				}
				plan.Candidates++
				if !yield(document(s.one, c, info), nil) {
					return
				}
			}
		}
	}, plan, nil
}

// prepare consults the indexes, and returns one source per collection.
func (s scanSource) prepare(ctx context.Context, q engine.Search) (p *api.Plan, parts []scanSource, err error) {
	p = &api.Plan{Measure: "none", MinSim: "0", Access: "scan", Exact: true,
		Why: "no similarity() in the WHERE: every document is read", Filters: []api.FilterStat{}}
	if s.named {
		p.Access, p.Why = "id", "the WHERE names the ids"
	}
	for _, c := range q.In {
		part := s
		// Ids in the WHERE are at least as selective as any index.
		if !s.named && s.must != nil {
			var index string
			if part.ids, index, part.named, err = s.one.IDsWhere(ctx, c, s.must); err != nil {
				return nil, nil, err
			}
			if part.named {
				info, err := s.one.Collection(c)
				if err != nil {
					return nil, nil, err
				}
				p.Access, p.Why = "index", "the WHERE tests indexed fields"
				p.Filter(index, true, info.Documents, int64(len(part.ids)))
			}
		}
		parts = append(parts, part)
	}
	return p, parts, nil
}

// infos yields the documents of a collection; an id that does not exist is skipped.
func (s scanSource) infos(ctx context.Context, collection string) iter.Seq2[api.DocInfo, error] {
	if !s.named {
		return s.one.Infos(ctx, collection)
	}
	return func(yield func(api.DocInfo, error) bool) {
		for _, id := range s.ids {
			info, err := s.one.Info(collection, id)
			if errors.Is(err, api.ErrNotFound) {
				// A long list of missing ids must still be cancellable.
				if err = ctx.Err(); err == nil {
					continue
				}
			}
			if !yield(info, err) || err != nil {
				return
			}
		}
	}
}
