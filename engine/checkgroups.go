package engine

// The check of groups, which compares them with groups from a fresh join.

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/check"
	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// check compares the groupings of a collection with fresh ones.
func (grouper) check(ctx context.Context, s *Snapshot, v *view.View, report *api.CheckReport) error {
	for i := range v.Groupings {
		if err := checkGroups(ctx, s, v, &v.Groupings[i], report); err != nil {
			return err
		}
	}
	return nil
}

// checkGroups compares a grouping with a fresh one.
func checkGroups(ctx context.Context, s *Snapshot, v *view.View, g *groups.Grouping, report *api.CheckReport) error {
	wrong := func(id, what string) {
		check.Add(report, api.Problem{Kind: check.KindGroups, Collection: v.Name, ID: id, What: fmt.Sprintf("groups %q: %s", g.Name, what)})
	}
	err := errors.Join(alikeDiffers(ctx, s, v, g, wrong), eachDifference(ctx, s, v, g, wrong))
	if stop := s.view.Interrupted(ctx); stop != nil {
		return stop
	}
	if err != nil { // the report already names damaged documents
		wrong("", fmt.Sprintf("could not be checked: %v", err))
	}
	return nil
}

// eachDifference calls wrong for each document with a stored keeper that differs from the fresh
// one. The fresh keeper of a document in a grouping of stars is its match by DUPLICATES,
// otherwise the first document of its cluster. Memory holds both keepers of each document
// in a group of several.
func eachDifference(ctx context.Context, s *Snapshot, v *view.View, g *groups.Grouping, wrong func(id, what string)) error {
	found, err := pairs.Dedupe(ctx, s.view, Search{In: []string{v.Name}, Measure: g.Measure, Args: g.Args, Min: g.Min}, g.Keep)
	if err != nil {
		return err
	}
	fresh := map[string]string{}
	first, cluster := "", 0
	for row, err := range found.All {
		if err != nil {
			return err
		}
		if row.Cluster != cluster {
			first, cluster = row.ID, row.Cluster
		}
		switch fresh[row.ID] = first; {
		case g.Stars && row.Keep:
			fresh[row.ID] = row.ID
		case g.Stars:
			fresh[row.ID] = row.Like
		}
	}
	state := groups.State{Grouping: g, R: s.view.Pebble}
	documents := int64(0)
	err = state.Each(api.GroupsQuery{}, func(group api.Group) error {
		n := 0
		err := state.Members(group.Group, func(_ uint32, id string) error {
			n++
			want, grouped := fresh[id]
			if !grouped {
				want = id
			}
			if delete(fresh, id); want != group.Keeper {
				wrong(id, fmt.Sprintf("it is in group %d with %q, found anew it is with %q", group.Group, group.Keeper, want))
			}
			return s.view.Interrupted(ctx)
		})
		if n != group.Size {
			wrong("", fmt.Sprintf("group %d has %d documents, but records %d", group.Group, n, group.Size))
		}
		documents += int64(n)
		return err
	})
	for id := range fresh {
		wrong(id, "it is in no group")
	}
	counted := int64(0)
	err = errors.Join(err, s.view.Records(v, func(_ string, r record.DocumentRecord) error {
		if r.Set != record.NoSet {
			counted++
		}
		return nil
	}))
	if err == nil && documents != counted {
		wrong("", fmt.Sprintf("%d documents are in groups, of %d with shingles among %d", documents, counted, v.Documents))
	}
	return err
}

// alikeDiffers calls wrong for each set with stored similar sets that differ from fresh ones.
func alikeDiffers(ctx context.Context, s *Snapshot, v *view.View, g *groups.Grouping, wrong func(id, what string)) error {
	state := groups.State{Grouping: g, R: s.view.Pebble}
	found := map[uint32]bool{}
	differs := func(set uint32, fresh *roaring.Bitmap) error {
		stored, err := state.Alike(set)
		if err != nil {
			return err
		}
		if has := roaring.BitmapOf(v.LiveOf(stored.ToArray(), 0)...); !has.Equals(fresh) {
			wrong("", fmt.Sprintf("set %d is similar to %d older ones, and %d are stored", set, fresh.GetCardinality(), has.GetCardinality()))
		}
		return s.view.Interrupted(ctx)
	}
	err := pairs.EachAlike(ctx, s.view, Search{In: []string{v.Name}, Measure: g.Measure, Args: g.Args, Min: g.Min}, func(set uint32, fresh *roaring.Bitmap) error {
		found[set] = true
		return differs(set, fresh)
	})
	if err != nil {
		return err
	}
	return state.EachAlike(func(set uint32) error {
		if found[set] {
			return nil
		}
		return differs(set, roaring.New())
	})
}
