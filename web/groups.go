package web

// GET /api/v1/groups: the groups of a grouping, by number or the largest first.

import (
	"encoding/json"
	"errors"
	"iter"
	"math"

	"github.com/simdb/simdb/api"
)

type groupsAnswer struct {
	Grouping grouping          `json:"grouping"`
	Groups   []json.RawMessage `json:"groups"`
	More     bool              `json:"more"`
	Notes    []string          `json:"notes"`
	Elapsed  float64           `json:"elapsed_ms"`
}

type keptGroup struct {
	Group  uint64  `json:"group"`
	Size   int     `json:"size"`
	Keeper string  `json:"keeper"`
	From   *uint64 `json:"from"`
}

func keptGroupOf(g api.Group) keptGroup {
	return keptGroup{g.Group, g.Size, g.Keeper, of(g.From > 0, g.From)}
}

func groups(c *call, asked map[string]string) error {
	limit, offset, err := part(asked)
	if err != nil {
		return err
	}
	least, err := whole("min_size", asked["min_size"], 1, math.MaxInt)
	if err != nil {
		return err
	}
	if order := asked["order"]; order != "" && order != "size" && order != "number" {
		return bad("order: %s is none of number, size", shown(order))
	}
	snap, err := c.snapshot()
	if err != nil {
		return err
	}
	g, err := groupingNamed(snap, asked["in"])
	if err != nil {
		return err
	}
	a := groupsAnswer{Grouping: groupingOf(g)}
	q := api.GroupsQuery{MinSize: least, BySize: asked["order"] == "size", Limit: offset + limit + 1}
	a.Groups, a.More, a.Notes, err = paged(c, snap.Groups(c.ctx, g.Name, q), limit, offset, func(g api.Group) (any, error) { return keptGroupOf(g), nil })
	if err != nil {
		return err
	}
	a.Elapsed = c.elapsed()
	return c.give(a)
}

// paged are some rows of a sequence, as they are shown, and whether there are more.
func paged[T any](c *call, all iter.Seq2[T, error], limit, offset int, shown func(T) (any, error)) (rows []json.RawMessage, more bool, notes []string, err error) {
	list, n := c.rows(), 0
	notes = []string{}
	for x, err := range all {
		if err != nil {
			return nil, false, nil, err
		}
		if n++; n <= offset {
			continue
		}
		if more = n > offset+limit; more {
			break
		}
		row, err := shown(x)
		if err == nil {
			err = list.add(row)
		}
		if errors.Is(err, errFull) {
			more, notes = true, append(notes, fullNote)
			break
		} else if err != nil {
			return nil, false, nil, err
		}
	}
	return list.list, more, notes, nil
}

// part reads which rows are wanted.
func part(asked map[string]string) (limit, offset int, err error) {
	if limit, err = whole("limit", asked["limit"], usualGroups, maxPage); err == nil {
		offset, err = whole("offset", asked["offset"], 0, maxOffset)
	}
	return limit, offset, err
}
