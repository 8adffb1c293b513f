package web

// GET /api/v1/groups: the groups of a grouping, by number or the largest first.

import (
	"encoding/json"
	"errors"
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

func groups(c *call) error {
	asked, err := c.parameters("in", "min_size", "order", "limit", "offset")
	if err != nil {
		return err
	}
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
	defer snap.Close()
	g, err := groupingNamed(snap, asked["in"])
	if err != nil {
		return err
	}
	a := groupsAnswer{Grouping: groupingOf(g), Notes: []string{}}
	list, n := c.rows(), 0
	q := api.GroupsQuery{MinSize: least, BySize: asked["order"] == "size", Limit: offset + limit + 1}
	for g, err := range snap.Groups(c.ctx, g.Name, q) {
		if err != nil {
			return err
		}
		if n++; n <= offset {
			continue
		}
		if a.More = n > offset+limit; a.More {
			break
		}
		if err := list.add(keptGroupOf(g)); errors.Is(err, errFull) {
			a.More, a.Notes = true, append(a.Notes, fullNote)
			break
		} else if err != nil {
			return err
		}
	}
	a.Groups, a.Elapsed = list.list, c.elapsed()
	return c.give(a)
}

// part reads which rows are wanted.
func part(asked map[string]string) (limit, offset int, err error) {
	if limit, err = whole("limit", asked["limit"], usualGroups, maxPage); err == nil {
		offset, err = whole("offset", asked["offset"], 0, maxOffset)
	}
	return limit, offset, err
}
