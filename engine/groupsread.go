package engine

// Reading groups from a snapshot.

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/view"
)

// Groupings describes the groupings of all collections.
func (s *Snapshot) Groupings() (out []api.Grouping) {
	for _, v := range s.view.Views {
		for _, g := range v.Groupings {
			out = append(out, g.Grouping)
		}
	}
	return out
}

// grouping returns the named grouping and its collection, or ErrNotFound.
func (s *Snapshot) grouping(name string) (*view.View, groups.State, error) {
	for _, v := range s.view.Views {
		for i := range v.Groupings {
			if v.Groupings[i].Name == name {
				return v, groups.State{Grouping: &v.Groupings[i], R: s.view.Pebble}, nil
			}
		}
	}
	return nil, groups.State{}, fmt.Errorf("groups %q %w", name, api.ErrNotFound)
}

// Groups yields the groups of a grouping, by number or by size descending, as q requests.
// It holds 24 bytes per group requested. It yields ErrNotFound if there is no grouping of
// that name.
func (s *Snapshot) Groups(ctx context.Context, name string, q api.GroupsQuery) iter.Seq2[api.Group, error] {
	return guard(s, ctx, disk.Rows(func(yield func(api.Group) error) error {
		_, state, err := s.grouping(name)
		if err == nil {
			err = state.Each(q, yield)
		}
		return err
	}))
}

// GroupOf returns the group of a document; false if the document has none. It returns
// ErrNotFound if there is no such grouping or document.
func (s *Snapshot) GroupOf(name, id string) (g api.Group, ok bool, err error) {
	_, err = callView(s, func(m *view.Snapshot) (none struct{}, err error) {
		v, state, err := s.grouping(name)
		if err != nil {
			return none, err
		}
		r, err := m.Record(v, id)
		if err == nil {
			g, ok, err = state.OfSet(r.Set)
		}
		return none, err
	})
	return g, ok, err
}

// Group returns the group with a number, or the group that it was merged into; false if it
// has ended or never existed. It returns ErrNotFound if there is no such grouping.
func (s *Snapshot) Group(name string, number uint64) (g api.Group, ok bool, err error) {
	_, err = callView(s, func(*view.Snapshot) (none struct{}, err error) {
		_, state, err := s.grouping(name)
		if err == nil {
			g, ok, err = state.Numbered(number)
		}
		return none, err
	})
	return g, ok, err
}

// GroupMembers yields the documents of the group with a number, or of the group that it was
// merged into, with the keeper first. It yields none if the group has ended.
func (s *Snapshot) GroupMembers(ctx context.Context, name string, number uint64) iter.Seq2[api.GroupMember, error] {
	return guard(s, ctx, disk.Rows(func(yield func(api.GroupMember) error) error { return s.eachMember(ctx, name, number, yield) }))
}

// eachMember scores each set once: documents of one set share their match with the keeper.
func (s *Snapshot) eachMember(ctx context.Context, name string, number uint64, yield func(api.GroupMember) error) (err error) {
	v, state, err := s.grouping(name)
	if err != nil {
		return err
	}
	g, ok, err := state.Numbered(number)
	if err != nil || !ok {
		return err
	}
	r := s.view.Reader(v)
	r.Heed(ctx)
	defer func() { err = errors.Join(err, r.Close()) }()
	q := Search{Measure: state.Measure, Args: state.Args}
	keeper, last := record.NoSet, record.NoSet
	var row api.Match
	return state.Members(g.Group, func(set uint32, id string) error {
		if keeper == record.NoSet {
			keeper = set
		}
		if set != last {
			score, err := search.OfSets(r, q, keeper, set)
			if err != nil {
				return err
			}
			row, last = q.Match(v.Name, "", score), set
		}
		row.ID = id
		return yield(api.GroupMember{Group: g.Group, Keeper: g.Keeper, Match: row})
	})
}
