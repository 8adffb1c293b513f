package web

// GET /api/v1/groupings: the groupings with their definitions.

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

type groupingsAnswer struct {
	Groupings []grouping `json:"groupings"`
	Next      *string    `json:"next"`
}

type grouping struct {
	Name       string   `json:"name"`
	Collection string   `json:"collection"`
	Measure    string   `json:"measure"`
	Threshold  float64  `json:"threshold"`
	Kind       string   `json:"kind"`
	Keep       api.Keep `json:"keep"`
}

// groupings answers with a page of the groupings, by name.
func groupings(c *call, req map[string]string) error {
	limit, err := whole("limit", req["limit"], 100, maxPage)
	if err != nil {
		return err
	}
	snap, err := c.snapshot()
	if err != nil {
		return err
	}
	all := snap.Groupings()
	slices.SortFunc(all, func(a, b api.Grouping) int { return cmp.Compare(a.Name, b.Name) })
	a := groupingsAnswer{Groupings: []grouping{}}
	for _, g := range all {
		if g.Name <= req["after"] {
			continue
		}
		if len(a.Groupings) == limit {
			if limit > 0 {
				a.Next = &a.Groupings[limit-1].Name
			}
			break
		}
		a.Groupings = append(a.Groupings, groupingOf(g))
	}
	return c.respond(a)
}

// groupingOf converts a grouping.
func groupingOf(g api.Grouping) grouping {
	kind := "connected"
	if g.Stars {
		kind = "stars"
	}
	return grouping{g.Name, g.Collection, g.Measure.Describe(g.Args), g.Min.Float64(), kind, g.Keep}
}

// groupingNamed returns the grouping that a request names.
func groupingNamed(snap *simdb.Snapshot, name string) (api.Grouping, error) {
	if name == "" {
		return api.Grouping{}, bad("the parameter in is missing: give the name of a grouping; /api/v1/groupings lists them")
	}
	all := snap.Groupings()
	i := slices.IndexFunc(all, func(g api.Grouping) bool { return g.Name == name })
	if i < 0 {
		return api.Grouping{}, refuse(http.StatusNotFound, "not_found", "there is no grouping %s; /api/v1/groupings lists them", quoted(name))
	}
	return all[i], nil
}
