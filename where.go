package simdb

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query"
)

// condition is the WHERE of a search, before it is compiled.
type condition struct {
	predicate string
	args      []any
}

// Where keeps what satisfies a predicate, as the WHERE of a statement does: "year > ? AND
// tags HAS ?". Its fields are those of SIMILAR TO, and in Pairs those of SIMILAR PAIRS:
// "a.year < b.year". In Clusters only documents that satisfy it are put into groups: the
// others tie nothing together. Limit counts what is kept. The threshold stays that of
// MinSim. A predicate that is wrong gives an *api.ParseError.
//
// A collection with an index of a field (Settings.Index) finds the few documents that a
// predicate keeps without looking at the others.
func Where(predicate string, args ...any) SearchOption {
	return func(s *search) {
		if s.take("Where").where != nil && s.err == nil {
			s.err = fmt.Errorf("%w: Where is given twice: join the predicates by AND", api.ErrInvalid)
		}
		s.where = &condition{predicate, args}
	}
}

// WithMeta makes rows carry the metadata of their documents: Match.Meta, PairMatch.MetaA
// and MetaB, ClusterMember.Meta.
func WithMeta() SearchOption { return func(s *search) { s.take("WithMeta").Meta = true } }

// filter compiles the WHERE of a search and narrows the search by it; nil if no row needs
// a test. The limit is then that of the rows which pass.
func (s *search) filter(ctx context.Context, snap query.Reader, is query.For) (*query.Filter, error) {
	if s.where == nil {
		return nil, nil
	}
	if err := s.Check(); err != nil { // with the limit, which is taken away below
		return nil, err
	}
	f, err := query.NewFilter(ctx, snap, is, &s.Search, s.where.predicate, s.where.args...)
	if f != nil {
		s.limit, s.Limit = s.Limit, 0
	}
	return f, err
}
