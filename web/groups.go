package web

// GET /api/v1/groups: the groups of a grouping, by number or the largest first.

import (
	"encoding/json"
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

// keptGroupOf converts a group.
func keptGroupOf(g api.Group) keptGroup {
	return keptGroup{g.Group, g.Size, g.Keeper, of(g.From > 0, g.From)}
}

// groups answers with a page of the groups of a grouping.
func groups(c *call, req map[string]string) error {
	limit, offset, err := part(req)
	if err != nil {
		return err
	}
	least, err := whole("min_size", req["min_size"], 1, math.MaxInt)
	if err != nil {
		return err
	}
	if order := req["order"]; order != "" && order != "size" && order != "number" {
		return bad("order: %s is not one of number, size", quoted(order))
	}
	snap, err := c.snapshot()
	if err != nil {
		return err
	}
	g, err := groupingNamed(snap, req["in"])
	if err != nil {
		return err
	}
	a := groupsAnswer{Grouping: groupingOf(g)}
	q := api.GroupsQuery{MinSize: least, BySize: req["order"] == "size", Limit: offset + limit + 1}
	a.Groups, a.More, a.Notes, err = paged(c, snap.Groups(c.ctx, g.Name, q), limit, offset, func(g api.Group) (any, error) { return keptGroupOf(g), nil })
	if err != nil {
		return err
	}
	a.Elapsed = c.elapsed()
	return c.respond(a)
}
