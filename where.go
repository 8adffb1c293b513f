package simdb

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query"
)

// condition is the WHERE clause of a search before compilation.
type condition struct {
	predicate string
	args      []any
}

// Where keeps the rows that satisfy a predicate in the syntax of WHERE: "year > ? AND tags HAS ?".
// Its fields are those of SIMILAR TO, and in Pairs those of SIMILAR PAIRS: "a.year < b.year". In
// Clusters only documents that satisfy it are grouped: the others connect nothing. Limit applies
// after Where. The predicate does not change the threshold, which MinSim sets. A malformed
// predicate is an *api.ParseError.
//
// In a collection with an index of a field (Settings.Index), a search with a selective predicate on
// the field reads only the documents that satisfy the predicate.
func Where(predicate string, args ...any) SearchOption {
	return func(s *search) {
		if s.take("Where").where != nil && s.err == nil {
			s.err = fmt.Errorf("%w: Where is given twice: join the predicates by AND", api.ErrInvalid)
		}
		s.where = &condition{predicate, args}
	}
}

// WithMeta adds the metadata of the documents to the rows: Match.Meta, PairMatch.MetaA and MetaB,
// ClusterMember.Meta.
func WithMeta() SearchOption { return func(s *search) { s.take("WithMeta").Meta = true } }

// filter compiles the predicate and narrows the search by it; the filter is nil if no row needs a
// test. With a filter the limit moves from the search to the rows that pass.
func (s *search) filter(ctx context.Context, snap query.Reader, is query.For) (*query.Filter, error) {
	if s.where == nil {
		return nil, nil
	}
	if err := s.Check(); err != nil { // before the limit moves to s.limit
		return nil, err
	}
	f, err := query.NewFilter(ctx, snap, is, &s.Search, s.where.predicate, s.where.args...)
	if f != nil {
		s.limit, s.Limit = s.Limit, 0
	}
	return f, err
}
