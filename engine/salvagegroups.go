package engine

// Data that a salvage copies unchanged: ledgers, and groupings with their group numbers.

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/simdb/simdb/engine/internal/groups"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/salvage"
	"github.com/simdb/simdb/internal/keys"
)

// ledger copies the rows of the ledger, except rows about erased documents.
func (r *rederiver) ledger() error {
	c := r.c.Schema
	return r.old.Rows(r.ctx, r.c, func(seq uint64, key, row []byte) error {
		gone, err := rowNames(row, c.Number, func(x erased) bool { return r.erased.erases(seq, x) })
		switch {
		case err != nil:
			r.lost(fmt.Sprintf("a row of the ledger of collection %q: %v", c.Name, err))
			return nil
		case gone:
			return nil
		}
		return r.sealed(key, row)
	})
}

// keptGroupings are the groupings of a collection, by name.
type keptGroupings struct {
	all    map[string]*groups.Grouping
	spaces map[uint32]bool // key spaces of groupings found in the tables
}

// groups copies the groupings and the data that determine their group numbers. finish
// rebuilds the groups themselves.
func (r *rederiver) groups() error {
	kept, err := r.readGroupings()
	if err != nil || len(kept.all) == 0 {
		return err
	}
	err = r.old.Events(r.ctx, r.c, func(name string, value []byte) error {
		events, err := groups.DecodeEvents(name, value)
		if err != nil {
			r.lost(err.Error())
			return nil
		}
		if g := kept.all[name]; g != nil {
			for _, e := range events {
				g.Next = max(g.Next, e.Group+1, e.Other+1)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.writeGroupings(kept); err != nil {
		return err
	}
	for _, space := range salvage.Groups {
		err := r.old.Stored(r.ctx, space, r.c, func(key, value []byte) error {
			if n, _, err := keys.Numbers(key, 2); err != nil || !kept.spaces[n[1]] {
				return nil
			}
			return errors.Join(r.batch.Set(key, value, nil), r.commitLong())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readGroupings reads the groupings of a collection. A grouping found only in the log gets
// a new key space, because its old one may contain keys of another grouping in the tables.
func (r *rederiver) readGroupings() (kept keptGroupings, err error) {
	kept = keptGroupings{map[string]*groups.Grouping{}, map[uint32]bool{}}
	err = r.old.Groupings(r.ctx, r.c, func(name string, value []byte) error {
		if was := kept.all[name]; was != nil {
			delete(kept.spaces, was.Space)
			delete(kept.all, name)
		}
		if len(value) == 0 {
			return nil
		}
		g, err := groups.Decode(r.c.Schema, value)
		if err != nil {
			r.lost(err.Error())
			return nil
		}
		if name != "" || kept.spaces[g.Space] || g.Space >= record.NoSet/2 {
			g.Space = 0
		} else {
			kept.spaces[g.Space] = true
		}
		kept.all[g.Name] = g
		return nil
	})
	return kept, err
}

// writeGroupings stores the groupings in the order of their names. It reports a grouping
// as lost if another collection has one of that name.
func (r *rederiver) writeGroupings(kept keptGroupings) error {
	free := uint32(1)
	for n := range kept.spaces {
		free = max(free, n+1)
	}
	for _, name := range slices.Sorted(maps.Keys(kept.all)) {
		g := kept.all[name]
		if r.groupings[name] {
			r.lost(fmt.Sprintf("groups %q of collection %q: the name is taken", name, r.c.Schema.Name))
			delete(kept.spaces, g.Space)
			continue
		}
		r.groupings[name] = true
		if g.Space == 0 {
			g.Space = free
			free++
		}
		w, err := definition(g)
		if err == nil {
			err = r.sealed(w.Key, w.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
